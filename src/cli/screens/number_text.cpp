#include "cli/screens/number_text.h"

#include <algorithm>

namespace svc::cli {
namespace {

constexpr int scale_max = 18;
constexpr i128 coefficient_max = 1'000'000'000'000'000'000;

i128 widened(const Decimal& value, int scale) {
  i128 out = value.coefficient;
  for (int i = value.scale; i < scale; ++i) out *= 10;
  for (int i = scale; i < value.scale; ++i) out /= 10;
  return out;
}

Decimal trimmed(i128 coefficient, int scale) {
  while (scale > 0 && coefficient % 10 == 0) {
    coefficient /= 10;
    --scale;
  }
  return {.coefficient = coefficient, .scale = scale};
}

}  // namespace

std::string fixed_text(const Decimal& value, int decimals) {
  std::string text = format_decimal(trimmed(widened(value, decimals), decimals));
  const auto point = text.find('.');
  auto missing = static_cast<std::size_t>(decimals);
  if (point == std::string::npos) {
    if (decimals > 0) text += '.';
  } else {
    missing -= text.size() - point - 1;
  }
  return text.append(missing, '0');
}

Decimal add(const Decimal& a, const Decimal& b) {
  const int scale = std::max(a.scale, b.scale);
  return trimmed(widened(a, scale) + widened(b, scale), scale);
}

Decimal subtract(const Decimal& a, const Decimal& b) {
  return add(a, {.coefficient = -b.coefficient, .scale = b.scale});
}

std::int64_t share(const Decimal& part, const Decimal& whole, std::int64_t scale) {
  if (part.coefficient <= 0 || whole.coefficient <= 0) return 0;
  const int digits = std::max(part.scale, whole.scale);
  return static_cast<std::int64_t>(widened(part, digits) * scale / widened(whole, digits));
}

std::optional<Decimal> number_of(std::string_view text) {
  const auto decimal = parse_decimal(text);
  if (!decimal || decimal->scale > scale_max || decimal->coefficient > coefficient_max ||
      decimal->coefficient < -coefficient_max) {
    return std::nullopt;
  }
  return *decimal;
}

}  // namespace svc::cli
