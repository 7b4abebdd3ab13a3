// The flags that a shell was started with and that hold for each of its lines.
#pragma once

#include <vector>

#include "cli/context.h"
#include "cli/shell/shell_state.h"

namespace svc::cli {

// The global flags as typed; those of the shell itself are left out.
[[nodiscard]] std::vector<FlagWords> flags_of_every_line(const Context& context);

}  // namespace svc::cli
