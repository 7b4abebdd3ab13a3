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

// `words` with the name first; `text` is the line as typed, for what takes the rest of it as it is.
[[nodiscard]] Result<int, Failure> run_meta(Shell& shell, const std::vector<std::string>& words, std::string_view text);

// How answers are shown, for all commands of a shell.

// \pset NAME VALUE: a global flag about output for all lines that do not say it themselves; without a value
// it is taken back, without a name all are listed.
[[nodiscard]] Result<int, Failure> set_print(Shell& shell, const std::vector<std::string>& words);

// That format for all lines; a second time back to what it was before.
[[nodiscard]] Result<int, Failure> toggle_output(Shell& shell, std::string_view format);

}  // namespace svc::cli
