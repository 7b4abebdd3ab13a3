// A shell with a person at the keyboard.
#pragma once

#include "base/result.h"
#include "cli/client/context.h"
#include "cli/shell/shell.h"

namespace svc::cli {

// Reads and runs lines until the person leaves; the exit code is 0 then.
[[nodiscard]] Result<int, Failure> run_by_hand(Shell& shell, Context& context, const Network& network,
                                               const Paths& paths);

}  // namespace svc::cli
