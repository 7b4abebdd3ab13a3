// One running venue: engine, views, services, gateway and control surface under one clock, without
// sockets. Tests reach it through `Sandbox`, the network through `serve`.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "api/http_message.h"
#include "base/clock.h"
#include "sim/control/control_surface.h"
#include "sim/dev_accounts.h"
#include "sim/gateway/gateway.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/gateway/network_instance.h"
#include "sim/sandbox_options.h"
#include "sim/sequencer/memory_log.h"
#include "sim/sequencer/sandbox_clock.h"
#include "sim/sequencer/sequencer.h"
#include "sim/views/market_table.h"
#include "sim/views/views.h"

namespace svc::sim {

class Venue {
 public:
  // Requires !refusal(options). `machine` must outlive this. Accounts are funded and every market has
  // its first price when this returns.
  Venue(SandboxOptions options, const Clock& machine);
  Venue(const Venue&) = delete;
  Venue& operator=(const Venue&) = delete;

  // Answers one request, control surface included; calls `reply` once. Any thread.
  void handle(api::HttpRequest&& request, const Peer& peer, const Reply& reply);

  // Does what is due by now.
  void pass_time() { sequencer_.pass_time(); }

  [[nodiscard]] const SandboxOptions& options() const { return options_; }
  [[nodiscard]] const SandboxClock& clock() const { return clock_; }
  [[nodiscard]] const std::vector<DevAccount>& accounts() const { return accounts_; }
  [[nodiscard]] const RequestLog& requests() const { return gateway_.log(); }

  // The port it was given. Until then the report names the one asked for.
  void set_port(std::uint16_t port) { port_.store(port); }
  [[nodiscard]] ReadyReport report() const;

 private:
  void open_markets();
  void open_accounts();

  const SandboxOptions options_;
  SandboxClock clock_;
  const MarketTable markets_;
  MemoryLog log_;
  Sequencer sequencer_;
  Views views_;
  NetworkInstance network_;
  Gateway gateway_;
  ControlSurface control_;
  std::vector<DevAccount> accounts_;
  std::atomic<std::uint16_t> port_;
};

}  // namespace svc::sim
