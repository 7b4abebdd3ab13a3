// Which agent key signs.
#pragma once

#include "base/result.h"
#include "cli/context.h"
#include "cli/secrets/agent_store.h"

namespace svc::cli {

// --signer, or the only agent filed here that is not expired and, with -a, registered for that account. Exit 4 with the
// command that helps if there is none or more than one.
[[nodiscard]] Result<AgentRecord, Failure> choose_agent(Context& context, std::string_view network);

}  // namespace svc::cli
