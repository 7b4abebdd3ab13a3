// The control surface, /_svc/...: what a test or a developer does to the sandbox from outside the API.
//
//   GET  /_svc/status       what runs here
//   GET  /_svc/time         {"now_ms","sequence","mode","rate"}
//   POST /_svc/time         {"mode":"real"|"manual"|"scaled","rate":n}, {"advance_ms":n} or {"set_ms":n}
//   POST /_svc/prices       {"BTC-USDX-PERP":"60000",...}: one oracle tick, index = mark
//   POST /_svc/fund         {"account","amount"}
//   POST /_svc/insurance    {"amount"}
//   POST /_svc/markets/{id}/halt     {"reason"}
//   POST /_svc/markets/{id}/resume   {} or {"inject"}: USDX into the insurance fund first
//   POST /_svc/markets/{id}/settle   {"price"}: closes every position and delists the market
//   GET  /_svc/requests     the latest requests, each with the rule that refused it; ?after=N, ?limit=N
//   GET  /_svc/invariants   {"violations":[...]}, computed now
//
// Bodies are strict; errors are {"code","message"}. Safe to use from any thread.
#pragma once

#include <string_view>
#include <vector>

#include "api/http_message.h"
#include "sim/control/control_access.h"
#include "sim/control/control_commands.h"
#include "sim/control/control_reports.h"

namespace svc::sim {

class ControlSurface {
 public:
  ControlSurface(const ControlledVenue& venue, ControlAccess access);

  // True for /_svc and everything below.
  [[nodiscard]] static bool owns(std::string_view path);

  [[nodiscard]] api::HttpResponse handle(const api::HttpRequest& request, std::string_view peer_address) const;

 private:
  struct Route;
  static const std::vector<Route>& routes();

  ControlReports reports_;
  ControlCommands commands_;
  ControlAccess access_;
};

}  // namespace svc::sim
