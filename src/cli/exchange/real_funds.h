// Writes that may move real money need the network on the command line and a confirmation.
#pragma once

#include "base/result.h"
#include "cli/context.h"
#include "cli/exchange/call.h"

namespace svc::cli {

// Play funds, reads and dry runs pass. On real funds (unknown counts as real) a write needs -n on the
// command line (exit 14) and --confirm NETWORK or the name typed at a prompt (exit 3); --yes is not
// enough. Cancels and reduce-only orders need only -n: the way out is never blocked.
[[nodiscard]] Result<void, Failure> guard_real_funds(Context& context, const Network& network, const Call& call);

}  // namespace svc::cli
