// The whole command line: words in, exit code out.
#pragma once

#include <string>
#include <vector>

#include "cli/client/shell_session.h"
#include "cli/machine/environment.h"

namespace svc::cli {

// The program. Everything else is reached through run(words, environment).
[[nodiscard]] int run(int argc, char** argv);

// The same in-process: `words` are those after the program's name.
// `sitting` is of the shell whose line they are.
[[nodiscard]] int run(const std::vector<std::string>& words, Environment& environment,
                      ShellSession* shell_session = nullptr);

}  // namespace svc::cli
