// Writes that may move real money need the network on the command line and a confirmation.
#pragma once

#include "cli/client/call.h"
#include "cli/client/context.h"
#include "cli/store/network.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// Exit 3 if --confirm names another network: the command is on its way to one that is not meant, whatever its funds.
Result<void> check_confirmed_name(const Context& context, const Network& network);

// Play funds, reads and dry runs pass. On real funds (unknown counts as real) a write needs -n on the
// command line (exit 14) and --confirm NETWORK or the name typed at a prompt (exit 3); --yes is not
// enough. Cancels and reduce-only orders need only -n: the way out is never blocked.
//
// In a shell, the network name typed for one order covers the following orders of at most `notional_micro_usdx_max`.
// Everything else, and every larger order, is confirmed each time.
struct ShellOrders {
  std::optional<std::int64_t> notional_micro_usdx_max;  // nullopt: any
  // The value of the call's orders; nullopt if not known.
  std::function<std::optional<std::int64_t>()> worth_micro_usdx;
};
// What a confirmation covers.
enum class Confirmed : std::uint8_t { command, this_call };
Result<Confirmed> guard_real_funds(Context& context, const Network& network, const Call& call,
                                   const ShellOrders& shell);

// Asks whether to go on, unless --yes was given; one of `agreed` means yes. Exit 3 if the answer is another one, or
// `unasked` if there is nobody to ask.
Result<void> ask_to_go_on(Context& context, const std::string& question, std::initializer_list<std::string_view> agreed,
                          Failure unasked);

// The same for a change on this machine that cannot be undone, with a name to type. Where the network holds real funds
// --yes is not enough; --confirm NETWORK is.
Result<void> ask_for_name(Context& context, const Network& network, const std::string& what, const std::string& name);

// A host that does not say which network it serves may hold real funds: signing for it, or sending it a secret, needs
// -n on the command line (exit 14) and --confirm NETWORK or the name typed (exit 3). (D-635)
Result<void> guard_silent_host(Context& context, const Network& network);

}  // namespace svc::cli
