#include "base/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/limits.h"
#include "base/text.h"

namespace svc {
namespace {

template <class Number>
Decimal without_zeros(Number coefficient, int scale) {
  for (; scale > 0 && coefficient % 10 == 0; --scale) coefficient /= 10;
  return {coefficient, scale};
}

Decimal normalised(const Decimal& decimal) {
  // Dividing 64 bits is several times faster than dividing 128.
  return fits_64_bits(decimal.coefficient)
             ? without_zeros(static_cast<std::int64_t>(decimal.coefficient), decimal.scale)
             : without_zeros(decimal.coefficient, decimal.scale);
}

__extension__ using u128 = unsigned __int128;

constexpr std::size_t digits_max = 39;  // of 128 bits
constexpr std::size_t scale_max = 200;
constexpr std::size_t text_max = digits_max + scale_max + 2;  // sign and point
static_assert(text_max <= decimal_chars_max);

// The digits of a coefficient without its sign. Those before its last 19 fit into 64 bits, which the library writes.
char* write_wide(char* to, u128 number) {
  constexpr std::uint64_t lower = 10'000'000'000'000'000'000u;
  constexpr int lower_digits = 19;
  if (number <= std::numeric_limits<std::uint64_t>::max()) return write_digits(to, static_cast<std::uint64_t>(number));
  to = write_digits(to, static_cast<std::uint64_t>(number / lower));
  auto left = static_cast<std::uint64_t>(number % lower);
  for (char* at = to + lower_digits; at != to; left /= 10) *--at = static_cast<char>('0' + left % 10);
  return to + lower_digits;
}

// The coefficient at a scale that is not below its own.
std::optional<i128> scaled_up(const Decimal& value, int scale) {
  i128 coefficient = value.coefficient;
  for (int i = value.scale; i < scale; ++i) {
    if (__builtin_mul_overflow(coefficient, i128{10}, &coefficient)) return std::nullopt;
  }
  return coefficient;
}

struct Aligned {
  i128 a;
  i128 b;
  int scale;
};

std::optional<Aligned> aligned(const Decimal& a, const Decimal& b) {
  const int scale = std::max(a.scale, b.scale);
  const auto left = scaled_up(a, scale);
  const auto right = scaled_up(b, scale);
  if (!left || !right) return std::nullopt;
  return Aligned{*left, *right, scale};
}

}  // namespace

Result<Decimal, DecimalError> parse_decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);

  Decimal decimal;
  std::size_t digits = 0;
  bool point = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      const bool digit_before = i > 0;
      const bool digit_after = i + 1 < text.size();
      if (point || !digit_before || !digit_after) return unexpected(DecimalError::malformed);
      point = true;
      continue;
    }
    if (!is_digit(c)) return unexpected(DecimalError::malformed);
    if (++digits > limits::decimal_digits_max) return unexpected(DecimalError::too_large);
    decimal.coefficient = decimal.coefficient * 10 + (c - '0');
    if (point) ++decimal.scale;
  }
  if (digits == 0) return unexpected(DecimalError::malformed);
  if (negative) decimal.coefficient = -decimal.coefficient;
  return normalised(decimal);
}

Result<std::int64_t, DecimalError> to_scaled(const Decimal& decimal, int decimals) {
  if (decimal.scale > decimals) return unexpected(DecimalError::too_fine);
  i128 value = decimal.coefficient;
  for (int i = decimal.scale; i < decimals; ++i) {
    if (!fits_64_bits(value)) return unexpected(DecimalError::too_large);
    value *= 10;
  }
  if (!fits_64_bits(value)) return unexpected(DecimalError::too_large);
  return static_cast<std::int64_t>(value);
}

Result<std::int64_t, DecimalError> parse_scaled(std::string_view text, int decimals) {
  const auto decimal = SVC_TRY(parse_decimal(text));
  return to_scaled(decimal, decimals);
}

Result<std::int64_t, DecimalError> to_multiple(const Decimal& value, const Decimal& unit) {
  SVC_ASSERT(unit.coefficient > 0);
  const int scale = std::max(value.scale, unit.scale);
  const auto scaled_value = to_scaled(value, scale);
  const auto scaled_unit = to_scaled(unit, scale);
  if (!scaled_value || !scaled_unit) {
    return unexpected(value.scale > unit.scale ? DecimalError::too_fine : DecimalError::too_large);
  }
  if (*scaled_value % *scaled_unit != 0) return unexpected(DecimalError::too_fine);
  return *scaled_value / *scaled_unit;
}

Decimal multiply(std::int64_t value, const Decimal& unit) {
  SVC_ASSERT(fits_64_bits(unit.coefficient));
  return normalised({static_cast<i128>(value) * unit.coefficient, unit.scale});
}

