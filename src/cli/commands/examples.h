// Examples of the help, one or more per command. Each is run by a test against a sandbox, with the variables
// ($ORDER, $ADDR, ...) set to what is there.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cli/commands/command.h"

namespace svc::cli {

struct Example {
  std::string_view line;  // "svc -n local orders list"
  std::string_view says;  // what it does, in a few words
};

[[nodiscard]] std::span<const Example> examples();
// Those of one command, in their order.
[[nodiscard]] std::vector<Example> examples_of(const CommandRow& row);

}  // namespace svc::cli
