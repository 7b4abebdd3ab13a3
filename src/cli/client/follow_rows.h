// --follow: a list that goes on. Rows that are there come first, oldest on top; then each new one, once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/client/context.h"
#include "cli/terminal/answer.h"
#include "cli/terminal/json.h"

namespace svc::cli {

// The rows after that one, oldest first; without one the newest few.
using RowsAfter = std::function<Result<std::vector<Json>, Stop>(const std::optional<Json>& last)>;

// Prints until a signal comes. Passing failures are told on standard error and tried again; a row is never printed twice.
[[nodiscard]] Result<Answer, Stop> follow_rows(Context& context, const View& view, const RowsAfter& rows_after);

// Lines that are printed as they come: as they are, or what --jq makes of each.

// Whether a stream of lines goes out line by line: asked for, in a pipe, or because --jq stands without -o.
[[nodiscard]] bool prints_stream_lines(Context& context);

// Exit 2 for formats that need columns; `what` has none.
[[nodiscard]] Result<void, Failure> check_stream_format(const Context& context, std::string_view what);

// What an expression cannot make anything of is told, and the stream goes on.
[[nodiscard]] Written print_stream_line(Context& context, const Json& line);

}  // namespace svc::cli
