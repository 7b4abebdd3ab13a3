// Compares what a command prints with its schema, for the subset of JSON Schema that outputs use.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/terminal/json.h"

namespace svc::cli {

// What is wrong with a successful command's data, as "path: what was expected"; nullopt if nothing is.
[[nodiscard]] std::optional<std::string> check_output(std::string_view command, const Json& data);

}  // namespace svc::cli
