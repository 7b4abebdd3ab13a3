#include "sim/gateway/handlers/position_translation.h"

#include "sim/gateway/handlers/amounts.h"

namespace svc::sim {
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
  record.realized_pnl = usdx_text(row.totals.realized_pnl);
  if (row.liquidation_price) record.liquidation_price = price_text(spec, *row.liquidation_price);
  record.leverage = api::NumberText(std::to_string(row.leverage));
  record.notional_value = usdx_text(row.notional);
  record.margin_used = usdx_text(row.initial_margin);
  if (row.initial_margin == Usdx{})
    record.roe_error = "margin_used_zero";
  else
    record.roe = api::DecimalText(ratio_text(row.unrealized_pnl, row.initial_margin));
  record.max_leverage = static_cast<std::uint32_t>(spec.max_leverage);
  record.funding_paid = usdx_text(-row.totals.funding);
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
  const Usdx price = row.totals.realized_pnl + row.unrealized_pnl;
  const Usdx total = price + row.totals.funding - row.totals.fees;
  return {.market_id = spec.id,
          .side = side_of(row.size),
          .size = lots_text(spec, magnitude(row.size)),
          .entry_price = average_price_text(spec, magnitude(row.cost), magnitude(row.size)),
          .mark_price = price_text(spec, row.mark),
          .price_pnl = usdx_text(price),
          .funding_pnl = usdx_text(row.totals.funding),
          .fee_pnl = usdx_text(-row.totals.fees),
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

}  // namespace svc::sim
