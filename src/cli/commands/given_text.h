// Text that a flag names: a file, or "-" for standard input.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/context.h"

namespace svc::cli {

// At most limits::input_bytes_max; `what` names the file in messages.
[[nodiscard]] Result<std::string, Failure> read_text(Context& context, const std::string& file, std::string_view what);

}  // namespace svc::cli
