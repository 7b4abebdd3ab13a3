// Opens a shell: with a person at the keyboard, for a program at the other end of a pipe, or for lines that are given.
#pragma once

#include "cli/client/context.h"

namespace svc::cli {

[[nodiscard]] Result<Answer, Stop> open_shell(Context& context, const ShellLines& lines);

}  // namespace svc::cli
