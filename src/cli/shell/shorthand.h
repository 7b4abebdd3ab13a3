// What may be typed shorter in a shell than on the command line, turned into what may be typed in both.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/failure.h"
#include "cli/shell/shell_state.h"

namespace svc::cli {

// True for the first word of a command, and for what the shell itself understands: no alias hides it.
[[nodiscard]] bool means_something(const std::string& word);

// Aliases; `.` for the command before; `x 3 4` for cancelling those rows of the last table; the market in use
// where a command needs one and none is given; `50%` as a size of `buy` and `sell` for closing that part of the position.
// What is none of these comes back as it is.
[[nodiscard]] Result<std::vector<std::string>, Failure> expand_shorthand(std::vector<std::string> words,
                                                                         const ShellState& state);

}  // namespace svc::cli
