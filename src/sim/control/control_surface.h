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

#include <functional>
#include <string>
#include <string_view>

#include "api/http_message.h"
#include "base/result.h"
#include "sim/control/control_access.h"
#include "sim/control/control_body.h"
#include "sim/gateway/request_log.h"
#include "sim/market_table.h"
#include "sim/ready_report.h"
#include "sim/sandbox_clock.h"
#include "sim/sequencer/sequencer.h"

namespace svc::api {
struct ApiError;
}

namespace svc::sim {

// What the surface looks at and moves. All of it must outlive the surface.
struct ControlledVenue {
  const Clock& machine;  // uptime is real time, whatever the sandbox's clock does
  SandboxClock& clock;
  Sequencer& sequencer;
  const MarketTable& markets;
  const RequestLog& requests;
  std::function<ReadyReport()> report;
};

class ControlSurface {
 public:
  ControlSurface(ControlledVenue venue, ControlAccess access);

  // True for /_svc and everything below.
  [[nodiscard]] static bool owns(std::string_view path);

  [[nodiscard]] api::HttpResponse handle(const api::HttpRequest& request, std::string_view peer_address);

 private:
  using Answer = Result<std::string, api::ApiError>;  // JSON text
  struct Route;
  static const Route routes[];

  [[nodiscard]] Answer status(const api::HttpRequest& request);
  [[nodiscard]] Answer time(const api::HttpRequest& request);
  [[nodiscard]] Answer move_time(const api::HttpRequest& request);
  [[nodiscard]] Answer set_prices(const api::HttpRequest& request);
  [[nodiscard]] Answer fund(const api::HttpRequest& request);
  [[nodiscard]] Answer fund_insurance(const api::HttpRequest& request);
  [[nodiscard]] Answer halt(const api::HttpRequest& request);
  [[nodiscard]] Answer resume(const api::HttpRequest& request);
  [[nodiscard]] Answer settle(const api::HttpRequest& request);
  [[nodiscard]] Answer requests(const api::HttpRequest& request);
  [[nodiscard]] Answer invariants(const api::HttpRequest& request);

  // The market in the path; of the operator's commands alone.
  [[nodiscard]] Result<engine::MarketIndex, api::ApiError> market_of(const api::HttpRequest& request) const;
  [[nodiscard]] Answer market_command(engine::MarketIndex market, CommandBody command);

  ControlledVenue venue_;
  ControlAccess access_;
  TimestampMs started_ms_;
};

}  // namespace svc::sim
