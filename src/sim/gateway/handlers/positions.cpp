// Open and closed positions.
#include "sim/gateway/handlers/positions.h"

#include "api/contract/margin.h"
#include "api/contract/positions.h"
#include "sim/gateway/handlers/funds.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {

using namespace api;

void bind_positions(NetworkInstance& network, const VenueAccess& venue) {
  network.handlers.bind<ops::ListPositions>(
      [venue](RequestContext& context, const Empty&) -> Answer<ops::ListPositions> {
        const auto rows = venue.sequencer.read(
            [&](const engine::Engine& engine, TimestampMs) { return engine.positions(context.account()); });
        return List<Position>{position_records(venue.markets, rows)};
      });

  network.handlers.bind<ops::ListPositionPnl>(
      [venue](RequestContext& context, const Empty&) -> Answer<ops::ListPositionPnl> {
        const auto rows = venue.sequencer.read(
            [&](const engine::Engine& engine, TimestampMs) { return engine.positions(context.account()); });
        List<PositionPnl> list;
        for (const engine::PositionRow& row : rows)
          list.rows.push_back(position_pnl_record(venue.markets.spec(row.market), row));
        return list;
      });

  network.handlers.bind<ops::ListClosedPositions>(
      [venue](RequestContext& context, const ClosedPositionsRequest& request) -> Answer<ops::ListClosedPositions> {
        return venue.views.read([&](const VenueView& view) {
          const auto page =
              view.account(context.account()).closed_positions().page(parse_cursor(request.cursor), request.limit);
          Page<ClosedPosition> records;
          for (const engine::PositionClosed* closed : page.rows)
            records.rows.push_back(closed_position_record(venue.markets.spec(closed->market), *closed));
          if (page.next) records.next_cursor = cursor_text(*page.next);
          return records;
        });
      });
}

namespace {

Lots magnitude(Lots size) {
  return size < Lots{} ? -size : size;
}
Usdx magnitude(Usdx cost) {
  return cost < Usdx{} ? -cost : cost;
}

api::PositionSide side_of(Lots size) {
  return size > Lots{} ? api::PositionSide::long_side : api::PositionSide::short_side;
}

}  // namespace

api::MarginMode wire_mode(engine::MarginMode mode) {
  return mode == engine::MarginMode::cross ? api::MarginMode::cross : api::MarginMode::isolated;
}

api::Position position_record(const engine::MarketSpec& spec, const engine::PositionRow& row) {
  api::Position record;
  record.market_id = spec.id;
  record.side = side_of(row.size);
  record.size = lots_text(spec, magnitude(row.size));
  record.entry_price = average_price_text(spec, magnitude(row.cost), magnitude(row.size));
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
  record.margin_mode = wire_mode(row.mode);
  if (row.mode == engine::MarginMode::isolated) record.allocated_margin = usdx_text(row.isolated);
  return record;
}

std::vector<api::Position> position_records(const MarketTable& markets, const std::vector<engine::PositionRow>& rows) {
  std::vector<api::Position> records;
  records.reserve(rows.size());
  for (const engine::PositionRow& row : rows) records.push_back(position_record(markets.spec(row.market), row));
  return records;
}

api::PositionPnl position_pnl_record(const engine::MarketSpec& spec, const engine::PositionRow& row) {
  const Usdx price = row.realized_pnl + row.unrealized_pnl;
  const Usdx total = price + row.funding - row.fees;
  return {.market_id = spec.id,
          .side = side_of(row.size),
          .size = lots_text(spec, magnitude(row.size)),
          .entry_price = average_price_text(spec, magnitude(row.cost), magnitude(row.size)),
          .mark_price = price_text(spec, row.mark),
          .price_pnl = usdx_text(price),
          .funding_pnl = usdx_text(row.funding),
          .fee_pnl = usdx_text(-row.fees),
          .total_pnl = usdx_text(total)};
}

api::ClosedPosition closed_position_record(const engine::MarketSpec& spec, const engine::PositionClosed& closed) {
  return {.market_id = spec.id,
          .side = closed.side == engine::Side::buy ? api::PositionSide::long_side : api::PositionSide::short_side,
          .size = lots_text(spec, closed.size),
          .entry_price = average_price_text(spec, closed.entry_quote, closed.entry_lots),
          .exit_price = average_price_text(spec, closed.exit_quote, closed.exit_lots),
          .realized_pnl = usdx_text(closed.realized_pnl),
          .closed_at_ms = closed.closed_ms};
}

api::AccountFunding funding_record(const engine::MarketSpec& spec, const FundingPayment& payment) {
  const engine::FundingPaid& paid = payment.paid;
  return {.market_id = spec.id,
          .amount = usdx_text(paid.amount),
          .direction = paid.amount < Usdx{} ? api::FundingDirection::paid : api::FundingDirection::received,
          .funding_rate = ppb_text(paid.rate),
          .position_size = lots_text(spec, paid.position),
          .timestamp = payment.at_ms};
}

api::AccountPortfolioSummary portfolio_record(const engine::AccountFigures& figures, const AccountDay& day) {
  return {.collateral = usdx_text(figures.collateral),
          .total_equity = usdx_text(figures.equity),
          .total_unrealized_pnl = usdx_text(figures.unrealized_pnl),
          .total_realized_pnl_24h = usdx_text(day.realized_pnl),
          .total_volume_24h = usdx_text(day.volume),
          .open_positions_count = figures.open_positions,
          .open_orders_count = figures.open_orders,
          .margin_used = usdx_text(figures.initial_margin),
          .available_margin = usdx_text(figures.available),
          .withdrawable = usdx_text(figures.withdrawable),
          .early_access_allowed = true};
}

// Leverage, margin mode and the margin of isolated positions.

namespace {

using namespace api;

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
        context, engine::SetMarginMode{.account = context.account(), .market = market, .mode = request.margin_mode}));
    return mode_status(venue_, context.account(), market);
  }

  Answer<ops::AdjustMargin> adjust(RequestContext& context, const AdjustMarginRequest& request) const {
    const auto market = SVC_TRY(venue_.market(request.market_id));
    const auto amount = SVC_TRY(positive_amount(request.amount));
    const auto applied = SVC_TRY(venue_.submit(
        context,
        engine::AdjustMargin{
            .account = context.account(), .market = market, .amount = amount, .direction = request.direction}));
    // Moving margin between buckets does not change the collateral, so reading it afterwards is exact.
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
