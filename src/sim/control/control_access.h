// Who may use the control surface: programs on this machine, and holders of the token if there is one.
#pragma once

#include <string>
#include <string_view>

#include "api/http/http_message.h"
#include "base/secret.h"

namespace svc::sim {

struct ControlAccess {
  Secret token;                  // empty: loopback peers only
  std::string client_ip_header;  // of a proxy in front; empty: none

  // Admits holders of the token and programs on this machine. A web page that the user has open also connects from
  // this machine, and needs the token: its browser sends Origin, or at least Sec-Fetch-Site, and a page whose name
  // was re-pointed here sends that name as its Host. (D-264)
  [[nodiscard]] bool admits(const api::Headers& headers, std::string_view peer_address) const;
};

// 127.0.0.0/8 and ::1, also when mapped into IPv6.
[[nodiscard]] bool is_loopback(std::string_view address);

}  // namespace svc::sim
