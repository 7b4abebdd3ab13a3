// `svc __complete -- WORDS...`: what shells ask while a command line is typed. Reads files, waits for nobody.
#pragma once

#include <string>
#include <vector>

#include "cli/environment.h"

namespace svc::cli {

inline constexpr std::string_view complete_word = "__complete";

// `words` are all words after the program's name. Returns the exit code of the process.
[[nodiscard]] int complete(const std::vector<std::string>& words, Environment& environment);

}  // namespace svc::cli
