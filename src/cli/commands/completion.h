// Completions of a command line, for shells and for the interactive shell. The caller provides values that change
// (markets, open orders).
#pragma once

#include "cli/machine/environment.h"
#include "cli/store/completion_values.h"

namespace svc::cli {

struct Candidates {
  std::vector<Candidate> all{};  // those that begin with the typed text, in display order
  bool files = false;            // file names are possible as well
};

// `words` are those after the program's name; the last one is being typed and may be empty.
[[nodiscard]] Candidates candidates(const std::vector<std::string>& words, const ValueSource& values);

// `svc __complete -- WORDS...`: shells call it while a command line is typed. It reads files and sends nothing.

inline constexpr std::string_view complete_word = "__complete";

// `words` are all words after the program's name. Returns the exit code of the process.
[[nodiscard]] int complete(const std::vector<std::string>& words, Environment& environment);

// The script that makes bash, zsh or fish ask `svc __complete`; nullopt for another shell.
[[nodiscard]] std::optional<std::string_view> completion_script(std::string_view shell);

}  // namespace svc::cli
