#include "base/decimal.h"

#include <algorithm>

#include "base/limits.h"

namespace svc {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

i128 power_of_ten(int exponent) {
  i128 power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

Decimal normalised(Decimal decimal) {
  while (decimal.scale > 0 && decimal.coefficient % 10 == 0) {
    decimal.coefficient /= 10;
    --decimal.scale;
  }
  return decimal;
}

bool fits_64_bits(i128 value) {
  return value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max();
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

std::string format_decimal(const Decimal& decimal) {
  const Decimal shortest = normalised(decimal);
  const bool negative = shortest.coefficient < 0;
  const i128 magnitude = negative ? -shortest.coefficient : shortest.coefficient;
  const i128 unit = power_of_ten(shortest.scale);

  std::string reversed;
  i128 fraction = magnitude % unit;
  for (int i = 0; i < shortest.scale; ++i) {
    reversed.push_back(static_cast<char>('0' + static_cast<int>(fraction % 10)));
    fraction /= 10;
  }
  if (shortest.scale > 0) reversed.push_back('.');
  i128 whole = magnitude / unit;
  do {
    reversed.push_back(static_cast<char>('0' + static_cast<int>(whole % 10)));
    whole /= 10;
  } while (whole > 0);
  if (negative) reversed.push_back('-');
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
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
  if (lots > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(lots);
}

}  // namespace svc
