// Leverage, margin mode and the margin of isolated positions.

#include "api/ops/margin.h"

#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/handlers/position_translation.h"

namespace svc::sim {
namespace {

using namespace api;

engine::MarginMode mode_of(MarginMode mode) {
  return mode == MarginMode::cross ? engine::MarginMode::cross : engine::MarginMode::isolated;
}

// Accounts start in cross mode everywhere; the mode is set per market. (D-267)
MarginModeStatus mode_status(const VenueAccess& venue, const Address& account,
                             const std::optional<engine::MarketIndex>& market) {
  MarginModeStatus status;
  if (!market) return status;
  status.market_id = venue.markets.spec(*market).id;
  venue.sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    const engine::MarketSettings settings = engine.settings(account, *market);
    status.margin_mode = wire_mode(settings.mode);
    status.leverage = static_cast<std::uint32_t>(settings.leverage);
    if (status.margin_mode == MarginMode::isolated) status.source = MarginModeSource::market_setting;
    for (const engine::PositionRow& row : engine.positions(account))
      if (row.market == *market) status.source = MarginModeSource::open_position;
  });
  return status;
}

class MarginHandlers {
 public:
  explicit MarginHandlers(VenueAccess venue) : venue_(venue) {}

  Answer<ops::SetLeverage> set_leverage(RequestContext& context, const LeverageRequest& request) const {
    const auto market = SVC_TRY(venue_.market(request.market_id));
    const auto applied = venue_.submit(
        context, engine::SetLeverage{.account = context.account(), .market = market, .leverage = request.leverage});
    if (!applied && applied.error().code == ErrorCode::invalid_leverage)
      return unexpected(ApiError(ErrorCode::invalid_leverage,
                                 "leverage is a whole number from 1 to " +
                                     std::to_string(engine::leverage_ceiling(venue_.markets.spec(market)))));
    if (!applied) return unexpected(applied.error());
    return LeverageResponse{.market_id = request.market_id.text, .leverage = request.leverage};
  }

  Answer<ops::GetMarginMode> get_mode(RequestContext& context, const GetMarginModeRequest& request) const {
    if (!request.market_id) return mode_status(venue_, context.account(), std::nullopt);
    const auto market = SVC_TRY(venue_.market(*request.market_id));
    return mode_status(venue_, context.account(), market);
  }

  Answer<ops::SetMarginMode> set_mode(RequestContext& context, const SetMarginModeRequest& request) const {
    const auto market = SVC_TRY(venue_.market(request.market_id));
    SVC_TRY(venue_.submit(
        context,
        engine::SetMarginMode{.account = context.account(), .market = market, .mode = mode_of(request.margin_mode)}));
    return mode_status(venue_, context.account(), market);
  }

  Answer<ops::AdjustMargin> adjust(RequestContext& context, const AdjustMarginRequest& request) const {
    const auto market = SVC_TRY(venue_.market(request.market_id));
    const auto amount = SVC_TRY(positive_amount(request.amount));
    const auto direction =
        request.direction == MarginDirection::add ? engine::MarginDirection::add : engine::MarginDirection::remove;
    const auto applied = SVC_TRY(venue_.submit(
        context, engine::AdjustMargin{
                     .account = context.account(), .market = market, .amount = amount, .direction = direction}));
    // Moving margin between buckets leaves the collateral as it is, so reading it afterwards is exact.
    const Usdx collateral = venue_.sequencer.read(
        [&](const engine::Engine& engine, TimestampMs) { return engine.account(context.account()).collateral; });
    return AdjustMarginResponse{.market_id = request.market_id.text,
                                .allocated_margin = usdx_text(applied.outcome.amount),
                                .collateral = usdx_text(collateral)};
  }

 private:
  VenueAccess venue_;
};

}  // namespace

void bind_margin(NetworkInstance& network, const VenueAccess& venue) {
  const auto handlers = std::make_shared<const MarginHandlers>(venue);
  const auto bind = [&]<class Op>(auto method) {
    network.handlers.bind<Op>([handlers, method](RequestContext& context, const typename Op::Request& request) {
      return (*handlers.*method)(context, request);
    });
  };
  bind.operator()<ops::SetLeverage>(&MarginHandlers::set_leverage);
  bind.operator()<ops::GetMarginMode>(&MarginHandlers::get_mode);
  bind.operator()<ops::SetMarginMode>(&MarginHandlers::set_mode);
  bind.operator()<ops::AdjustMargin>(&MarginHandlers::adjust);
}

}  // namespace svc::sim
