// Exact arithmetic on decimals of any scale. Results that do not fit 128 bits are nullopt; nothing is rounded
// except where an argument is a Rounding.
#pragma once

#include <cstdint>
#include <optional>

#include "base/decimal.h"

namespace svc {

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
