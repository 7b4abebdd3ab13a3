// Bounds of looking for lost writes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svc::cli::outbox {

inline constexpr std::int64_t first_pause_ms = 250;  // between two look-ups; doubled each time
inline constexpr std::int64_t pause_ms_max = 8'000;
inline constexpr std::int64_t window_slack_ms = 1'000;   // the server's Date counts whole seconds
inline constexpr std::int64_t patience_ms = 60'000;      // of one reconcile; a signature lives 30 s
inline constexpr std::int64_t clock_slack_ms = 120'000;  // how much older than the write a list is read
inline constexpr int history_pages_max = 20;
inline constexpr std::size_t settled_at_start_max = 5;  // entries of earlier runs looked up before a write

}  // namespace svc::cli::outbox
