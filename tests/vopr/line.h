// The network between a process and the exchange, with all its faults.
#pragma once

#include "api/http/http_client.h"
#include "cli/machine/environment.h"
#include "vopr/server.h"
#include "vopr/world.h"

namespace svc::vopr {

class Line final : public api::Transport {
 public:
  Line(World& world, Server& server, Process& process, const cli::Route& route);

  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request) override;

 private:
  World& world_;
  Server& server_;
  Process& process_;
  std::string host_;
  std::int64_t timeout_ms_;
};

}  // namespace svc::vopr
