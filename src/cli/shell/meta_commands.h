// Commands of the shell itself; they begin with a backslash.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

class Shell;

struct MetaCommand {
  std::string_view name;  // "\\watch"
  std::string_view usage;
  std::string_view summary;
  // `words` are those after the name.
  Result<int, Failure> (*run)(Shell& shell, const std::vector<std::string>& words);
};

// In the order of \?.
[[nodiscard]] std::span<const MetaCommand> meta_commands();

// `words` include the name; `text` is the line as typed, for commands that take the rest of it unchanged.
[[nodiscard]] Result<int, Failure> run_meta(Shell& shell, const std::vector<std::string>& words, std::string_view text);

// Output settings for all lines of a shell.

// \pset NAME VALUE: a global output flag for all lines that do not give it themselves. Without a value it is reset;
// without a name all settings are listed.
[[nodiscard]] Result<int, Failure> set_print(Shell& shell, const std::vector<std::string>& words);

// Switches all lines to that format; the second time back to the former one.
[[nodiscard]] Result<int, Failure> toggle_output(Shell& shell, std::string_view format);

}  // namespace svc::cli
