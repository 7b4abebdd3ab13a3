#include "cli/arguments/durations.h"

#include <absl/time/time.h>

#include "base/limits.h"

namespace svc::cli {

Result<std::int64_t> parse_duration(std::string_view flag, const std::string& text) {
  std::int64_t unit_ms = 0;
  switch (text.empty() ? ' ' : text.back()) {
    case 's': unit_ms = second_ms; break;
    case 'm': unit_ms = minute_ms; break;
    case 'h': unit_ms = hour_ms; break;
    case 'd': unit_ms = day_ms; break;
    default: break;
  }
  constexpr std::uint32_t count_max = 10'000'009;
  const auto count = parse_integer<std::uint32_t>(std::string_view(text).substr(0, text.empty() ? 0 : text.size() - 1));
  if (unit_ms == 0 || count.value_or(0) == 0 || *count > count_max) {
    return usage_error(flag, " must be a duration such as 90s, 15m or 8h, not \"", text, "\"");
  }
  return *count * unit_ms;
}

Result<std::int64_t> parse_patience(std::string_view flag, const std::string& text) {
  const auto seconds = parse_scaled(text, 3);
  return seconds && *seconds > 0 ? Result<std::int64_t>(*seconds) : parse_duration(flag, text);
}

Result<std::optional<std::int64_t>> agent_lifetime(std::string_view flag, const std::optional<std::string>& text) {
  if (!text) return std::optional<std::int64_t>{};
  const auto given = SVC_TRY(parse_duration(flag, *text));
  if (given < limits::agent_lifetime_min_ms || given > limits::agent_lifetime_max_ms)
    return usage_error(flag, " must be from 1d to 90d");
  return std::optional(given);
}

namespace {

// YYYY-MM-DDTHH:MM[:SS[.fff]]Z
std::optional<TimestampMs> parse_rfc3339(std::string_view text) {
  const auto whole = parse_utc("%Y-%m-%dT%H:%M:%E*SZ", text);
  return whole ? whole : parse_utc("%Y-%m-%dT%H:%MZ", text);
}

std::optional<TimestampMs> parse_instant(const std::string& text) {
  const auto ms = parse_integer<TimestampMs>(text);
  return ms ? ms : parse_rfc3339(text);
}

std::optional<TimestampMs> parse_date(std::string_view text, const DisplayZone& zone) {
  absl::CivilDay day;
  if (text.size() != std::string_view("2026-01-31").size() || !absl::ParseCivilTime({text.data(), text.size()}, &day))
    return std::nullopt;
  return zone.date_began_ms(static_cast<int>(day.year()), day.month(), day.day());
}

}  // namespace

std::optional<TimestampMs> parse_utc(const char* format, std::string_view text) {
  absl::Time time;
  const bool has_margin = text.empty() || text.front() == ' ' || text.back() == ' ';
  if (has_margin || !absl::ParseTime(format, {text.data(), text.size()}, &time, nullptr)) return std::nullopt;
  return time == absl::InfiniteFuture() || time == absl::InfinitePast() ? std::nullopt
                                                                        : std::optional(absl::ToUnixMillis(time));
}

TimestampMs TimeWord::at(TimestampMs now_ms, const DisplayZone& zone) const {
  switch (kind) {
    case Kind::at: return value;
    case Kind::ago: return now_ms - value;
    case Kind::day: return zone.day_began_ms(now_ms, static_cast<int>(value));
  }
  return value;
}

Result<TimeWord> parse_time_word(std::string_view flag, const std::string& text, const DisplayZone& zone) {
  using Kind = TimeWord::Kind;
  if (text == "today") return TimeWord{Kind::day, 0};
  if (text == "yesterday") return TimeWord{Kind::day, 1};
  if (text == "now") return TimeWord{Kind::ago, 0};
  if (const auto instant = parse_instant(text)) return TimeWord{Kind::at, *instant};
  if (const auto date = parse_date(text, zone)) return TimeWord{Kind::at, *date};
  if (const auto ago_ms = parse_duration(flag, text)) return TimeWord{Kind::ago, *ago_ms};
  return usage_error(flag,
                     " must be 90s, 15m, 8h or 7d (ago), today, yesterday, a date such as 2026-01-31, a UTC "
                     "time such as 2026-01-31T12:00:00Z, or Unix milliseconds, not \"",
                     text, "\"");
}

Result<TimestampMs> parse_time(std::string_view flag, const std::string& text) {
  if (const auto instant = parse_instant(text)) return *instant;
  return usage_error(flag, " must be a UTC time such as 2026-01-31T12:00:00Z or Unix milliseconds, not \"", text, "\"");
}

}  // namespace svc::cli
