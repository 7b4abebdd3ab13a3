#include "sim/streams/stream_topic.h"

#include <algorithm>

#include "api/codec.h"
#include "base/assert.h"
#include "base/limits.h"
#include "sim/streams/stream_connection.h"

namespace svc::sim {
namespace {

static_assert(std::size(api::timeframe_texts) == candle_lengths_ms.size(), "a length for each timeframe");

// A topic of a market or, without one, of an account.
StreamTopic new_topic(api::StreamChannel channel, std::optional<std::string> market = {},
                      std::optional<std::string> interval = {}, std::uint64_t seq = 0) {
  const api::StreamChannelInfo& info = api::info_of(channel);
  const std::size_t replay_max = market ? limits::stream_replay_events_max : limits::stream_account_replay_events_max;
  return StreamTopic({.channel = std::string(info.name),
                      .market = std::move(market),
                      .interval = std::move(interval),
                      .resume = info.resume},
                     replay_max, seq);
}

StreamTopic new_candle_topic(std::size_t timeframe, const std::string& market) {
  return new_topic(api::StreamChannel::candles, market, std::string(api::timeframe_texts[timeframe]));
}

// Public topics have no replay.
StreamTopic new_public_topic(const char* channel, const std::string& market, api::Resume resume) {
  return StreamTopic({.channel = channel, .market = market, .interval = {}, .resume = resume}, 0);
}

}  // namespace

// Names, intervals and market ids need no escaping.
std::string StreamTopic::opening() const {
  std::string text = R"({"op":"event","channel":")" + label_.channel + R"(","market":)";
  text += label_.market ? '"' + *label_.market + '"' : "null";
  if (label_.interval) text += R"(,"interval":")" + *label_.interval + '"';
  return text += R"(,"seq":)";
}

std::string StreamTopic::event_text(std::uint64_t seq, std::string_view payload, const Stamp& stamp) const {
  std::string text = opening() + std::to_string(seq);
  text.append(R"(,"payload":)").append(payload).append(R"(,"engine_envelope":)");
  api::encode_json(
      text, api::EngineEnvelope{.epoch = engine_epoch, .sequence = stamp.sequence.value, .emitted_at = stamp.at_ms});
  return text += '}';
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
  // Backwards: a reader that leaves is replaced by one already served. Readers are far apart in memory, and each is
  // needed for a moment only: the next ones are fetched meanwhile.
  constexpr std::size_t ahead = 4;
  for (std::size_t i = readers_.size(); i-- > 0;) {
    if (i >= 2 * ahead) __builtin_prefetch(readers_[i - 2 * ahead]);
    if (i >= ahead) readers_[i - ahead]->reader->prepare();
    readers_[i]->reader->deliver(*readers_[i], batch);
  }
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
    if (worse && watching_) alerts.push_back({health, *severity});
    now.emplace(health.market, *severity);
  }
  bands_ = std::move(now);
  watching_ = true;
  return alerts;
}

Liquidation& LiquidationGatherer::gathered(const Stamp& stamp, const Address& account) {
  Liquidation& liquidation = by_account_[account];
  liquidation.stamp = stamp;
  liquidation.account = account;
  return liquidation;
}

void LiquidationGatherer::close(const Stamp& stamp, const Address& account, engine::Side side,
                                const ForcedClosure& part) {
  Liquidation& liquidation = gathered(stamp, account);
  ForcedClosure& closure = liquidation.closures[part.market];
  closure.market = part.market;
  closure.lots += part.lots;
  closure.quote += part.quote;
  closure.amount += part.amount;
  const i128 unit = engine::quote_unit(markets_.spec(part.market));
  const i128 at_mark = unit * marks_[part.market.value].value * part.lots.value;
  liquidation.effect += engine::sign(side) * (at_mark - part.quote.value);
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
  gathered(stamp, event.account).effect -= event.delta.value;
}

// A position is transferred at the bankruptcy price, free of fees.
void LiquidationGatherer::fold(const Stamp& stamp, const engine::Deleveraged& event) {
  Lots lots{};
  for (const engine::AdlClosure& closed : event.closures) lots += closed.quantity;
  if (lots == Lots{}) return;
  close(stamp, event.target, engine::opposite(event.target_side),
        {.market = event.market, .lots = lots, .quote = event.quote, .amount = event.realized});
}

std::vector<Liquidation> LiquidationGatherer::take() {
  std::vector<Liquidation> all;
  for (auto& [account, liquidation] : by_account_)
    if (!liquidation.closures.empty()) all.push_back(std::move(liquidation));
  by_account_.clear();
  return all;
}

bool StreamNumbers::fits(std::size_t market_count) const {
  const auto leave_room = [](const auto& numbers) {
    return std::ranges::all_of(numbers, [](std::uint64_t seq) { return seq <= limits::counter_max; });
  };
  return markets.size() == market_count && std::ranges::all_of(markets, leave_room) &&
         std::ranges::all_of(accounts, leave_room, &decltype(accounts)::value_type::second);
}

AccountTopics::AccountTopics(const Address& owner, std::uint64_t liquidations_seq)
    : account(owner),
      orders(new_topic(api::StreamChannel::orders)),
      fills(new_topic(api::StreamChannel::fills)),
      positions(new_topic(api::StreamChannel::positions)),
      balances(new_topic(api::StreamChannel::balances)),
      liquidations(new_topic(api::StreamChannel::liquidations, {}, {}, liquidations_seq)) {}

MarketTopics::MarketTopics(engine::MarketIndex index, const std::string& id)
    : market(index),
      trades(new_topic(api::StreamChannel::trades, id)),
      book(new_topic(api::StreamChannel::book, id)),
      ticker(new_topic(api::StreamChannel::ticker, id)),
      candles{new_candle_topic(0, id), new_candle_topic(1, id), new_candle_topic(2, id), new_candle_topic(3, id)},
      public_trades(new_public_topic("trades:", id, api::Resume::replayed)),
      public_book(new_public_topic("book:", id, api::Resume::conflated)),
      public_status(new_public_topic("market_status:", id, api::Resume::replayed)) {}

void MarketTopics::take_candles(const MarketView& view, TimestampMs now_ms) {
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const auto latest = view.candles().read(i, {.from_ms = {}, .until_ms = now_ms, .limit = 1});
    running_[i] = latest.empty() ? MarketCandle{} : latest.back();
  }
}

// RFC 6455, section 5.2.
void append_text_frame(std::string& out, std::string_view payload) {
  constexpr char whole_text = '\x81';
  constexpr std::size_t short_max = 125;
  constexpr std::size_t medium_max = 0xffff;
  const std::uint64_t size = payload.size();
  const auto append_size = [&](int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
      out += static_cast<char>(static_cast<std::uint8_t>(size >> shift));
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
