#include "sim/streams/event_text.h"

#include <algorithm>
#include <limits>

#include "api/codec.h"
#include "api/json_writer.h"
#include "api/records/account.h"
#include "api/records/stream_frames.h"
#include "base/assert.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/market_translation.h"
#include "sim/gateway/handlers/order_translation.h"
#include "sim/gateway/handlers/position_translation.h"

namespace svc::sim {
namespace {

// Everything before the sequence. Names and intervals are words; market ids need no escaping either.
std::string opening(const TopicLabel& label) {
  std::string text = R"({"op":"event","channel":")" + label.channel + R"(","market":)";
  text += label.market ? '"' + *label.market + '"' : "null";
  if (label.interval) text += R"(,"interval":")" + *label.interval + '"';
  return text += R"(,"seq":)";
}

api::OrdersPayload order_update(const engine::MarketSpec& spec, const engine::OrderRecord& order, const Stamp& stamp) {
  api::OrdersPayload payload;
  static_cast<api::Order&>(payload.update.order) = order_record(spec, order);
  payload.update.order.client_order_id = payload.update.order.client_id;
  payload.update.epoch = engine_epoch;
  payload.update.sequence = stamp.sequence.value;
  payload.update.emitted_at = stamp.at_ms;
  return payload;
}

// For display: an amount that does not fit becomes the nearest one that does.
Usdx saturated(i128 amount) {
  constexpr i128 high = std::numeric_limits<std::int64_t>::max();
  return {narrow(std::clamp(amount, -high, high))};
}

struct PayloadWriter {
  const MarketTable& markets;
  const Stamp& stamp;

  std::string operator()(const engine::Trade& trade) const {
    return api::to_json(trade_record(markets.spec(trade.market), {.trade = trade, .at_ms = stamp.at_ms}));
  }
  std::string operator()(const engine::OrderRecord& order) const {
    return api::to_json(order_update(markets.spec(order.market), order, stamp));
  }
  std::string operator()(const engine::Fill& fill) const {
    return api::to_json(fill_record(markets.spec(fill.market), {.fill = fill, .at_ms = stamp.at_ms}));
  }
  std::string operator()(const CandleEvent& event) const {
    return api::to_json(candle_record(markets.spec(event.market), event.candle));
  }
  std::string operator()(const std::string& text) const { return text; }
};

}  // namespace

std::string event_text(const TopicLabel& label, std::uint64_t seq, std::string_view payload, const Stamp& stamp) {
  std::string text = opening(label);
  text += std::to_string(seq);
  text.append(R"(,"payload":)").append(payload).append(R"(,"engine_envelope":)");
  api::encode_json(
      text, api::EngineEnvelope{.epoch = engine_epoch, .sequence = stamp.sequence.value, .emitted_at = stamp.at_ms});
  return text += '}';
}

std::string snapshot_text(const TopicLabel& label, std::uint64_t seq, std::string_view payload) {
  std::string text = opening(label);
  text += std::to_string(seq);
  return text.append(R"(,"snapshot":true,"payload":)").append(payload) += '}';
}

std::string payload_text(const MarketTable& markets, const StreamEntry& entry) {
  return std::visit(PayloadWriter{markets, entry.stamp}, entry.content);
}

std::string book_payload(const engine::MarketSpec& spec, const MarketView& view, TimestampMs now_ms) {
  return api::to_json(order_book_record(spec, view, now_ms));
}

std::string ticker_payload(const engine::MarketSpec& spec, const MarketView& view, TimestampMs now_ms) {
  return api::to_json(ticker_record(spec, view, now_ms));
}

std::string balances_payload(const MarketTable& markets, const engine::AccountFigures& figures,
                             const std::vector<engine::PositionRow>& rows) {
  return api::to_json(api::AccountSummary{.balance = usdx_text(figures.balance),
                                          .collateral = usdx_text(figures.collateral),
                                          .equity = usdx_text(figures.equity),
                                          .available_margin = usdx_text(figures.available),
                                          .positions = position_records(markets, rows)});
}

std::string position_payload(const engine::MarketSpec& spec, const engine::PositionRow& row) {
  return api::to_json(position_record(spec, row));
}

std::string flat_position_payload(const engine::MarketSpec& spec, engine::MarginMode mode,
                                  const engine::PositionClosed* closed) {
  api::Position position;
  position.market_id = spec.id;
  position.roe_error = "margin_used_zero";
  position.notional_value = api::DecimalText();
  position.margin_used = api::DecimalText();
  position.max_leverage = static_cast<std::uint32_t>(spec.max_leverage);
  position.margin_mode = wire_mode(mode);
  if (mode == engine::MarginMode::isolated) position.allocated_margin = api::DecimalText();
  if (closed != nullptr) {
    const api::ClosedPosition was = closed_position_record(spec, *closed);
    position.side = was.side;
    position.entry_price = was.entry_price;
    position.realized_pnl = was.realized_pnl;
    position.funding_paid = usdx_text(-closed->funding);
  }
  return api::to_json(position);
}

std::string alert_payload(const MarketTable& markets, const Address& account, const AlertBands::Alert& alert,
                          const Stamp& stamp) {
  api::LiquidationAlert record;
  record.account_id = account;
  if (alert.health.market) record.market_id = markets.spec(*alert.health.market).id;
  record.severity = alert.severity;
  record.equity = usdx_text(saturated(alert.health.equity));
  record.maintenance_margin = usdx_text(saturated(alert.health.maintenance));
  record.sequence = stamp.sequence.value;
  record.epoch = engine_epoch;
  record.emitted_at = stamp.at_ms;
  api::LiquidationsPayload payload;
  payload.alert = std::move(record);
  return api::to_json(payload);
}

std::string liquidation_payload(const MarketTable& markets, const Liquidation& liquidation, Usdx equity_after) {
  api::PortfolioLiquidation record;
  record.account_id = liquidation.account;
  for (const ForcedClosure& closed : liquidation.closures) {
    const engine::MarketSpec& spec = markets.spec(closed.market);
    record.closures.push_back({.market_id = spec.id,
                               .position_size_closed = lots_text(spec, closed.lots),
                               .settlement_price = average_price_text(spec, closed.quote, closed.lots),
                               .settlement_amount = usdx_text(closed.amount)});
  }
  record.equity_before = usdx_text(equity_after.value - liquidation.effect);
  record.equity_after = usdx_text(equity_after);
  record.sequence = liquidation.stamp.sequence.value;
  record.epoch = engine_epoch;
  record.emitted_at = liquidation.stamp.at_ms;
  api::LiquidationsPayload payload;
  payload.liquidation = std::move(record);
  return api::to_json(payload);
}

}  // namespace svc::sim
