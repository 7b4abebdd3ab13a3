// The control surface, /_svc/...: what a test or a developer does to the sandbox outside the API. Its operations
// are those of api/contract/control.h; GET /_svc/openapi.json describes them.
//
// Bodies are strict; errors are {"code","message"}. The console is served here as well. Safe to use from any thread.
#pragma once

#include "api/router.h"
#include "base/secret.h"
#include "sim/control/control_handlers.h"
#include "sim/control/control_stream.h"
#include "sim/gateway/http_server.h"

namespace svc::sim {

// Who may use it: programs on this machine, and holders of the token if there is one.
struct ControlAccess {
  Secret token;                  // empty: loopback peers only
  std::string client_ip_header;  // of a proxy in front; empty: none

  // Admits holders of the token, programs on this machine and the console that this machine shows. Any other web page
  // that the user has open also connects from this machine, and needs the token: its browser sends Origin, or at
  // least Sec-Fetch-Site, and a page whose name was re-pointed here sends that name as its Host. (D-264, D-821)
  //
  // The token comes as `Bearer TOKEN`, or as the password of HTTP Basic, which a browser adds by itself and which
  // therefore admits no page but the console.
  [[nodiscard]] bool admits(const api::Headers& headers, std::string_view peer_address) const;

  // Whether a browser that is not admitted may ask its user for the token.
  [[nodiscard]] bool takes_password(const api::Headers& headers) const;
};

class ControlSurface {
 public:
  ControlSurface(ControlledVenue venue, ControlAccess access);
  ControlSurface(const ControlSurface&) = delete;
  ControlSurface& operator=(const ControlSurface&) = delete;

  // True for /_svc and everything below.
  [[nodiscard]] static bool owns(std::string_view path) {
    return path == control::base_path || api::lies_under(path, control::base_path);
  }

  // Whether this browser gets the console, or is asked for the token.
  [[nodiscard]] bool shows_console(const api::HttpRequest& request, std::string_view peer_address) const {
    return access_.admits(request.headers, peer_address) || access_.takes_password(request.headers);
  }

  // Calls `reply` once, before it returns or later.
  void handle(const api::HttpRequest& request, std::string_view peer_address, const SendReply& reply) const;

  // As handle(), for a request to upgrade the connection: only the stream of the control surface does.
  void upgrade(const api::HttpRequest& request, const std::string& head, std::string_view peer_address,
               const Upgrade& upgrade);

  // Sends the readers of the stream what is new. Called regularly, under the shared turnstile.
  void send_news() { stream_.send_news(); }

 private:
  [[nodiscard]] Result<std::string, api::ApiError> read(const WatchedState& state) const;
  // The answer may have to wait for the streams of this node.
  void send(api::HttpResponse response, bool after_streams, const SendReply& reply) const;

  api::Router router_;
  ControlHandlers handlers_;
  ControlAccess access_;
  ControlStream stream_;
};

}  // namespace svc::sim
