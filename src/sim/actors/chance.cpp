#include "sim/actors/chance.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/assert.h"

namespace svc::sim {
namespace {

// The tables hold trillionths, so that sums of a few entries are accurate to a billionth.
constexpr i128 fine_one = 1'000'000'000'000;
constexpr std::int64_t fine_per_ppb = 1'000;
constexpr int steps = 256;
constexpr std::int64_t whole_max = 20;

consteval std::int64_t exp_series(i128 x) {
  i128 term = fine_one;
  i128 sum = fine_one;
  for (int n = 1; n < 40; ++n) {
    term = term * x / (fine_one * n);
    sum += term;
  }
  return static_cast<std::int64_t>(sum);
}

// ln(1 + x) = 2 artanh(x / (2 + x)), 0 <= x <= 1.
consteval std::int64_t log_series(i128 x) {
  const i128 z = x * fine_one / (2 * fine_one + x);
  i128 power = z;
  i128 sum = 0;
  for (int n = 1; n < 60; n += 2) {
    sum += power / n;
    power = power * z / fine_one * z / fine_one;
  }
  return static_cast<std::int64_t>(2 * sum);
}

// The series at steps + 1 points from 0 to 1.
consteval std::array<std::int64_t, steps + 1> table_of(std::int64_t (*series)(i128 x)) {
  std::array<std::int64_t, steps + 1> table{};
  for (int i = 0; i <= steps; ++i) table[static_cast<std::size_t>(i)] = series(fine_one * i / steps);
  return table;
}

constexpr auto exps = table_of(exp_series);
constexpr auto logs = table_of(log_series);
constexpr std::int64_t log_two = logs[steps];
constexpr std::int64_t e_fine = exps[steps];

// ln(m / 2^32) in trillionths, m in 2^32 .. 2^33 - 1.
std::int64_t log_mantissa(std::uint64_t m) {
  constexpr int low_bits = 24;
  const std::uint64_t entry = (m >> low_bits) - steps;
  const std::uint64_t base = (m >> low_bits) << low_bits;
  const i128 d = static_cast<i128>(m - base) * fine_one / static_cast<i128>(base);
  return logs[static_cast<std::size_t>(entry)] +
         static_cast<std::int64_t>(d - d * d / (2 * fine_one) + d * d / fine_one * d / (3 * fine_one));
}

}  // namespace

std::int64_t exp_ppb(std::int64_t x_ppb) {
  x_ppb = std::clamp(x_ppb, -whole_max * ppb_one, whole_max * ppb_one);
  const std::int64_t whole = static_cast<std::int64_t>(div_round(x_ppb, ppb_one, Rounding::down));
  const std::int64_t part = x_ppb - whole * ppb_one;
  const std::int64_t entry = part * steps / ppb_one;
  const i128 d = (static_cast<i128>(part) - static_cast<i128>(entry) * ppb_one / steps) * fine_per_ppb;
  i128 value = exps[static_cast<std::size_t>(entry)];
  value = value * (fine_one + d + d * d / (2 * fine_one) + d * d / fine_one * d / (6 * fine_one)) / fine_one;
  for (std::int64_t i = 0; i < whole; ++i) value = value * e_fine / fine_one;
  for (std::int64_t i = 0; i > whole; --i) value = value * fine_one / e_fine;
  return narrow(div_round(value, fine_per_ppb, Rounding::half_up));
}

std::int64_t neg_log_ppb(std::uint64_t u) {
  SVC_ASSERT(u >= 1 && u <= (1ull << 32));
  const int shift = 33 - static_cast<int>(std::bit_width(u));
  const std::int64_t log = log_mantissa(u << shift) - shift * log_two;
  return -log / fine_per_ppb;
}

std::int64_t log1p_ppb(std::int64_t x_ppb) {
  SVC_ASSERT(x_ppb >= 0);
  // (1 + x) = m * 2^k with m in 1 .. 2.
  i128 m = ((static_cast<i128>(ppb_one) + x_ppb) << 32) / ppb_one;
  std::int64_t doublings = 0;
  for (; m >= (static_cast<i128>(1) << 33); m >>= 1) ++doublings;
  return (log_mantissa(static_cast<std::uint64_t>(m)) + doublings * log_two) / fine_per_ppb;
}

std::int64_t root(i128 n) {
  SVC_ASSERT(n >= 0);
  if (n < 2) return static_cast<std::int64_t>(n);
  const auto high = static_cast<std::uint64_t>(n >> 64);
  const auto bits = high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(n));
  i128 guess = static_cast<i128>(1) << (bits / 2 + 1);
  while (true) {
    const i128 next = (guess + n / guess) / 2;
    if (next >= guess) return narrow(guess);
    guess = next;
  }
}

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

}  // namespace svc::sim
