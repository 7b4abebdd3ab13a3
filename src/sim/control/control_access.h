// Who may use the control surface: programs on this machine, and whoever knows the token if there is one.
#pragma once

#include <string>
#include <string_view>

#include "api/http_message.h"
#include "base/secret.h"

namespace svc::sim {

struct ControlAccess {
  Secret token;                  // empty: loopback peers only
  std::string client_ip_header;  // of a proxy in front; empty: none
  bool any_host = false;         // the surface is meant to be reached under other names than loopback's

  // A web page that the user happens to have open also speaks from this machine; it cannot leave out
  // its Origin, so such requests need the token as well. A page that had its own name re-pointed to this
  // machine gives itself away by its Host, which must be a loopback name unless there is a token. (D-264)
  [[nodiscard]] bool admits(const api::Headers& headers, std::string_view peer_address) const;

 private:
  [[nodiscard]] bool admits_host(const api::Headers& headers) const;
};

// 127.0.0.0/8 and ::1, also when mapped into IPv6.
[[nodiscard]] bool is_loopback(std::string_view address);

}  // namespace svc::sim
