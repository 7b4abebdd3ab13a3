// What traded in one market during the last 24 hours, at a granularity of one minute.
//
// The window is the running minute and the 1439 before it; minutes without a trade take no room.
//
// Not thread-safe; owned by the views.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/clock.h"
#include "base/fixed.h"

namespace svc::sim {

// Base volume in lots, quote volume in 1e-6 USDX; 128 bits, since a busy day may pass 64.
struct TradedRange {
  Ticks open;
  Ticks high;
  Ticks low;
  Ticks close;
  i128 base_lots = 0;
  i128 quote = 0;
  std::uint64_t trades = 0;
};

class TickerWindow {
 public:
  // Trades come in time order. Quote is price times quantity.
  void add(TimestampMs at_ms, Ticks price, Lots quantity, Usdx quote);

  // nullopt if nothing traded in the window that ends now.
  [[nodiscard]] std::optional<TradedRange> range(TimestampMs now_ms) const;

 private:
  struct Minute {
    std::int64_t number;  // minutes since 1970
    TradedRange traded;
  };
  std::deque<Minute> minutes_;  // oldest first, at most 1440
};

}  // namespace svc::sim
