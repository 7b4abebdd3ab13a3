// Commands of the shell itself; they begin with a backslash.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/failure.h"

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

}  // namespace svc::cli
