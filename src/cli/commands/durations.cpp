#include "cli/commands/durations.h"

#include "base/clock.h"
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
    return unexpected(
        usage_error(std::string(flag) + " must be a duration such as 90s, 15m or 8h, not \"" + text + "\""));
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
    return unexpected(usage_error(std::string(flag) + " must be from 1d to 90d"));
  return std::optional(given);
}

}  // namespace svc::cli
