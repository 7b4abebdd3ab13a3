// What a row that was read back may say: numbers that later sums and times can be added to, and texts that
// can be told. A log and a state come from outside. (D-657)
#pragma once

#include <algorithm>
#include <string_view>

#include "base/clock.h"
#include "base/fixed.h"
#include "base/limits.h"

namespace svc {

[[nodiscard]] constexpr bool is_clock_time(TimestampMs at_ms) {
  return at_ms >= 0 && at_ms <= limits::clock_ms_max + limits::clock_jump_ms_max;
}

[[nodiscard]] constexpr bool is_sum(Usdx amount) {
  return amount >= Usdx{} && amount.value <= limits::order_value_max;
}

// As ids are: printable and without spaces.
[[nodiscard]] inline bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace svc
