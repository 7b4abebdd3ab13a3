// Splits a typed line as a POSIX shell would: quotes, backslashes, comments, and a pipe.
#pragma once

#include "cli/terminal/failure.h"

namespace svc::cli {

struct Line {
  std::vector<std::string> words;
  std::optional<std::string> pipe;  // what follows an unquoted '|', as typed
};

// The value of ":NAME"; nullopt if there is none.
using Lookup = std::function<std::optional<std::string>(std::string_view name)>;

// \name first, 'as it is', "with \" and \\", a\ b; a word that begins with # ends the line. A word that begins with an
// unquoted colon is replaced by its value and stays one word. Exit 2 for an open quote or an unknown value. The inverse
// is join_words.
Result<Line> split_line(
    std::string_view text, const Lookup& lookup = [](std::string_view) { return std::nullopt; });

// Exit 2 if an alias or a variable holds --confirm or the network: both have to be typed each time. `what` is the
// subject of the message: "an alias".
Result<void> check_kept(const std::vector<std::string>& words, const std::string& what);

// A flag and its value, if it takes one: {"--account", "0x..."}.
using FlagWords = std::vector<std::string>;

// The flag of a word such as -n, -nlocal, --network or --network=local: -n or --network.
[[nodiscard]] std::string_view flag_of(std::string_view word);

// The global flags among a command's words, as typed: they apply to each line of a shell.
[[nodiscard]] std::vector<FlagWords> flags_of_every_line(const std::vector<std::string>& words);

}  // namespace svc::cli
