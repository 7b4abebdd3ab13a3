// The topics of one market, and the candles that are running in it.
//
// Not thread-safe; guarded by the hub.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/records/market_history.h"
#include "sim/streams/stream_topic.h"
#include "sim/views/market_table.h"
#include "sim/views/market_view.h"

namespace svc::sim {

class MarketTopics {
 public:
  MarketTopics(engine::MarketIndex market, const std::string& id, std::uint64_t base);

  // A restart or a loss of events: the running candles are those of the view.
  void take_candles(const MarketView& view, TimestampMs now_ms);
  // The candle of that timeframe after a trade.
  const MarketCandle& add(std::size_t timeframe, TimestampMs at_ms, const TradedRange& trade);

  [[nodiscard]] std::array<StreamTopic*, 10> all();

  const engine::MarketIndex market;
  StreamTopic trades;
  StreamTopic book;
  StreamTopic ticker;
  std::array<StreamTopic, candle_lengths_ms.size()> candles;  // by timeframe
  StreamTopic public_trades;
  StreamTopic public_book;
  StreamTopic public_status;

  // Since the last dispatch.
  std::optional<Stamp> book_changed;
  std::optional<Stamp> ticker_changed;
  // By the command being told.
  bool touched = false;
  bool book_touched = false;
  bool ticker_touched = false;
  bool traded = false;

 private:
  std::array<MarketCandle, candle_lengths_ms.size()> running_;
};

}  // namespace svc::sim
