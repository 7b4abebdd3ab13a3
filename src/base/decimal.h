// Decimal text, exactly: the form in which money, prices and quantities travel.
//
// Grammar: '-'? digit+ ('.' digit+)?   No exponent, no '+', no blanks, no bare point.
// At most `limits::decimal_digits_max` digits. Nothing is ever rounded silently.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fixed.h"
#include "base/result.h"

namespace svc {

enum class DecimalError : std::uint8_t {
  malformed,  // not of the grammar above
  too_fine,   // has more fractional digits than the grid holds
  too_large,  // does not fit 64 bits at the scale asked for
};

// An exact decimal: coefficient * 10^-scale, trailing fractional zeros removed.
struct Decimal {
  i128 coefficient = 0;
  int scale = 0;

  // Numeric order is not member order; equality is, because the form is normalised.
  constexpr bool operator==(const Decimal&) const = default;
};

[[nodiscard]] Result<Decimal, DecimalError> parse_decimal(std::string_view text);

// The integer `decimals` fractional digits wide: ("1.5", 6) is 1500000.
[[nodiscard]] Result<std::int64_t, DecimalError> to_scaled(const Decimal& decimal, int decimals);
[[nodiscard]] Result<std::int64_t, DecimalError> parse_scaled(std::string_view text, int decimals);

// How many whole `unit`s the value is; too_fine if it is not a whole number of them.
[[nodiscard]] Result<std::int64_t, DecimalError> to_multiple(const Decimal& value, const Decimal& unit);

// value * unit, exactly (the inverse of to_multiple).
[[nodiscard]] Decimal multiply(std::int64_t value, const Decimal& unit);

// Shortest text: no trailing fractional zeros, no negative zero.
[[nodiscard]] std::string format_decimal(const Decimal& decimal);
[[nodiscard]] std::string format_scaled(std::int64_t value, int decimals);
[[nodiscard]] inline std::string format_usdx(Usdx amount) {
  return format_scaled(amount.value, usdx_decimals);
}

[[nodiscard]] const char* to_string(DecimalError error);

}  // namespace svc
