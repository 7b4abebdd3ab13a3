#include "sim/gateway/handlers/market_translation.h"

#include "base/decimal.h"
#include "base/limits.h"
#include "base/utc_text.h"
#include "base/uuid.h"
#include "sim/gateway/handlers/amounts.h"

namespace svc::sim {
namespace {

using api::NumberText;

NumberText price_number(const engine::MarketSpec& spec, Ticks price) {
  return NumberText(engine::format_price(spec, price));
}

NumberText lots_number(const engine::MarketSpec& spec, i128 lots) {
  return NumberText(decimal_text(lots * spec.lot_size.coefficient, spec.lot_size.scale));
}

api::MarketState state_of(const MarketView& view) {
  // A delisted market trades no more: to a client that is a halt without end.
  return view.status() == engine::MarketStatus::active ? api::MarketState::active : api::MarketState::halted;
}

std::optional<std::string> halt_reason(const MarketView& view) {
  if (view.status() == engine::MarketStatus::active) return std::nullopt;
  if (view.last_status().reason == engine::HaltReason::adl_exhausted) return "adl_exhausted";
  if (!view.last_status().operator_reason.empty()) return view.last_status().operator_reason;
  return view.status() == engine::MarketStatus::delisted ? "delisted" : "operator_halt";
}

std::optional<TimestampMs> halted_at(const MarketView& view) {
  if (view.status() == engine::MarketStatus::active) return std::nullopt;
  return view.last_status().halted_ms;
}

// The change of a day in per cent of its opening price, to six digits.
NumberText percentage(Ticks open, Ticks close) {
  const i128 scaled = static_cast<i128>(close.value - open.value) * 100 * usdx_one;
  return NumberText(decimal_text(div_round(scaled, open.value, Rounding::half_up), usdx_decimals));
}

template <class Levels>
std::vector<api::PriceLevel> level_records(const engine::MarketSpec& spec, const Levels& levels) {
  std::vector<api::PriceLevel> records;
  records.reserve(std::min(levels.size(), limits::book_levels_max));
  for (const auto& [price, level] : levels) {
    if (records.size() == limits::book_levels_max) break;
    records.push_back({.price = price_number(spec, price), .amount = lots_number(spec, level.quantity.value)});
  }
  return records;
}

}  // namespace

api::Market market_record(const engine::MarketSpec& spec) {
  return {.market_id = spec.id,
          .base_asset = spec.base_asset,
          .quote_asset = spec.quote_asset,
          .tick_size = api::DecimalText(format_decimal(spec.tick_size)),
          .lot_size = api::DecimalText(format_decimal(spec.lot_size)),
          .min_order_size = lots_text(spec, spec.min_order_size),
          .max_order_size = lots_text(spec, spec.max_order_size),
          .initial_margin_rate = rate_text(spec.tiers.front().imr),
          .maintenance_margin_rate = rate_text(spec.tiers.front().mmr),
          .max_leverage = static_cast<std::uint32_t>(spec.max_leverage),
          .funding_rate_cap = api::DecimalText(format_scaled(spec.funding_rate_cap.value, 9))};
}

api::MarketRiskParams risk_params_record(const engine::MarketSpec& spec) {
  return {.market_id = spec.id,
          .max_leverage = static_cast<std::uint32_t>(spec.max_leverage),
          .initial_margin_rate = rate_text(spec.tiers.front().imr),
          .maintenance_margin_rate = rate_text(spec.tiers.front().mmr)};
}

api::MarketStatus status_record(const engine::MarketSpec& spec, const MarketView& view) {
  return {.market_id = spec.id,
          .status = state_of(view),
          .halt_reason = halt_reason(view),
          .halted_at = halted_at(view),
          .adl_event_count = view.adl_event_count()};
}

api::MarketSummary summary_record(const engine::MarketSpec& spec, const MarketView& view) {
  api::MarketSummary record;
  record.market_id = spec.id;
  if (view.last()) record.last_trade_price = price_number(spec, *view.last());
  record.volume_24h = NumberText(decimal_text(view.ever().quote, usdx_decimals));  // cumulative (D-703)
  record.trade_count = view.ever().trades;
  record.status = state_of(view);
  record.halt_reason = halt_reason(view);
  record.halted_at = halted_at(view);
  record.adl_event_count = view.adl_event_count();
  record.tick_size = api::DecimalText(format_decimal(spec.tick_size));
  record.lot_size = api::DecimalText(format_decimal(spec.lot_size));
  record.min_order_size = lots_text(spec, spec.min_order_size);
  if (view.mark()) record.engine_mark_price = price_text(spec, *view.mark());
  return record;
}

api::Ticker ticker_record(const engine::MarketSpec& spec, const MarketView& view, TimestampMs now_ms) {
  api::Ticker record;
  record.symbol = spec.id;
  record.timestamp = now_ms;
  record.datetime = utc_text(now_ms);
  if (!view.bids().empty()) {
    record.bid = price_number(spec, view.bids().begin()->first);
    record.bid_volume = lots_number(spec, view.bids().begin()->second.quantity.value);
  }
  if (!view.asks().empty()) {
    record.ask = price_number(spec, view.asks().begin()->first);
    record.ask_volume = lots_number(spec, view.asks().begin()->second.quantity.value);
  }
  const TradedRange day = view.last_day(now_ms);
  if (day.trades > 0) {
    record.open = price_number(spec, day.open);
    record.high = price_number(spec, day.high);
    record.low = price_number(spec, day.low);
    record.change = price_number(spec, day.close - day.open);
    record.percentage = percentage(day.open, day.close);
  }
  if (view.last()) record.close = record.last = price_number(spec, *view.last());
  record.base_volume = lots_number(spec, day.base_lots);
  record.quote_volume = NumberText(decimal_text(day.quote, usdx_decimals));
  if (view.mark())
    record.mark_price = price_number(spec, *view.mark());
  else
    record.mark_price = record.last;
  if (view.index()) record.index_price = price_number(spec, *view.index());
  return record;
}

api::OrderBook order_book_record(const engine::MarketSpec& spec, const MarketView& view, TimestampMs now_ms) {
  return {.symbol = spec.id,
          .bids = level_records(spec, view.bids()),
          .asks = level_records(spec, view.asks()),
          .timestamp = now_ms,
          .datetime = utc_text(now_ms),
          .nonce = view.book_nonce()};
}

api::Trade trade_record(const engine::MarketSpec& spec, const PublicTrade& row) {
  const engine::Trade& trade = row.trade;
  return {.id = make_uuid(UuidKind::trade, trade.id.value),
          .symbol = spec.id,
          .price = price_number(spec, trade.price),
          .amount = lots_number(spec, trade.quantity.value),
          .cost = NumberText(format_usdx(trade.quote)),
          .side = trade.taker_side == engine::Side::buy ? api::Side::buy : api::Side::sell,
          .timestamp = row.at_ms,
          .datetime = utc_text(row.at_ms),
          .taker_or_maker = std::nullopt,
          .is_liquidation = trade.is_liquidation,
          .info = {}};
}

api::Candle candle_record(const engine::MarketSpec& spec, const MarketCandle& candle) {
  return {.open_time = candle.open_ms,
          .open = price_number(spec, candle.range.open),
          .high = price_number(spec, candle.range.high),
          .low = price_number(spec, candle.range.low),
          .close = price_number(spec, candle.range.close),
          .volume = lots_number(spec, candle.range.base_lots)};
}

api::FundingSample funding_rate_record(const engine::MarketSpec& spec, const SettledFunding& row) {
  return {.timestamp = row.at_ms,
          .funding_rate = ppb_text(row.settled.rate),
          .premium_index = ppb_text(row.settled.average_premium),
          .mark_price = price_text(spec, row.settled.mark),
          .oracle_price = price_text(spec, row.settled.index)};
}

api::AdlEventRecord adl_record(const engine::MarketSpec& spec, const AdlEvent& row) {
  api::AdlEventRecord record;
  record.market_id = spec.id;
  record.target_account = row.event.target;
  record.bankruptcy_price = average_price_text(spec, row.event.bankruptcy_quote, row.event.bankruptcy_lots);
  record.bad_debt_absorbed_by_fund = usdx_text(row.event.absorbed_by_fund);
  for (const engine::AdlClosure& closure : row.event.closures)
    record.counterparty_closures.push_back({.account_id = closure.account,
                                            .position_closed = lots_text(spec, closure.quantity),
                                            .settlement_amount = usdx_text(closure.settlement_amount)});
  record.sequence = row.event.number;
  record.timestamp = row.at_ms;
  return record;
}

}  // namespace svc::sim
