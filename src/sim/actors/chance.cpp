#include "sim/actors/chance.h"

#include <algorithm>

#include "sim/actors/integer_math.h"

namespace svc::sim {

std::int64_t Chance::normal_ppb() {
  constexpr std::int64_t draws = 12;
  constexpr int bits = 16;
  std::int64_t sum = 0;
  for (std::int64_t word = 0; word < draws * bits / 64; ++word) {
    std::uint64_t random = prng_.next();
    for (int part = 0; part < 64 / bits; ++part, random >>= bits)
      sum += static_cast<std::int64_t>(random & ((1u << bits) - 1));
  }
  // Each draw is the middle of one of 65,536 equal parts of 0 .. 1.
  const std::int64_t twice = 2 * sum + draws - draws * (1LL << bits);
  return twice * ppb_one / (2LL << bits);
}

std::int64_t Chance::waiting(std::int64_t mean) {
  const std::uint64_t u = prng_.below(1ull << 32) + 1;
  return std::max<std::int64_t>(1, mul_div(neg_log_ppb(u), mean, ppb_one, Rounding::half_up));
}

std::int64_t Chance::spread(std::int64_t median, std::int64_t sigma_ppb) {
  const std::int64_t x = mul_div(normal_ppb(), sigma_ppb, ppb_one, Rounding::toward_zero);
  return mul_div(median, exp_ppb(x), ppb_one, Rounding::half_up);
}

}  // namespace svc::sim
