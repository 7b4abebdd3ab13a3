#include "sim/engine/rational.h"

#include <numeric>

#include "base/decimal.h"

namespace svc::engine {

Rational reduced(Rational value) {
  SVC_ASSERT(value.den > 0);
  const std::int64_t divisor = std::gcd(value.num, value.den);
  return divisor == 0 ? value : Rational{value.num / divisor, value.den / divisor};
}

std::optional<Rational> parse_rational(std::string_view text) {
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    const auto num = parse_scaled(text.substr(0, slash), 0);
    const auto den = parse_scaled(text.substr(slash + 1), 0);
    if (!num || !den || *den <= 0) return std::nullopt;
    return reduced({*num, *den});
  }
  const auto decimal = parse_decimal(text);
  constexpr int scale_max = 18;  // 10^18 is the largest power of ten in 64 bits
  if (!decimal || decimal->scale > scale_max) return std::nullopt;
  const auto coefficient = to_scaled(*decimal, decimal->scale);
  if (!coefficient) return std::nullopt;
  std::int64_t den = 1;
  for (int i = 0; i < decimal->scale; ++i) den *= 10;
  return reduced({*coefficient, den});
}

}  // namespace svc::engine
