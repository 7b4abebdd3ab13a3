// Bounds of commands that follow something.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svc::cli::watch_limits {

inline constexpr std::int64_t look_ms = 100;             // between two looks at signals and deadlines
inline constexpr std::int64_t hook_ms_max = 10'000;      // of a command that --exec runs; then it is killed
inline constexpr std::uint32_t snapshot_rows = 100;      // of --snapshot, where rows are events
inline constexpr std::size_t collected_lines_max = 10'000;  // of a watch with -o json, which prints one document
inline constexpr std::int64_t poll_ms = 500;             // between two REST reads of an order that is waited for
inline constexpr std::int64_t wait_ms_default = 30'000;  // of --wait and orders wait
inline constexpr std::int64_t repeat_ms_default = 2'000;  // of --watch
inline constexpr std::int64_t stale_ms = 5'000;            // figures on a screen that are older say so
inline constexpr std::int64_t screen_read_ms = 2'100;      // of one read for a screen: keys and clock wait no longer
inline constexpr std::int64_t repeat_ms_min = 100;
inline constexpr std::size_t raw_line_bytes_max = 64 * 1024;  // of one frame that `ws raw` sends

}  // namespace svc::cli::watch_limits
