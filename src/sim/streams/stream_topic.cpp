#include "sim/streams/stream_topic.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "api/codec.h"
#include "api/contract/account.h"
#include "api/contract/streams.h"
#include "api/json_text.h"
#include "base/assert.h"
#include "base/limits.h"
#include "sim/gateway/handlers/records.h"

namespace svc::sim {

void StreamTopic::remember(const Stamp& stamp, StreamContent content) {
  kept_.push_back({seq_, stamp, std::move(content)});
  if (kept_.size() > replay_max_) kept_.pop_front();
}

void StreamTopic::forget() {
  kept_.clear();
  advance();
}

std::optional<std::uint64_t> StreamTopic::oldest() const {
  if (kept_.empty()) return std::nullopt;
  return kept_.front().seq;
}

bool StreamTopic::can_resume(std::uint64_t since) const {
  if (since == seq_) return true;
  return since < seq_ && !kept_.empty() && kept_.front().seq <= since + 1;
}

std::deque<StreamEntry>::const_iterator StreamTopic::after(std::uint64_t since) const {
  SVC_ASSERT(can_resume(since));
  return kept_.end() - static_cast<std::ptrdiff_t>(seq_ - since);
}

void StreamTopic::leave(const Subscription& subscription) {
  const auto found = std::ranges::find(readers_, &subscription);
  SVC_ASSERT(found != readers_.end());
  *found = readers_.back();
  readers_.pop_back();
}

bool StreamTopic::add_frame(std::string_view payload) {
  const bool first = frames_.empty();
  append_text_frame(frames_, payload);
  frame_ends_.push_back(frames_.size());
  return first;
}

void StreamTopic::flush() {
  const StreamBatch batch{.bytes = std::make_shared<const std::string>(std::exchange(frames_, {})),
                          .ends = frame_ends_};
  // Backwards: a reader that leaves is replaced by one already served.
  for (std::size_t i = readers_.size(); i-- > 0;) readers_[i]->reader->deliver(*readers_[i], batch);
  frame_ends_.clear();
}

void StreamTopic::report_lost() {
  for (std::size_t i = readers_.size(); i-- > 0;) readers_[i]->reader->events_lost(*readers_[i]);
}

std::vector<BucketHealth> buckets_of(const engine::AccountFigures& figures, std::span<const engine::PositionRow> rows) {
  BucketHealth cross{.market = std::nullopt, .equity = figures.balance.value, .maintenance = 0};
  std::vector<BucketHealth> buckets;
  bool has_cross = false;
  for (const engine::PositionRow& row : rows) {
    if (row.mode == engine::MarginMode::isolated) {
      buckets.push_back({.market = row.market,
                         .equity = static_cast<i128>(row.isolated.value) + row.unrealized_pnl.value,
                         .maintenance = row.maintenance_margin.value});
      continue;
    }
    has_cross = true;
    cross.equity += row.unrealized_pnl.value;
    cross.maintenance += row.maintenance_margin.value;
  }
  if (has_cross) buckets.insert(buckets.begin(), cross);
  return buckets;
}

std::optional<api::AlertSeverity> severity_of(const BucketHealth& health) {
  if (health.maintenance == 0 || 2 * health.equity > 3 * health.maintenance) return std::nullopt;
  if (5 * health.equity > 6 * health.maintenance) return api::AlertSeverity::warning;
  if (20 * health.equity > 21 * health.maintenance) return api::AlertSeverity::critical;
  return api::AlertSeverity::imminent;
}

std::vector<AlertBands::Alert> AlertBands::update(std::span<const BucketHealth> buckets) {
  std::vector<Alert> alerts;
  std::map<std::optional<engine::MarketIndex>, api::AlertSeverity> now;
  for (const BucketHealth& health : buckets) {
    const auto severity = severity_of(health);
    if (!severity) continue;
    const auto before = bands_.find(health.market);
    const bool worse = before == bands_.end() || *severity > before->second;
    if (worse && looked_) alerts.push_back({health, *severity});
    now.emplace(health.market, *severity);
  }
  bands_ = std::move(now);
  looked_ = true;
  return alerts;
}

void LiquidationGatherer::close(const Stamp& stamp, const Address& account, engine::Side side,
                                const ForcedClosure& part) {
  Gathered& gathered = by_account_[account];
  gathered.stamp = stamp;
  ForcedClosure& closure = gathered.closures[part.market];
  closure.market = part.market;
  closure.lots += part.lots;
  closure.quote += part.quote;
  closure.amount += part.amount;
  const i128 unit = engine::quote_unit(markets_.spec(part.market));
  const i128 at_mark = unit * marks_[part.market.value].value * part.lots.value;
  gathered.effect += engine::sign(side) * (at_mark - part.quote.value);
}

void LiquidationGatherer::fold(const Stamp& stamp, const engine::Fill& event) {
  if (!event.is_liquidation || event.is_maker) return;
  close(stamp, event.account, event.side,
        {.market = event.market,
         .lots = event.quantity,
         .quote = event.quote,
         .amount = event.realized_pnl - event.liquidation_fee});
  by_account_[event.account].effect -= event.liquidation_fee.value;
}

void LiquidationGatherer::fold(const Stamp& stamp, const engine::InsuranceChanged& event) {
  if (event.cause != engine::FundCause::shortfall && event.cause != engine::FundCause::bad_debt) return;
  Gathered& gathered = by_account_[event.account];
  gathered.stamp = stamp;
  gathered.effect -= event.delta.value;
}

// A position is transferred at the bankruptcy price, free of fees.
void LiquidationGatherer::fold(const Stamp& stamp, const engine::Deleveraged& event) {
  Lots lots{};
  for (const engine::AdlClosure& closed : event.closures) lots += closed.quantity;
  if (lots == Lots{} || event.bankruptcy_lots == Lots{}) return;
  const Usdx quote{mul_div(event.bankruptcy_quote.value, lots.value, event.bankruptcy_lots.value, Rounding::half_up)};
  close(stamp, event.target, engine::opposite(event.target_side),
        {.market = event.market, .lots = lots, .quote = quote, .amount = event.realized});
}

std::vector<Liquidation> LiquidationGatherer::take() {
  std::vector<Liquidation> all;
  for (auto& [account, gathered] : by_account_) {
    if (gathered.closures.empty()) continue;
    Liquidation& liquidation = all.emplace_back();
    liquidation.stamp = gathered.stamp;
    liquidation.account = account;
    liquidation.effect = gathered.effect;
    for (const auto& [market, closed] : gathered.closures) liquidation.closures.push_back(closed);
  }
  by_account_.clear();
  return all;
}

namespace {

StreamTopic topic(api::StreamChannel channel, std::uint64_t base) {
  const api::StreamChannelInfo& info = api::info_of(channel);
  return StreamTopic({.channel = std::string(info.name), .market = {}, .interval = {}, .resume = info.resume},
                     limits::stream_account_replay_events_max, base);
}

}  // namespace

AccountTopics::AccountTopics(const Address& owner, std::uint64_t base)
    : account(owner),
      orders(topic(api::StreamChannel::orders, base)),
      fills(topic(api::StreamChannel::fills, base)),
      positions(topic(api::StreamChannel::positions, base)),
      balances(topic(api::StreamChannel::balances, base)),
      liquidations(topic(api::StreamChannel::liquidations, base)) {}

bool AccountTopics::heard() {
  return std::ranges::any_of(all(), [](const StreamTopic* each) { return each->heard(); });
}

namespace {

using api::Resume;
using api::StreamChannel;

static_assert(std::size(api::timeframe_texts) == candle_lengths_ms.size(), "a length for each timeframe");

StreamTopic topic(StreamChannel channel, const std::string& market, std::uint64_t base) {
  const api::StreamChannelInfo& info = api::info_of(channel);
  return StreamTopic({.channel = std::string(info.name), .market = market, .interval = {}, .resume = info.resume},
                     limits::stream_replay_events_max, base);
}

StreamTopic candle_topic(std::size_t timeframe, const std::string& market, std::uint64_t base) {
  const api::StreamChannelInfo& info = api::info_of(StreamChannel::candles);
  return StreamTopic({.channel = std::string(info.name),
                      .market = market,
                      .interval = std::string(api::timeframe_texts[timeframe]),
                      .resume = info.resume},
                     limits::stream_replay_events_max, base);
}

// Public topics have no replay.
StreamTopic public_topic(const char* channel, const std::string& market, Resume resume) {
  return StreamTopic({.channel = channel, .market = market, .interval = {}, .resume = resume}, 0, 0);
}

}  // namespace

MarketTopics::MarketTopics(engine::MarketIndex index, const std::string& id, std::uint64_t base)
    : market(index),
      trades(topic(StreamChannel::trades, id, base)),
      book(topic(StreamChannel::book, id, base)),
      ticker(topic(StreamChannel::ticker, id, base)),
      candles{candle_topic(0, id, base), candle_topic(1, id, base), candle_topic(2, id, base),
              candle_topic(3, id, base)},
      public_trades(public_topic("trades:", id, Resume::replayed)),
      public_book(public_topic("book:", id, Resume::conflated)),
      public_status(public_topic("market_status:", id, Resume::replayed)) {}

void MarketTopics::take_candles(const MarketView& view, TimestampMs now_ms) {
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const auto latest = view.candles().read(i, {.from_ms = {}, .until_ms = now_ms, .limit = 1});
    running_[i] = latest.empty() ? MarketCandle{} : latest.back();
  }
}

