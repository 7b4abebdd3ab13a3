#include "sim/streams/market_topics.h"

#include "base/limits.h"

namespace svc::sim {
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

// Nothing of these is sent again.
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

}  // namespace svc::sim
