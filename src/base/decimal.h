// Decimal text, exactly: the form in which money, prices and quantities travel.
//
// Grammar: '-'? digit+ ('.' digit+)?   No exponent, no '+', no blanks, no bare point.
// At most `limits::decimal_digits_max` digits. Nothing is ever rounded silently.
#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/result.h"

// Fixed-point arithmetic with explicit rounding. There is no floating point near money.
//
// `Integer<Tag>` is a strong 64-bit integer: two kinds do not mix. Products use 128 bits (`mul_div`). A result
// outside 64 bits is a bug and asserts, so inputs are bounded where they enter (limits.h).

namespace svc {

__extension__ using i128 = __int128;

enum class Rounding : std::uint8_t {
  down,         // toward negative infinity (floor)
  up,           // toward positive infinity (ceil)
  toward_zero,  // truncation
  half_up,      // nearest, ties toward positive infinity
};

// n / d, rounded. d may be negative but not zero.
[[nodiscard]] constexpr i128 div_round(i128 n, i128 d, Rounding rounding) {
  SVC_ASSERT(d != 0);
  if (d < 0) {
    n = -n;
    d = -d;
  }
  i128 quotient;
  i128 remainder;
  constexpr i128 high = std::numeric_limits<std::int64_t>::max();
  if (n <= high && n >= -high && d <= high) {
    // A 64-bit division is several times faster than one of 128 bits.
    const auto short_n = static_cast<std::int64_t>(n);
    const auto short_d = static_cast<std::int64_t>(d);
    quotient = short_n / short_d;
    remainder = short_n % short_d;
  } else {
    quotient = n / d;
    remainder = n % d;
  }
  if (remainder == 0) return quotient;
  switch (rounding) {
    case Rounding::toward_zero: return quotient;
    case Rounding::down: return n < 0 ? quotient - 1 : quotient;
    case Rounding::up: return n < 0 ? quotient : quotient + 1;
    case Rounding::half_up: {
      const i128 floor = n < 0 ? quotient - 1 : quotient;
      const i128 above = n - floor * d;  // in (0, d)
      return above >= d - above ? floor + 1 : floor;
    }
  }
  SVC_ASSERT(false);
}

[[nodiscard]] constexpr bool fits_64_bits(i128 value) {
  return value == static_cast<std::int64_t>(value);
}
// The low 64 bits of a value known to fit.
[[nodiscard]] constexpr std::int64_t narrow(i128 value) {
  SVC_ASSERT(fits_64_bits(value));
  return static_cast<std::int64_t>(value);
}

// a * b / c, rounded once, exact in between.
[[nodiscard]] constexpr std::int64_t mul_div(std::int64_t a, std::int64_t b, std::int64_t c, Rounding rounding) {
  return narrow(div_round(static_cast<i128>(a) * b, c, rounding));
}

template <class Tag>
struct Integer {
  std::int64_t value = 0;

