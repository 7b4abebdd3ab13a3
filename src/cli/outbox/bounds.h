// Bounds of the log and of looking for lost writes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svc::cli::outbox {

// Of a file of the log, after which the next one begins: some 600 writes, read in a millisecond or two. (D-621)
inline constexpr std::size_t log_bytes = 512u << 10;
inline constexpr std::size_t log_carried_bytes_max = log_bytes / 2;  // of open intents; with more the file grows on
inline constexpr std::int64_t log_patience_ms = 2'000;               // for another process that begins the next file

inline constexpr std::int64_t first_pause_ms = 250;  // between two look-ups; doubled each time
inline constexpr std::int64_t pause_ms_max = 8'000;
inline constexpr std::int64_t window_slack_ms = 1'000;  // the server's Date counts whole seconds
inline constexpr std::int64_t search_ms = 30'000;       // from the sending, of a write whose answer is lost
inline constexpr std::int64_t search_ms_min = 5'000;    // from when it is known to be lost
inline constexpr std::int64_t brief_ms = 2'000;         // of a write that was refused as the copy of one may be
inline constexpr std::int64_t settle_ms = 10'000;       // of one look, and of all that an earlier run left together
inline constexpr std::int64_t patience_ms = 75'000;     // of `outbox resolve ID`
// By our own clock nobody can set: a signature lives 30 s, and the clock it was made by may be as much ahead. (D-623)
inline constexpr std::int64_t expiry_uptime_ms = 60'000;
inline constexpr std::int64_t clock_slack_ms = 120'000;  // how much older than the write a list is read
inline constexpr int history_pages_max = 20;
// A list with more rows, and none of before, may have been cut by the service itself.
inline constexpr std::size_t whole_list_rows_max = 5'000;
inline constexpr std::int64_t created_slack_ms = 2'000;  // how far the time of creation may be before that of signing
// A client id that we made so shortly before or after is the order's alone, whatever the clocks say of its age.
inline constexpr std::int64_t fresh_id_ms = 3'600'000;
inline constexpr std::size_t settled_at_start_max = 5;   // entries of earlier runs looked up before a write

}  // namespace svc::cli::outbox
