// Writes that may move real money need the network on the command line and a confirmation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "cli/client/call.h"
#include "cli/client/context.h"

namespace svc::cli {

// Reads, logging in, reading by POST, and tokens of streams.
[[nodiscard]] bool moves_nothing(const api::Operation& operation);

// Play funds, reads and dry runs pass. On real funds (unknown counts as real) a write needs -n on the
// command line (exit 14) and --confirm NETWORK or the name typed at a prompt (exit 3); --yes is not
// enough. Cancels and reduce-only orders need only -n: the way out is never blocked.
//
// In a shell the name that was typed for an order holds for those after it, as long as each is worth no more than
// `shell.notional`; everything else, and every larger order, is asked about again.
struct ShellOrders {
  std::optional<std::int64_t> notional_micro_usdx_max;  // nullopt: any
  // What the orders of the call are worth; nullopt if that cannot be told.
  std::function<std::optional<std::int64_t>()> worth_micro_usdx;
};
[[nodiscard]] Result<void, Failure> guard_real_funds(Context& context, const Network& network, const Call& call,
                                                     const ShellOrders& shell);

// A host that does not say which network it serves may be any, with real funds as well: what is signed for it, and every
// secret sent to it, needs -n on the command line (exit 14) and --confirm NETWORK or the name typed (exit 3). (D-635)
[[nodiscard]] Result<void, Failure> guard_silent_host(Context& context, const Network& network);

}  // namespace svc::cli
