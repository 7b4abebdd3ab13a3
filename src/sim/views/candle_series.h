// Candles of one market at each of its timeframes, folded from its trades: intervals of UTC, opened by
// their first trade, the running one included. (rule 4.8)
//
// Intervals without a trade take no room: a reader repeats the close before them with no volume.
//
// Not thread-safe; owned by the views.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "sim/views/traded_range.h"

namespace svc::sim {

inline constexpr std::array<std::int64_t, 4> candle_lengths_ms{second_ms, minute_ms, 5 * minute_ms, hour_ms};

struct MarketCandle {
  TimestampMs open_ms = 0;
  TradedRange range{};
};

// Which candles are asked for. Those of which the opening time lies within both bounds.
struct CandleWindow {
  std::optional<TimestampMs> from_ms{};  // given: the earliest `limit`, else the latest
  TimestampMs until_ms = 0;
  std::size_t limit = 0;
};

class CandleSeries {
 public:
  // Times come in order.
  void add(TimestampMs at_ms, const TradedRange& trade);

  // Ascending and without holes from the first interval still known that has a trade. `timeframe` indexes
  // candle_lengths_ms.
  [[nodiscard]] std::vector<MarketCandle> read(std::size_t timeframe, const CandleWindow& window) const;

  template <class Archive>
  void archive(Archive& archive) {
    archive(by_timeframe_);
    if constexpr (Archive::reading) {
      for (std::size_t i = 0; i < by_timeframe_.size(); ++i)
        if (!makes_sense(i)) archive.fail();
    }
  }

 private:
  [[nodiscard]] bool makes_sense(std::size_t timeframe) const;

  std::array<std::deque<MarketCandle>, candle_lengths_ms.size()> by_timeframe_;  // oldest first
};

}  // namespace svc::sim
