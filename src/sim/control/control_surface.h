// The control surface, /_svc/...: what a test or a developer does to the sandbox outside the API. Its operations
// are those of api/contract/control.h; GET /_svc/openapi.json describes them.
//
// Bodies are strict; errors are {"code","message"}. Safe to use from any thread.
#pragma once

#include <string_view>

#include "api/http/http_message.h"
#include "sim/control/control_access.h"
#include "sim/control/control_handlers.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/router.h"

namespace svc::sim {

class ControlSurface {
 public:
  ControlSurface(ControlledVenue venue, ControlAccess access);
  ControlSurface(const ControlSurface&) = delete;
  ControlSurface& operator=(const ControlSurface&) = delete;

  // True for /_svc and everything below.
  [[nodiscard]] static bool owns(std::string_view path);

  // Calls `reply` once, before it returns or later.
  void handle(const api::HttpRequest& request, std::string_view peer_address, const SendReply& reply) const;

 private:
  [[nodiscard]] Result<ControlHandlers::Reply, api::ApiError> answer(const api::HttpRequest& request,
                                                                     const RouteMatch& route) const;
  // The methods of the path.
  [[nodiscard]] std::string allowed(std::string_view path) const;

  Router router_;
  ControlHandlers handlers_;
  ControlAccess access_;
};

}  // namespace svc::sim