  constexpr auto operator<=>(const Integer&) const = default;
  constexpr Integer operator-() const { return {-value}; }
  constexpr Integer& operator+=(Integer other) {
    SVC_ASSERT(!__builtin_add_overflow(value, other.value, &value));
    return *this;
  }
  constexpr Integer& operator-=(Integer other) {
    SVC_ASSERT(!__builtin_sub_overflow(value, other.value, &value));
    return *this;
  }
  friend constexpr Integer operator+(Integer a, Integer b) { return a += b; }
  friend constexpr Integer operator-(Integer a, Integer b) { return a -= b; }
};

// Money: 1e-6 USDX.
using Usdx = Integer<struct UsdxTag>;
inline constexpr int usdx_decimals = 6;
inline constexpr std::int64_t usdx_one = 1'000'000;
// For display: an amount out of range becomes the nearest representable one.
[[nodiscard]] constexpr Usdx saturated(i128 amount) {
  using Limits = std::numeric_limits<std::int64_t>;
  return {narrow(std::clamp<i128>(amount, Limits::min(), Limits::max()))};
}

// A price in ticks of its market, and a quantity in lots of its market. One tick times one lot is a
// whole number of 1e-6 USDX (the listing rule), so price times quantity is exact.
using Ticks = Integer<struct TicksTag>;
using Lots = Integer<struct LotsTag>;

// Rates: parts per million (fees) and per billion (premium, funding).
using Ppm = Integer<struct PpmTag>;
using Ppb = Integer<struct PpbTag>;
inline constexpr std::int64_t ppm_one = 1'000'000;
inline constexpr std::int64_t ppm_per_bp = 100;
inline constexpr std::int64_t ppb_one = 1'000'000'000;

enum class DecimalError : std::uint8_t {
  malformed,  // not of the grammar above
  too_fine,   // has more fractional digits than the grid holds
  too_large,  // does not fit 64 bits at the requested scale
};

// An exact decimal: coefficient * 10^-scale, trailing fractional zeros removed.
struct Decimal {
  i128 coefficient = 0;
  int scale = 0;

  // Numeric order is not member order; equality is, because the form is normalised.
  constexpr bool operator==(const Decimal&) const = default;
};

[[nodiscard]] Result<Decimal, DecimalError> parse_decimal(std::string_view text);

// The integer with `decimals` fractional digits: ("1.5", 6) is 1500000.
[[nodiscard]] Result<std::int64_t, DecimalError> to_scaled(const Decimal& decimal, int decimals);
[[nodiscard]] Result<std::int64_t, DecimalError> parse_scaled(std::string_view text, int decimals);

// The value in whole `unit`s; too_fine if it is not a whole number of them.
[[nodiscard]] Result<std::int64_t, DecimalError> to_multiple(const Decimal& value, const Decimal& unit);

// value * unit, exactly (the inverse of to_multiple).
[[nodiscard]] Decimal multiply(std::int64_t value, const Decimal& unit);

// Numbers as digits, behind one another: each writes at `to`, where there is room for so many characters, and returns
// where its text ends.
inline constexpr std::size_t number_chars_max = 24;
inline constexpr std::size_t decimal_chars_max = 256;
char* write_digits(char* to, std::uint64_t number);
char* write_decimal(char* to, const Decimal& decimal);
template <std::integral Number>
char* write_number(char* to, Number number) {
  const auto size = static_cast<std::uint64_t>(number);
  if (number >= 0) return write_digits(to, size);
  *to = '-';
  return write_digits(to + 1, -size);
}

// Shortest text: no trailing fractional zeros, no negative zero.
[[nodiscard]] std::string format_decimal(const Decimal& decimal);
[[nodiscard]] std::string format_scaled(std::int64_t value, int decimals);
[[nodiscard]] inline std::string format_usdx(Usdx amount) {
  return format_scaled(amount.value, usdx_decimals);
}

[[nodiscard]] const char* to_string(DecimalError error);

// Exact arithmetic on decimals of any scale. Results that do not fit 128 bits are nullopt; nothing is rounded except
// where an argument is a Rounding.
[[nodiscard]] std::optional<Decimal> plus(const Decimal& a, const Decimal& b);
[[nodiscard]] std::optional<Decimal> times(const Decimal& a, const Decimal& b);
// value / 10^places
[[nodiscard]] Decimal shifted_down(const Decimal& value, int places);
[[nodiscard]] std::optional<Decimal> halved(const Decimal& value);

// Negative, zero or positive as a < b, a = b, a > b.
[[nodiscard]] std::optional<int> compared(const Decimal& a, const Decimal& b);

// The multiple of `step` (above zero) next to the value.
[[nodiscard]] std::optional<Decimal> to_step(const Decimal& value, const Decimal& step, Rounding rounding);

// How many whole lots a notional buys at a price, rounded down; nullopt beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> lots_for(const Decimal& notional, const Decimal& price, const Decimal& lot);

}  // namespace svc
