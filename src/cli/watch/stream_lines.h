// Lines that are printed as they come: as they are, or what --jq makes of each.
#pragma once

#include "cli/context.h"
#include "cli/json.h"

namespace svc::cli {

// Whether a stream of lines goes out line by line: asked for, in a pipe, or because --jq stands without -o.
[[nodiscard]] bool prints_stream_lines(Context& context);

// Exit 2 for formats that need columns; `what` has none.
[[nodiscard]] Result<void, Failure> check_stream_format(const Context& context, std::string_view what);

// What an expression cannot make anything of is told, and the stream goes on.
[[nodiscard]] Written print_stream_line(Context& context, const Json& line);

}  // namespace svc::cli
