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

// Sandbox
inline constexpr std::int64_t clock_rate_max = 1'000'000;         // times real speed
inline constexpr std::int64_t clock_ms_max = 253'402'300'799'999;  // the last millisecond of the year 9999
inline constexpr std::uint32_t limit_scale_max = 1'000'000;      // --limits xN
inline constexpr std::size_t dev_accounts_max = 1'000;
inline constexpr std::size_t writers_waiting_max = 4'096;          // submissions queued behind the single writer
inline constexpr std::size_t memory_log_entries_max = 4'096;       // commands the in-memory log can replay
inline constexpr std::size_t public_trades_max = 10'000;           // kept per market
inline constexpr std::size_t terminal_orders_max = 10'000;         // kept per account
inline constexpr std::size_t fills_max = 10'000;                   // kept per account
inline constexpr std::size_t closed_positions_max = 1'000;         // kept per account
inline constexpr std::size_t funds_entries_max = 1'000;            // kept per account
inline constexpr std::size_t request_log_max = 1'000;              // lines of /_svc/requests

}  // namespace svc::limits
