// Candles of one market at each of its timeframes, computed from its trades: intervals in UTC, opened by their
// first trade, the running one included. (rule 4.8)
//
// Intervals without a trade are not stored: a reader repeats the previous close with no volume.
//
// Nothing here is thread-safe; the views own it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/archive.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/containers.h"
#include "base/decimal.h"

namespace svc::sim {

// Whether that member of the rows strictly ascends.
template <class Rows, class Member>
[[nodiscard]] bool ascends(const Rows& rows, Member member) {
  return std::ranges::adjacent_find(rows, std::ranges::greater_equal{}, member) == rows.end();
}

// A value at every multiple of some period; only changes are stored, and between two of them the value is constant.
template <class Value>
class StepSeries {
 public:
  // Sets the value from point `number` on. Numbers ascend; points older than the latest `capacity` are dropped.
  void put(std::int64_t number, const Value& value, std::int64_t capacity) {
    SVC_ASSERT(steps_.empty() || steps_.back().number < number);
    if (steps_.empty() || !(steps_.back().value == value)) steps_.push_back({number, value});
    // The step in effect at the oldest point stays, however old it is.
    while (steps_.size() > 1 && steps_[1].number <= number - capacity + 1) steps_.pop_front();
  }

  // Number of the first point that has a value.
  [[nodiscard]] std::optional<std::int64_t> first() const {
    if (steps_.empty()) return std::nullopt;
    return steps_.front().number;
  }

  // Number of the latest change.
  [[nodiscard]] std::optional<std::int64_t> last() const {
    if (steps_.empty()) return std::nullopt;
    return steps_.back().number;
  }

  // Requires a number not before the first.
  [[nodiscard]] const Value& at(std::int64_t number) const {
    SVC_ASSERT(!steps_.empty() && steps_.front().number <= number);
    const auto after = std::upper_bound(steps_.begin(), steps_.end(), number,
                                        [](std::int64_t wanted, const Step& step) { return wanted < step.number; });
    return (after - 1)->value;
  }

  [[nodiscard]] std::size_t steps() const { return steps_.size(); }

  SVC_KEEPS_IF(ascends(steps_, &Step::number), steps_);

 private:
  struct Step {
    std::int64_t number = 0;
    Value value{};
  };

  Deque<Step> steps_;  // oldest first
};

// Sums over a sliding window, by granules of UTC: the running granule and as many before it as make up the span.
// Empty granules are not stored.
//
// Sums has a default value and `merge(const Sums& later)`, which adds later sums.
template <class Sums, std::int64_t granule_ms, std::int64_t span_ms>
class TimeWindow {
 public:
  struct Granule {
    std::int64_t number = 0;  // granules since 1970
    Sums sums{};
  };

  // The sums of the granule of `at_ms`, to add to. Times come in order.
  [[nodiscard]] Sums& at(TimestampMs at_ms) {
    const std::int64_t number = at_ms / granule_ms;
    if (granules_.empty() || granules_.back().number != number) {
      while (!granules_.empty() && granules_.front().number < oldest(at_ms)) granules_.pop_front();
      granules_.push_back({number, {}});
    }
    return granules_.back().sums;
  }

  // Over the window that ends now.
  [[nodiscard]] Sums sums(TimestampMs now_ms) const { return sums_from(oldest(now_ms)); }

  // Over the granules from this number on.
  [[nodiscard]] Sums sums_from(std::int64_t number) const {
    Sums total;
    for (const Granule& granule : granules_)
      if (granule.number >= number) total.merge(granule.sums);
    return total;
  }

  // Non-empty granules, oldest first; some may have left the window already.
  [[nodiscard]] const Deque<Granule>& granules() const { return granules_; }

  // Number of the first granule of the window that ends now.
  [[nodiscard]] static constexpr std::int64_t oldest(TimestampMs now_ms) {
    return now_ms / granule_ms - span_ms / granule_ms + 1;
  }

  SVC_KEEPS_IF(ascends(granules_, &Granule::number), granules_);

 private:
  Deque<Granule> granules_;  // oldest first, at most span / granule
};

template <class Sums>
using DayWindow = TimeWindow<Sums, minute_ms, day_ms>;
template <class Sums>
using MonthWindow = TimeWindow<Sums, hour_ms, 30 * day_ms>;

// Prices and volumes over a time range; 128 bits, since a busy day may pass 64.
struct TradedRange {
  Ticks open{};  // the four prices are valid if trades > 0
  Ticks high{};
  Ticks low{};
  Ticks close{};
  i128 base_lots = 0;
  i128 quote = 0;  // 1e-6 USDX
  std::uint64_t trades = 0;

  // One trade.
  [[nodiscard]] static TradedRange of(Ticks price, Lots quantity, Usdx value) {
    return {.open = price,
            .high = price,
            .low = price,
            .close = price,
            .base_lots = quantity.value,
            .quote = value.value,
            .trades = 1};
  }

  void merge(const TradedRange& later) {
    if (later.trades == 0) return;
    if (trades == 0) {
      *this = later;
      return;
    }
    high = std::max(high, later.high);
    low = std::min(low, later.low);
    close = later.close;
    base_lots += later.base_lots;
    quote += later.quote;
    trades += later.trades;
  }
};

inline constexpr std::array<std::int64_t, 4> candle_lengths_ms{second_ms, minute_ms, 5 * minute_ms, hour_ms};

struct MarketCandle {
  TimestampMs open_ms = 0;
  TradedRange range{};
};

// The requested candles: those whose opening time is within both bounds.
struct CandleWindow {
  std::optional<TimestampMs> from_ms{};  // if set: the earliest `limit` candles, else the latest
  TimestampMs until_ms = 0;
  std::size_t limit = 0;
};

class CandleSeries {
 public:
  // Times come in order.
  void add(TimestampMs at_ms, const TradedRange& trade);

  // Ascending and without gaps, from the first interval with a trade that is still stored. `timeframe` indexes
  // candle_lengths_ms.
  [[nodiscard]] std::vector<MarketCandle> read(std::size_t timeframe, const CandleWindow& window) const;

  SVC_KEEPS_IF(is_valid(), by_timeframe_);

 private:
  [[nodiscard]] bool is_valid() const;

  std::array<Deque<MarketCandle>, candle_lengths_ms.size()> by_timeframe_;  // oldest first
};

}  // namespace svc::sim
