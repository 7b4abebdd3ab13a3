// Questions to the person at the keyboard.
#pragma once

#include <optional>
#include <string_view>

#include "base/secret.h"
#include "cli/environment.h"

namespace svc::cli {

// Prints the prompt to the controlling terminal and reads one line from it; nullopt after Ctrl-C or
// Ctrl-D, or without a terminal. The terminal is put back as it was in every case.
[[nodiscard]] std::optional<Secret> ask_terminal(std::string_view prompt, Echo echo);

}  // namespace svc::cli
