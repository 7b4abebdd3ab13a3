#include "base/decimal_arithmetic.h"

#include <algorithm>

namespace svc {
namespace {

Decimal normal(i128 coefficient, int scale) {
  while (scale > 0 && coefficient % 10 == 0) {
    coefficient /= 10;
    --scale;
  }
  return {coefficient, scale};
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

std::optional<Decimal> plus(const Decimal& a, const Decimal& b) {
  const auto both = aligned(a, b);
  i128 sum = 0;
  if (!both || __builtin_add_overflow(both->a, both->b, &sum)) return std::nullopt;
  return normal(sum, both->scale);
}

std::optional<Decimal> times(const Decimal& a, const Decimal& b) {
  i128 product = 0;
  if (__builtin_mul_overflow(a.coefficient, b.coefficient, &product)) return std::nullopt;
  return normal(product, a.scale + b.scale);
}

Decimal shifted_down(const Decimal& value, int places) {
  return normal(value.coefficient, value.scale + places);
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
  return normal(product, step.scale);
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
