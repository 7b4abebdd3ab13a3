// What may stand where a command line is being typed. Shells and the interactive shell ask the same question;
// values that change (markets, open orders) come from whoever asks.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/machine/environment.h"
#include "cli/store/completion_values.h"

namespace svc::cli {

struct Candidates {
  std::vector<Candidate> all{};  // those that begin with what is typed, in the order they should be shown
  bool files = false;            // names of files fit as well
};

// `words` are those after the program's name; the last one is being typed and may be empty.
[[nodiscard]] Candidates candidates(const std::vector<std::string>& words, const ValueSource& values);

// `svc __complete -- WORDS...`: what shells ask while a command line is typed. Reads files, waits for nobody.

inline constexpr std::string_view complete_word = "__complete";

// `words` are all words after the program's name. Returns the exit code of the process.
[[nodiscard]] int complete(const std::vector<std::string>& words, Environment& environment);

// What a shell has to be told so that it asks `svc __complete` while a command is typed.

inline constexpr std::array<std::string_view, 3> completion_shells{"bash", "zsh", "fish"};

// The script for one of completion_shells.
[[nodiscard]] std::string_view completion_script(std::string_view shell);

}  // namespace svc::cli
