// What the control surface does: it moves time, prices, money and markets.
#pragma once

#include <string>

#include "api/error_catalog.h"
#include "api/http_message.h"
#include "base/decimal.h"
#include "base/result.h"
#include "sim/control/controlled_venue.h"
#include "sim/engine/market_spec.h"

namespace svc::sim {

class ControlCommands {
 public:
  explicit ControlCommands(ControlledVenue venue) : venue_(std::move(venue)) {}

  [[nodiscard]] Result<void, api::ApiError> move_time(const api::HttpRequest& request) const;
  // Whether a change of the clock is answered only when the streams have told everything.
  [[nodiscard]] static bool waits_for_streams(const api::HttpRequest& request);
  [[nodiscard]] ControlAnswer set_prices(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer fund(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer fund_insurance(const api::HttpRequest& request) const;
  // The market is the segment of the path before the last.
  [[nodiscard]] ControlAnswer halt(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer resume(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer settle(const api::HttpRequest& request) const;

 private:
  [[nodiscard]] Result<engine::MarketIndex, api::ApiError> market_of(const api::HttpRequest& request) const;
  [[nodiscard]] Result<void, api::ApiError> operator_exit_allowed() const;
  [[nodiscard]] ControlAnswer market_command(engine::MarketIndex market, CommandBody command) const;

  ControlledVenue venue_;
};

// Prices in bodies of control requests.

// A price of the market; refused with what was expected.
[[nodiscard]] Result<Ticks, api::ApiError> price_of(const engine::MarketSpec& spec, const std::string& text);

}  // namespace svc::sim