const MarketCandle& MarketTopics::add(std::size_t timeframe, TimestampMs at_ms, const TradedRange& trade) {
  MarketCandle& candle = running_[timeframe];
  const TimestampMs open_ms = at_ms - at_ms % candle_lengths_ms[timeframe];
  if (candle.open_ms != open_ms) candle = {.open_ms = open_ms, .range = {}};
  candle.range.merge(trade);
  return candle;
}

std::array<StreamTopic*, 10> MarketTopics::all() {
  return {&trades,     &book,       &ticker,        &candles[0],  &candles[1],
          &candles[2], &candles[3], &public_trades, &public_book, &public_status};
}

namespace {

// Everything before the sequence. Names, intervals and market ids need no escaping.
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

// For display: an amount out of range becomes the nearest representable one.
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
  position.margin_mode = mode;
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

// RFC 6455, section 5.2.
void append_text_frame(std::string& out, std::string_view payload) {
  constexpr char whole_text = '\x81';
  constexpr std::size_t short_max = 125;
  constexpr std::size_t medium_max = 0xffff;
  const std::size_t size = payload.size();
  const auto append_size = [&](int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
      out += static_cast<char>(static_cast<std::uint8_t>(static_cast<std::uint64_t>(size) >> shift));
  };
  out += whole_text;
  if (size <= short_max) {
    append_size(1);
  } else if (size <= medium_max) {
    out += static_cast<char>(126);
    append_size(2);
  } else {
    out += static_cast<char>(127);
    append_size(8);
  }
  out.append(payload);
}

}  // namespace svc::sim
