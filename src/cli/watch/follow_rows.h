// --follow: a list that goes on. Rows that are there come first, oldest on top; then each new one, once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "cli/context.h"

namespace svc::cli {

// The rows after that one, oldest first; without one the newest few.
using RowsAfter = std::function<Result<std::vector<Json>, Stop>(const std::optional<Json>& last)>;

// Prints until a signal comes. Passing failures are told on standard error and tried again; a row is never printed twice.
[[nodiscard]] Result<Answer, Stop> follow_rows(Context& context, const View& view, const RowsAfter& rows_after);

}  // namespace svc::cli
