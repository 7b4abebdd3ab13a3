// Prices and volumes over a stretch of time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/fixed.h"

namespace svc::sim {

// 128 bits, since a busy day may pass 64.
struct TradedRange {
  Ticks open{};  // the four prices mean something if trades > 0
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

}  // namespace svc::sim
