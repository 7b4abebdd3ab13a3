// Numbers as columns: exact decimals, all of a column with the same digits after the point.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/decimal.h"

namespace svc::cli {

// With exactly so many digits after the point; a finer value is cut towards zero.
[[nodiscard]] std::string fixed_text(const Decimal& value, int decimals);
// a + b, a - b; both within limits::decimal_digits_max digits.
[[nodiscard]] Decimal add(const Decimal& a, const Decimal& b);
[[nodiscard]] Decimal subtract(const Decimal& a, const Decimal& b);
// part / whole in parts of `scale`, rounded down; 0 unless both are above zero.
[[nodiscard]] std::int64_t share(const Decimal& part, const Decimal& whole, std::int64_t scale);
// A decimal as text; nullopt for what is none, or far beyond what is traded.
[[nodiscard]] std::optional<Decimal> number_of(std::string_view text);

}  // namespace svc::cli
