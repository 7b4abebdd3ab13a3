// What each command's `data` holds: `svc schema` prints it, and tests compare answers with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/json.h"

namespace svc::cli {

// The JSON Schema (2020-12) of the whole document that the command prints with --json.
[[nodiscard]] std::string output_schema(const CommandRow& row);

// What is wrong with a successful command's data, as "path: what was expected"; nullopt if nothing is.
[[nodiscard]] std::optional<std::string> check_output(const CommandRow& row, const Json& data);

// Commands whose output nobody has written down.
[[nodiscard]] std::vector<std::string_view> commands_without_output();

}  // namespace svc::cli
