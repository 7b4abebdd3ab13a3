// Sums over the last 24 hours at a granularity of one minute: the running minute and the 1439 before
// it. Minutes in which nothing happened take no room.
//
// Sums has a default value and `merge(const Sums& later)`, which adds what happened after it.
//
// Not thread-safe; owned by the views.
#pragma once

#include <cstdint>
#include <deque>

#include "base/clock.h"

namespace svc::sim {

template <class Sums>
class DayWindow {
 public:
  // The sums of the minute of `at_ms`, to be added to. Times come in order.
  [[nodiscard]] Sums& minute_of(TimestampMs at_ms) {
    while (!minutes_.empty() && minutes_.front().number < oldest_minute(at_ms)) minutes_.pop_front();
    const std::int64_t number = at_ms / minute_ms;
    if (minutes_.empty() || minutes_.back().number != number) minutes_.push_back({number, {}});
    return minutes_.back().sums;
  }

  // Of the window that ends now.
  [[nodiscard]] Sums sums(TimestampMs now_ms) const {
    Sums total;
    for (const Minute& minute : minutes_)
      if (minute.number >= oldest_minute(now_ms)) total.merge(minute.sums);
    return total;
  }

 private:
  struct Minute {
    std::int64_t number;  // minutes since 1970
    Sums sums;
  };

  static constexpr std::int64_t oldest_minute(TimestampMs now_ms) {
    return now_ms / minute_ms - day_ms / minute_ms + 1;
  }

  std::deque<Minute> minutes_;  // oldest first, at most 1440
};

}  // namespace svc::sim
