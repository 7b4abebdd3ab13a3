// Durations as users type them.
#pragma once

#include "base/clock.h"
#include "cli/terminal/display_zone.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// "90s", "15m", "8h", "1d", in milliseconds.
Result<std::int64_t> parse_duration(std::string_view flag, const std::string& text);
// The same; digits alone are seconds.
Result<std::int64_t> parse_patience(std::string_view flag, const std::string& text);
// The lifetime of an agent, from 1 to 90 days; nullopt without the text.
Result<std::optional<std::int64_t>> agent_lifetime(std::string_view flag, const std::optional<std::string>& text);

// Points in time as users type them: an instant, a time ago, or the beginning of a day.

struct TimeWord {
  enum class Kind : std::uint8_t { at, ago, day };
  Kind kind = Kind::at;
  std::int64_t value = 0;  // Unix milliseconds; milliseconds before now; days before today

  [[nodiscard]] bool needs_clock() const { return kind != Kind::at; }
  // `now_ms` is by the clock that stamped the records: the server's, or this machine's for local files.
  [[nodiscard]] TimestampMs at(TimestampMs now_ms, const DisplayZone& zone) const;
};

// A time in UTC by a format of absl::ParseTime. nullopt for one that does not exist, such as February 31.
[[nodiscard]] std::optional<TimestampMs> parse_utc(const char* format, std::string_view text);

// RFC 3339 in UTC ("2026-01-31T12:00:00Z", seconds and fraction optional), Unix milliseconds, "90s", "15m", "8h" or
// "7d" ago, "today", "yesterday", or a date. Days begin by the zone.
Result<TimeWord> parse_time_word(std::string_view flag, const std::string& text, const DisplayZone& zone);

// An instant only: RFC 3339 in UTC or Unix milliseconds.
Result<TimestampMs> parse_time(std::string_view flag, const std::string& text);

}  // namespace svc::cli
