// Bounds of whoever follows a stream.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svc::api::stream_limits {

inline constexpr std::int64_t ping_ms = 3'000;          // of silence, then the server is pinged: a screen soon knows that it is stale
inline constexpr std::int64_t silence_ms_max = 30'000;  // of silence, then the connection is given up
inline constexpr std::int64_t answer_ms = 15'000;       // for the answer to a subscription
inline constexpr std::int64_t backoff_ms = 250;         // before the first reconnection; doubles
inline constexpr std::int64_t backoff_ms_max = 30'000;
inline constexpr std::size_t subscriptions_max = 1'000;  // of one client
inline constexpr std::int64_t frame_every_ms = 125;      // 8 a second, below the 10 of the lowest tier (API: Limits)
inline constexpr std::size_t frames_at_once = 16;        // after a pause; below its burst
inline constexpr std::size_t repairs_max = 3;            // of one hole by replay, before it is filled by REST
inline constexpr std::size_t row_ids_max = 20'000;       // read by REST and remembered, so that no row comes twice
inline constexpr std::size_t message_depth_max = 32;  // nesting of a message
inline constexpr std::size_t cursor_chars_max = 64 * 1024;
inline constexpr std::int64_t book_silence_ms_max = silence_ms_max;  // beyond it a book is doubted

}  // namespace svc::api::stream_limits
