#include "cli/arguments/durations.h"

#include <ctime>

#include "base/limits.h"

namespace svc::cli {

Result<std::int64_t, Failure> parse_duration(std::string_view flag, const std::string& text) {
  std::int64_t unit_ms = 0;
  switch (text.empty() ? ' ' : text.back()) {
    case 's': unit_ms = second_ms; break;
    case 'm': unit_ms = minute_ms; break;
    case 'h': unit_ms = hour_ms; break;
    case 'd': unit_ms = day_ms; break;
    default: break;
  }
  std::int64_t count = 0;
  for (const char c : std::string_view(text).substr(0, text.empty() ? 0 : text.size() - 1)) {
    if (c < '0' || c > '9' || count > 1'000'000) unit_ms = 0;
    count = count * 10 + (c - '0');
    if (unit_ms == 0) break;
  }
  if (unit_ms == 0 || count == 0) {
    return unexpected(usage_error(flag, " must be a duration such as 90s, 15m or 8h, not \"", text, "\""));
  }
  return count * unit_ms;
}

Result<std::int64_t, Failure> parse_patience(std::string_view flag, const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return parse_duration(flag, digits ? text + "s" : text);
}

Result<std::optional<std::int64_t>, Failure> agent_lifetime(std::string_view flag,
                                                            const std::optional<std::string>& text) {
  if (!text) return std::optional<std::int64_t>{};
  const auto given = SVC_TRY(parse_duration(flag, *text));
  if (given < limits::agent_lifetime_min_ms || given > limits::agent_lifetime_max_ms)
    return unexpected(usage_error(flag, " must be from 1d to 90d"));
  return std::optional(given);
}

namespace {

// Reads digits from a text of fixed form, and remembers whether all of them were digits.
class Digits {
 public:
  explicit Digits(std::string_view text) : text_(text) {}

  int at(std::size_t place, std::size_t count) {
    const auto value = whole_number<int>(text_.substr(place, count));
    sound_ = sound_ && value && *value >= 0;
    return value.value_or(0);
  }
  [[nodiscard]] bool sound() const { return sound_; }

 private:
  std::string_view text_;
  bool sound_ = true;
};

bool looks_like_date(std::string_view text) {
  return text.size() >= 10 && text[4] == '-' && text[7] == '-';
}

// YYYY-MM-DDTHH:MM[:SS[.fff]]Z
std::optional<TimestampMs> parse_rfc3339(std::string_view text) {
  if (text.size() < 17 || !looks_like_date(text) || text[10] != 'T' || text[13] != ':' || text.back() != 'Z') {
    return std::nullopt;
  }
  Digits digits(text);
  std::tm utc{};
  utc.tm_year = digits.at(0, 4) - 1900;
  utc.tm_mon = digits.at(5, 2) - 1;
  utc.tm_mday = digits.at(8, 2);
  utc.tm_hour = digits.at(11, 2);
  utc.tm_min = digits.at(14, 2);
  std::int64_t ms = 0;
  std::string_view rest = text.substr(16, text.size() - 17);
  if (!rest.empty()) {
    if (rest.size() < 3 || rest[0] != ':') return std::nullopt;
    utc.tm_sec = digits.at(17, 2);
    rest = rest.substr(3);
    if (!rest.empty()) {
      if (rest[0] != '.' || rest.size() < 2 || rest.size() > 4) return std::nullopt;
      ms = digits.at(20, rest.size() - 1);
      for (std::size_t count = rest.size() - 1; count < 3; ++count) ms *= 10;
    }
  }
  const bool in_range = utc.tm_mon >= 0 && utc.tm_mon < 12 && utc.tm_mday >= 1 && utc.tm_mday <= 31 &&
                        utc.tm_hour < 24 && utc.tm_min < 60 && utc.tm_sec <= 60;
  if (!digits.sound() || !in_range) return std::nullopt;
  return static_cast<TimestampMs>(::timegm(&utc)) * second_ms + ms;
}

std::optional<TimestampMs> parse_instant(const std::string& text) {
  const auto ms = whole_number<TimestampMs>(text);
  return ms ? ms : parse_rfc3339(text);
}

std::optional<TimestampMs> parse_date(std::string_view text, const DisplayZone& zone) {
  if (text.size() != 10 || !looks_like_date(text)) return std::nullopt;
  Digits digits(text);
  const int year = digits.at(0, 4), month = digits.at(5, 2), day = digits.at(8, 2);
  return digits.sound() ? zone.date_began_ms(year, month, day) : std::nullopt;
}

}  // namespace

TimestampMs TimeWord::at(TimestampMs now_ms, const DisplayZone& zone) const {
  switch (kind) {
    case Kind::at: return value;
    case Kind::ago: return now_ms - value;
    case Kind::day: return zone.day_began_ms(now_ms, static_cast<int>(value));
  }
  return value;
}

Result<TimeWord, Failure> parse_time_word(std::string_view flag, const std::string& text, const DisplayZone& zone) {
  using Kind = TimeWord::Kind;
  if (text == "today") return TimeWord{Kind::day, 0};
  if (text == "yesterday") return TimeWord{Kind::day, 1};
  if (text == "now") return TimeWord{Kind::ago, 0};
  if (const auto instant = parse_instant(text)) return TimeWord{Kind::at, *instant};
  if (const auto date = parse_date(text, zone)) return TimeWord{Kind::at, *date};
  if (const auto ago_ms = parse_duration(flag, text)) return TimeWord{Kind::ago, *ago_ms};
  return unexpected(usage_error(flag,
                                " must be 90s, 15m, 8h or 7d (ago), today, yesterday, a date such as 2026-01-31, a UTC "
                                "time such as 2026-01-31T12:00:00Z, or Unix milliseconds, not \"",
                                text, "\""));
}

Result<TimestampMs, Failure> parse_time(std::string_view flag, const std::string& text) {
  if (const auto instant = parse_instant(text)) return *instant;
  return unexpected(
      usage_error(flag, " must be a UTC time such as 2026-01-31T12:00:00Z or Unix milliseconds, not \"", text, "\""));
}

}  // namespace svc::cli
