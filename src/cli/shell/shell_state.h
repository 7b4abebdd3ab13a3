// What a shell remembers from one line to the next.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/arguments/line_words.h"
#include "cli/client/context.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/json.h"

namespace svc::cli {

// One order or cancel that waits for \commit.
using Staged = std::vector<std::string>;

struct ShellState {
  std::string network{};                // where everything goes; another one needs another shell
  std::vector<FlagWords> globals{};     // flags that the shell was started with, put before every line
  std::optional<std::string> market{};  // `use`

  std::vector<std::string> last_words{};  // of the last command, expanded: `.`, \watch
  Json last_rows = Json::array();         // of the last table that showed rows
  Json last{};                            // the last answer's data: :last.path
  int last_exit = 0;

  std::map<std::string, std::string, std::less<>> variables{};             // \set
  std::map<std::string, std::vector<std::string>, std::less<>> aliases{};  // \alias
  std::vector<FlagWords> print_settings{};                                 // \pset; they win over `globals`
  std::optional<std::string> output_file{};                                // \o
  ShellSession shell_session{};
  bool timing = false;
  bool muted = false;
  std::optional<std::vector<Staged>> staged{};  // since \begin

  // The value of ":name": a variable, or a member of the last answer as "last.order.id".
  [[nodiscard]] std::optional<std::string> value_of(std::string_view name) const;
};

// What may be typed shorter in a shell than on the command line, turned into what may be typed in both.

// True for the first word of a command, and for what the shell itself understands: no alias hides it.
[[nodiscard]] bool means_something(const std::string& word);

// Aliases; `.` for the command before; `x 3 4` for cancelling those rows of the last table; the market in use
// where a command needs one and none is given; `50%` as a size of `buy` and `sell` for closing that part of the
// position. What is none of these comes back as it is.
[[nodiscard]] Result<std::vector<std::string>, Failure> expand_shorthand(std::vector<std::string> words,
                                                                         const ShellState& state);

}  // namespace svc::cli
