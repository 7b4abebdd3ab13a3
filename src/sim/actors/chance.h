// The arithmetic of bots: exponentials, logarithms, roots and random draws without floating point, so that every
// platform has the same digits.
//
// Rates, logarithms and standard deviations are whole billionths (ppb). Tables are made at compile time.
#pragma once

#include "base/archive.h"
#include "base/decimal.h"
#include "base/random.h"

namespace svc::sim {

// e^x, x and the result in ppb; x is limited to plus or minus 20. Relative error below 1e-8 for |x| <= 3.
[[nodiscard]] std::int64_t exp_ppb(std::int64_t x_ppb);

// -ln(u / 2^32) in ppb for u in 1 .. 2^32. Absolute error below 1e-8.
[[nodiscard]] std::int64_t neg_log_ppb(std::uint64_t u);

// ln(1 + x) in ppb, x in ppb and not negative.
[[nodiscard]] std::int64_t log1p_ppb(std::int64_t x_ppb);

// The largest whole number whose square is at most n; n is not negative.
[[nodiscard]] std::int64_t root(i128 n);

// The random draws of one bot, from a named stream.
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
  [[nodiscard]] std::int64_t waiting(std::int64_t mean) {
    const std::uint64_t u = prng_.below(1ull << 32) + 1;
    return std::max<std::int64_t>(1, mul_div(neg_log_ppb(u), mean, ppb_one, Rounding::half_up));
  }
  // Log-normally distributed around the median.
  [[nodiscard]] std::int64_t spread(std::int64_t median, std::int64_t sigma_ppb) {
    const std::int64_t x = mul_div(normal_ppb(), sigma_ppb, ppb_one, Rounding::toward_zero);
    return mul_div(median, exp_ppb(x), ppb_one, Rounding::half_up);
  }

  SVC_KEEPS(prng_);

 private:
  Prng prng_;
};

}  // namespace svc::sim
