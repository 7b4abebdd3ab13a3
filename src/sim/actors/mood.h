// What a drill does to everybody: how large makers quote, how far from the price, who takes part.
#pragma once

#include <cstdint>

#include "base/fixed.h"

namespace svc::sim {

struct Mood {
  std::int64_t maker_size_ppm = ppm_one;
  std::int64_t maker_width_ppm = ppm_one;
  std::int64_t fair_shift_ppb = 0;  // makers think the price is so much above the index
  std::int64_t taker_rate_ppm = ppm_one;
  std::int64_t volatility_ppm = ppm_one;
  bool speculators = true;  // momentum, value, arbitrage, retail, noise, meta-orders
  bool quotes = true;       // false: nobody has an order on the book
  bool oracle = true;       // false: no index prices come
};

}  // namespace svc::sim
