// A typed line as words, the way a POSIX shell would read it: quotes, backslashes, comments, and
// the command that its output goes to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/client/context.h"
#include "cli/shell/shell_state.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

struct Line {
  std::vector<std::string> words;
  std::optional<std::string> pipe;  // what follows an unquoted '|', as typed
};

// The value behind ":NAME"; nullopt if there is none.
using Lookup = std::function<std::optional<std::string>(std::string_view name)>;

// \name first, 'as it is', "with \" and \\", a\ b; a word that begins with # ends the line. A word that begins with an
// unquoted colon stands for a value and stays one word. Exit 2 for an open quote or an unknown value.
[[nodiscard]] Result<Line, Failure> split_line(std::string_view text, const Lookup& lookup);

// The words as one line that splits into the same words again.
[[nodiscard]] std::string join_words(const std::vector<std::string>& words);

// What may be typed shorter in a shell than on the command line, turned into what may be typed in both.

// True for the first word of a command, and for what the shell itself understands: no alias hides it.
[[nodiscard]] bool means_something(const std::string& word);

// Aliases; `.` for the command before; `x 3 4` for cancelling those rows of the last table; the market in use
// where a command needs one and none is given; `50%` as a size of `buy` and `sell` for closing that part of the position.
// What is none of these comes back as it is.
[[nodiscard]] Result<std::vector<std::string>, Failure> expand_shorthand(std::vector<std::string> words,
                                                                         const ShellState& state);

// The flags that a shell was started with and that hold for each of its lines.

// The global flags as typed; those of the shell itself are left out.
[[nodiscard]] std::vector<FlagWords> flags_of_every_line(const Context& context);

}  // namespace svc::cli
