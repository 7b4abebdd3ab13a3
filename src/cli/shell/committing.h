// Sends what is staged, and keeps what provably did not happen.
#pragma once

#include "base/result.h"
#include "cli/failure.h"
#include "cli/shell/runner.h"
#include "cli/shell/shell_state.h"

namespace svc::cli {

// Tells a line each of what did not go as wished; `state.staged` is afterwards what may be sent again, or nothing. After
// a call that failed only cancels are sent: the way out is open whatever happened to the rest. The exit code is that
// of the first call that failed. Nothing is sent, and all stays staged, if an entry cannot be sent as it stands.
[[nodiscard]] Result<int, Failure> commit_staged(ShellState& state, Runner& runner,
                                                 const std::function<void(std::string_view)>& say);

}  // namespace svc::cli
