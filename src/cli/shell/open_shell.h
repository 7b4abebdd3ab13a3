// Opens a shell: for a user at the terminal, for a program at the other end of a pipe, or for given lines.
#pragma once

#include "cli/client/context.h"

namespace svc::cli {

[[nodiscard]] Result<Answer, Stop> open_shell(Context& context, const ShellLines& lines);

}  // namespace svc::cli
