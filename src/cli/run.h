// The whole command line: words in, exit code out.
#pragma once

#include <string>
#include <vector>

#include "cli/machine/environment.h"

namespace svc::cli {

struct ShellSession;

// The program's entry point.
[[nodiscard]] int run(int argc, char** argv);

// The same in-process: `words` are those after the program's name, `shell_session` is the shell's if the line is one of
// a shell.
[[nodiscard]] int run(const std::vector<std::string>& words, Environment& environment,
                      ShellSession* shell_session = nullptr);

}  // namespace svc::cli
