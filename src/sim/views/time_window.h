// Sums over the last stretch of time, by granules of UTC: the running granule and as many before it as
// make up the span. Granules in which nothing happened take no room.
//
// Sums has a default value and `merge(const Sums& later)`, which adds what happened after it.
//
// Not thread-safe; owned by the views.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "base/clock.h"

namespace svc::sim {

template <class Sums, std::int64_t granule_ms, std::int64_t span_ms>
class TimeWindow {
 public:
  struct Granule {
    std::int64_t number = 0;  // granules since 1970
    Sums sums{};
  };

  // The sums of the granule of `at_ms`, to be added to. Times come in order.
  [[nodiscard]] Sums& at(TimestampMs at_ms) {
    while (!granules_.empty() && granules_.front().number < oldest(at_ms)) granules_.pop_front();
    const std::int64_t number = at_ms / granule_ms;
    if (granules_.empty() || granules_.back().number != number) granules_.push_back({number, {}});
    return granules_.back().sums;
  }

  // Of the window that ends now.
  [[nodiscard]] Sums sums(TimestampMs now_ms) const { return sums_from(oldest(now_ms)); }

  // Of the granules from this number on.
  [[nodiscard]] Sums sums_from(std::int64_t number) const {
    Sums total;
    for (const Granule& granule : granules_)
      if (granule.number >= number) total.merge(granule.sums);
    return total;
  }

  // Those in which something happened, oldest first; some may have left the window already.
  [[nodiscard]] const std::deque<Granule>& granules() const { return granules_; }

  // Number of the first granule of the window that ends now.
  [[nodiscard]] static constexpr std::int64_t oldest(TimestampMs now_ms) {
    return now_ms / granule_ms - span_ms / granule_ms + 1;
  }

  template <class Archive>
  void archive(Archive& archive) {
    archive(granules_);
    if constexpr (Archive::reading) {
      const auto out_of_order = [](const Granule& a, const Granule& b) { return a.number >= b.number; };
      if (std::adjacent_find(granules_.begin(), granules_.end(), out_of_order) != granules_.end()) archive.fail();
    }
  }

 private:
  std::deque<Granule> granules_;  // oldest first, at most span / granule
};

template <class Sums>
using DayWindow = TimeWindow<Sums, minute_ms, day_ms>;
template <class Sums>
using MonthWindow = TimeWindow<Sums, hour_ms, 30 * day_ms>;

}  // namespace svc::sim
