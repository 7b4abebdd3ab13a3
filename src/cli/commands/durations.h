// Stretches of time as users type them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/failure.h"

namespace svc::cli {

// "90s", "15m", "8h", "1d", in milliseconds.
[[nodiscard]] Result<std::int64_t, Failure> parse_duration(std::string_view flag, const std::string& text);
// The same; digits alone are seconds.
[[nodiscard]] Result<std::int64_t, Failure> parse_patience(std::string_view flag, const std::string& text);
// How long an agent is to be one, from 1 to 90 days; nullopt without the text.
[[nodiscard]] Result<std::optional<std::int64_t>, Failure> agent_lifetime(std::string_view flag,
                                                                          const std::optional<std::string>& text);

}  // namespace svc::cli
