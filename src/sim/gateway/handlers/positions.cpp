// Open and closed positions; leverage, margin mode and the margin of isolated positions.
#include "api/contract/positions.h"
#include "api/contract/margin.h"
#include "sim/engine/position.h"
#include "sim/gateway/handlers/records.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

Usdx magnitude(Usdx cost) {
  return cost < Usdx{} ? -cost : cost;
}

api::PositionSide side_of(Lots size) {
  return size > Lots{} ? api::PositionSide::long_side : api::PositionSide::short_side;
}

}  // namespace

api::Position position_record(const MarketTable& markets, const engine::PositionRow& row) {
  const engine::MarketSpec& spec = markets.spec(row.market);
  api::Position record;
  record.market_id = spec.id;
  record.side = side_of(row.size);
  record.size = lots_text(spec, engine::magnitude(row.size));
  record.entry_price = average_price_text(spec, magnitude(row.cost).value, engine::magnitude(row.size).value);
  record.unrealized_pnl = usdx_text(row.unrealized_pnl);
  record.realized_pnl = usdx_text(row.realized_pnl);
  if (row.liquidation_price) record.liquidation_price = price_text(spec, *row.liquidation_price);
  record.leverage = api::NumberText(std::to_string(row.leverage));
  record.notional_value = usdx_text(row.notional);
  record.margin_used = usdx_text(row.initial_margin);
  if (row.initial_margin == Usdx{})
    record.roe_error = "margin_used_zero";
  else
    record.roe = api::DecimalText(ratio_text(row.unrealized_pnl, row.initial_margin));
  record.max_leverage = static_cast<std::uint32_t>(spec.max_leverage);
  record.funding_paid = usdx_text(-row.funding);
  record.margin_mode = row.mode;
  if (row.mode == engine::MarginMode::isolated) record.allocated_margin = usdx_text(row.isolated);
  return record;
}

std::vector<api::Position> position_records(const MarketTable& markets, const std::vector<engine::PositionRow>& rows) {
  std::vector<api::Position> records;
  records.reserve(rows.size());
  for (const engine::PositionRow& row : rows) records.push_back(position_record(markets, row));
  return records;
}

api::ClosedPosition closed_position_record(const MarketTable& markets, const engine::PositionClosed& closed) {
  const engine::MarketSpec& spec = markets.spec(closed.market);
  return {.market_id = spec.id,
          .side = closed.side == engine::Side::buy ? api::PositionSide::long_side : api::PositionSide::short_side,
          .size = lots_text(spec, closed.size),
          .entry_price = average_price_text(spec, closed.entry_quote, closed.entry_lots),
          .exit_price = average_price_text(spec, closed.exit_quote, closed.exit_lots),
          .realized_pnl = usdx_text(closed.realized_pnl),
          .closed_at_ms = closed.closed_ms};
}

namespace {

using namespace api;

PositionPnl position_pnl_record(const MarketTable& markets, const engine::PositionRow& row) {
  const engine::MarketSpec& spec = markets.spec(row.market);
  const Usdx price = row.realized_pnl + row.unrealized_pnl;
  const Usdx total = price + row.funding - row.fees;
  return {.market_id = spec.id,
          .side = side_of(row.size),
          .size = lots_text(spec, engine::magnitude(row.size)),
          .entry_price = average_price_text(spec, magnitude(row.cost).value, engine::magnitude(row.size).value),
          .mark_price = price_text(spec, row.mark),
          .price_pnl = usdx_text(price),
          .funding_pnl = usdx_text(row.funding),
          .fee_pnl = usdx_text(-row.fees),
          .total_pnl = usdx_text(total)};
}

// Binds a list over the caller's open positions: record(markets, row) of each.
template <class Op, class F>
void bind_positions_as(HandlerTable& handlers, F record) {
  handlers.bind<Op>([record](const RequestContext& context, const Empty&) {
    const auto rows = context.venue().sequencer.read(
        [&](const engine::Engine& engine, TimestampMs) { return engine.positions(context.account()); });
    return list_of(rows, [&](const engine::PositionRow& row) { return record(context.venue().markets, row); });
  });
}

// Accounts start in cross mode everywhere; the mode is set per market. (D-267)
MarginModeStatus mode_status(const RequestContext& context, engine::MarketIndex market) {
  MarginModeStatus status;
  status.market_id = context.venue().markets.spec(market).id;
  context.venue().sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    const engine::MarginTerms settings = engine.settings(context.account(), market);
    status.margin_mode = settings.mode;
    status.leverage = static_cast<std::uint32_t>(settings.leverage);
    if (status.margin_mode == MarginMode::isolated) status.source = MarginModeSource::market_setting;
    for (const engine::PositionRow& row : engine.positions(context.account()))
      if (row.market == market) status.source = MarginModeSource::open_position;
  });
  return status;
}

Answer<ops::SetLeverage> set_leverage(RequestContext& context, const LeverageRequest& request) {
  const VenueAccess& venue = context.venue();
  const auto market = SVC_TRY(venue.market(request.market_id));
  auto applied = submit(
      context, engine::SetLeverage{.account = context.account(), .market = market, .leverage = request.leverage});
  if (!applied && applied.error().code == ErrorCode::invalid_leverage)
    return refused(
        ErrorCode::invalid_leverage,
        "leverage is a whole number from 1 to " + std::to_string(engine::leverage_ceiling(venue.markets.spec(market))));
  SVC_TRY(std::move(applied));
  return LeverageResponse{.market_id = request.market_id.text, .leverage = request.leverage};
}

Answer<ops::GetMarginMode> get_margin_mode(RequestContext& context, const GetMarginModeRequest& request) {
  const auto market = SVC_TRY(context.venue().market_if_named(request.market_id));
  return market ? mode_status(context, *market) : MarginModeStatus{};
}

Answer<ops::SetMarginMode> set_margin_mode(RequestContext& context, const SetMarginModeRequest& request) {
  const auto market = SVC_TRY(context.venue().market(request.market_id));
  SVC_TRY(submit(context,
                 engine::SetMarginMode{.account = context.account(), .market = market, .mode = request.margin_mode}));
  return mode_status(context, market);
}

Answer<ops::AdjustMargin> adjust_margin(RequestContext& context, const AdjustMarginRequest& request) {
  const VenueAccess& venue = context.venue();
  const auto market = SVC_TRY(venue.market(request.market_id));
  const auto amount = SVC_TRY(positive_amount(request.amount));
  const auto applied = SVC_TRY(submit(
      context, engine::AdjustMargin{
                   .account = context.account(), .market = market, .amount = amount, .direction = request.direction}));
  // Moving margin between buckets does not change the collateral, so reading it afterwards is exact.
  const Usdx collateral = venue.sequencer.read(
      [&](const engine::Engine& engine, TimestampMs) { return engine.account(context.account()).collateral; });
  return AdjustMarginResponse{.market_id = request.market_id.text,
                              .allocated_margin = usdx_text(applied.outcome.amount),
                              .collateral = usdx_text(collateral)};
}

}  // namespace

void bind_positions(HandlerTable& handlers) {
  bind_positions_as<ops::ListPositions>(handlers, position_record);
  bind_positions_as<ops::ListPositionPnl>(handlers, position_pnl_record);
  handlers.bind<ops::ListClosedPositions>([](const auto& on) {
    return page_of(on.own().closed_positions(), on.request,
                   [&](const auto& closed) { return closed_position_record(on.venue.markets, closed); });
  });
  handlers.bind_all(set_leverage, get_margin_mode, set_margin_mode, adjust_margin);
}

}  // namespace svc::sim