char* write_digits(char* to, std::uint64_t number) {
  return std::to_chars(to, to + number_chars_max, number).ptr;
}

namespace {

// Of a coefficient of 128 bits, or of many places.
char* write_wide_decimal(char* to, const Decimal& decimal) {
  const auto [coefficient, scale] = normalised(decimal);
  const bool is_negative = coefficient < 0;
  if (is_negative) *to++ = '-';
  std::array<char, digits_max> digits;
  const auto size = static_cast<u128>(coefficient);
  const char* const end = write_wide(digits.data(), is_negative ? -size : size);
  const auto count = static_cast<int>(end - digits.data());
  const char* const point = digits.data() + std::max(count - scale, 0);
  to = point == digits.data() ? std::fill_n(to, 1, '0') : std::copy<const char*>(digits.data(), point, to);
  if (scale == 0) return to;
  *to++ = '.';
  return std::copy(point, end, std::fill_n(to, std::max(scale - count, 0), '0'));
}

}  // namespace

char* write_decimal(char* to, const Decimal& decimal) {
  static constexpr auto units = [] {
    std::array<std::uint64_t, 20> powers_of_ten{1};
    for (std::size_t i = 1; i < powers_of_ten.size(); ++i) powers_of_ten[i] = powers_of_ten[i - 1] * 10;
    return powers_of_ten;
  }();
  auto scale = static_cast<std::size_t>(decimal.scale);
  SVC_ASSERT(scale < scale_max);
  if (!fits_64_bits(decimal.coefficient) || scale >= units.size()) return write_wide_decimal(to, decimal);
  if (decimal.coefficient < 0) *to++ = '-';
  const auto size = static_cast<std::uint64_t>(decimal.coefficient < 0 ? -decimal.coefficient : decimal.coefficient);
  to = write_digits(to, size / units[scale]);
  std::uint64_t places = size % units[scale];
  if (places == 0) return to;
  for (; places % 10 == 0; places /= 10) --scale;
  *to++ = '.';
  for (char* at = to + scale; at != to; places /= 10) *--at = static_cast<char>('0' + places % 10);
  return to + scale;
}

std::string format_decimal(const Decimal& decimal) {
  std::array<char, decimal_chars_max> text;
  return {text.data(), write_decimal(text.data(), decimal)};
}

std::string format_scaled(std::int64_t value, int decimals) {
  return format_decimal({value, decimals});
}

const char* to_string(DecimalError error) {
  switch (error) {
    case DecimalError::malformed: return "is not a decimal number";
    case DecimalError::too_fine: return "has more decimal places than allowed";
    case DecimalError::too_large: return "is too large";
  }
  SVC_ASSERT(false);
}

std::optional<Decimal> plus(const Decimal& a, const Decimal& b) {
  const auto both = aligned(a, b);
  i128 sum = 0;
  if (!both || __builtin_add_overflow(both->a, both->b, &sum)) return std::nullopt;
  return normalised({sum, both->scale});
}

std::optional<Decimal> times(const Decimal& a, const Decimal& b) {
  i128 product = 0;
  if (__builtin_mul_overflow(a.coefficient, b.coefficient, &product)) return std::nullopt;
  return normalised({product, a.scale + b.scale});
}

Decimal shifted_down(const Decimal& value, int places) {
  return normalised({value.coefficient, value.scale + places});
}

std::optional<Decimal> halved(const Decimal& value) {
  const auto fivefold = times(value, {5, 0});
  return fivefold ? std::optional(shifted_down(*fivefold, 1)) : std::nullopt;
}

std::optional<int> compared(const Decimal& a, const Decimal& b) {
  const auto both = aligned(a, b);
  if (!both) return std::nullopt;
  return both->a < both->b ? -1 : both->a > both->b ? 1 : 0;
}

std::optional<Decimal> to_step(const Decimal& value, const Decimal& step, Rounding rounding) {
  const auto both = aligned(value, step);
  if (!both || both->b <= 0) return std::nullopt;
  i128 product = 0;
  if (__builtin_mul_overflow(div_round(both->a, both->b, rounding), step.coefficient, &product)) return std::nullopt;
  return normalised({product, step.scale});
}

std::optional<std::int64_t> lots_for(const Decimal& notional, const Decimal& price, const Decimal& lot) {
  if (price.coefficient <= 0 || lot.coefficient <= 0 || notional.coefficient < 0) return std::nullopt;
  const auto lot_value = times(price, lot);
  const auto both = lot_value ? aligned(notional, *lot_value) : std::nullopt;
  if (!both) return std::nullopt;
  const i128 lots = div_round(both->a, both->b, Rounding::down);
  return fits_64_bits(lots) ? std::optional(static_cast<std::int64_t>(lots)) : std::nullopt;
}

}  // namespace svc
