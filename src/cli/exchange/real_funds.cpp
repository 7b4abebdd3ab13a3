#include "cli/exchange/real_funds.h"

namespace svc::cli {
namespace {

// Logging in, reading by POST and tokens of streams move nothing.
bool moves_nothing(const api::Operation& operation) {
  return !operation.is_write() || operation.name == "login" || operation.name == "preview_order" ||
         operation.group == "streams";
}

}  // namespace

Result<void, Failure> guard_real_funds(Context& context, const Network& network, const Call& call) {
  const Globals& globals = context.globals();
  if (!network.real_funds() || globals.dry_run || moves_nothing(*call.operation)) return {};
  const std::string funds = network.funds == Funds::real ? "real funds" : "funds of unknown kind, which count as real";
  if (network.by != NamedBy::command_line) {
    return unexpected(guard("network_not_named", "network " + network.name + " holds " + funds + "; a write needs -n " +
                                                     network.name + " on the command line"));
  }
  if (call.direction == Direction::way_out) return {};
  if (globals.confirm) {
    if (*globals.confirm == network.name) return {};
    return unexpected(
        Failure{.exit = ExitCode::confirmation,
                .code = "confirmation",
                .message = "--confirm names " + *globals.confirm + ", but the network is " + network.name});
  }
  if (!context.may_ask()) {
    return unexpected(
        Failure{.exit = ExitCode::confirmation,
                .code = "confirmation",
                .message = "network " + network.name + " holds " + funds + "; a write needs a confirmation",
                .actions = {"add --confirm " + network.name}});
  }
  const auto typed = context.environment().ask(
      "network " + network.name + " holds " + funds + "; type its name to go on: ", Echo::shown);
  if (typed && typed->reveal() == network.name) return {};
  return unexpected(Failure{.exit = ExitCode::confirmation, .code = "confirmation", .message = "declined"});
}

}  // namespace svc::cli
