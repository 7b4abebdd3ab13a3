// The random draws of one bot: a named stream, integers only.
#pragma once

#include "base/decimal.h"
#include "base/random.h"

namespace svc::sim {

class Chance {
 public:
  Chance(std::uint64_t seed, std::string_view stream) : prng_(seed, stream) {}

  // True with probability ppm / 1,000,000.
  [[nodiscard]] bool happens(std::int64_t ppm) {
    return static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(ppm_one))) < ppm;
  }
  // Likewise, ppb / 1,000,000,000.
  [[nodiscard]] bool happens_ppb(std::int64_t ppb) {
    return static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(ppb_one))) < ppb;
  }
  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high) { return prng_.between(low, high); }
  // Standard normal in ppb: the sum of twelve uniform draws, so at most 6.
  [[nodiscard]] std::int64_t normal_ppb();
  // Exponentially distributed around the mean, at least 1.
  [[nodiscard]] std::int64_t waiting(std::int64_t mean);
  // Log-normally distributed around the median.
  [[nodiscard]] std::int64_t spread(std::int64_t median, std::int64_t sigma_ppb);

  template <class Archive>
  void archive(Archive& archive) {
    archive(prng_);
  }

 private:
  Prng prng_;
};

// Market conditions during a drill: how much makers quote, at which distance, and who takes part.

struct MarketConditions {
  std::int64_t maker_size_ppm = ppm_one;
  std::int64_t maker_width_ppm = ppm_one;
  std::int64_t fair_shift_ppb = 0;  // makers place the fair price this far above the index
  std::int64_t taker_rate_ppm = ppm_one;
  std::int64_t volatility_ppm = ppm_one;
  bool speculators = true;  // momentum, value, arbitrage, retail, noise, meta-orders
  bool quotes = true;       // false: nobody quotes
  bool oracle = true;       // false: no index prices
};

}  // namespace svc::sim
