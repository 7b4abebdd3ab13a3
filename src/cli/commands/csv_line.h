// One line of comma-separated text (RFC 4180, without line breaks inside cells).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::cli {

// A cell in double quotes may hold commas and doubled quotes.
[[nodiscard]] Result<std::vector<std::string>, std::string> split_csv(std::string_view line);

}  // namespace svc::cli
