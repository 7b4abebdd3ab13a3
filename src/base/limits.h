// Every bound of the program, by name. Where a bound is the API's, its source is named.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svc::limits {

// Text
inline constexpr std::size_t decimal_digits_max = 30;  // parsed exactly in 128 bits
inline constexpr std::size_t market_id_chars_max = 64;  // API: naming of markets

// Time
inline constexpr std::int64_t auth_window_ms = 30'000;           // API: plus or minus 30 s
inline constexpr std::int64_t session_lifetime_ms = 86'400'000;  // API: 24 h

}  // namespace svc::limits
