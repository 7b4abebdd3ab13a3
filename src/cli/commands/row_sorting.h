// --sort of commands that show rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "cli/arguments.h"

namespace svc::cli {

struct SortFlag {
  std::optional<std::string> by;

  void declare(Arguments& arguments);

  // Before anything is asked for: exit 2 names the columns there are.
  [[nodiscard]] Result<void, Failure> check(const std::vector<std::string>& columns) const;

  // Puts the rows, and the records behind them, in the order asked for. Numbers compare as numbers, exactly, ages as
  // ages; what is missing comes last.
  void apply(Answer& answer) const;
};

}  // namespace svc::cli
