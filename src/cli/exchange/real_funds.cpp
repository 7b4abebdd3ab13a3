#include "cli/exchange/real_funds.h"

#include "base/decimal.h"
#include "cli/sitting.h"

namespace svc::cli {
namespace {

bool orders_something(const api::Operation& operation) {
  return operation.name == "place_order" || operation.name == "place_orders" || operation.name == "amend_order";
}

bool within(const ShellOrders& shell) {
  if (!shell.notional_micro_usdx_max) return true;
  const auto worth = shell.worth_micro_usdx();
  return worth && *worth <= *shell.notional_micro_usdx_max;
}

std::string up_to(const ShellOrders& shell) {
  if (!shell.notional_micro_usdx_max) return "";
  return " of up to " + format_scaled(*shell.notional_micro_usdx_max, usdx_decimals) + " USDX each";
}

}  // namespace

bool moves_nothing(const api::Operation& operation) {
  return !operation.is_write() || operation.name == "login" || operation.name == "preview_order" ||
         operation.group == "streams";
}

Result<void, Failure> guard_real_funds(Context& context, const Network& network, const Call& call,
                                       const ShellOrders& shell) {
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
  Sitting* sitting = context.environment().sitting;
  const bool shell_order = sitting != nullptr && orders_something(*call.operation);
  if (shell_order && sitting->orders_agreed && within(shell)) return {};
  std::string question = "network " + network.name + " holds " + funds + "; type its name to go on";
  if (shell_order && !sitting->orders_agreed) {
    question += " (it then holds for the orders of this shell" + up_to(shell) + ")";
  }
  const auto typed = context.environment().ask(question + ": ", Echo::shown);
  if (typed && typed->reveal() == network.name) {
    if (shell_order) sitting->orders_agreed = true;
    return {};
  }
  return unexpected(Failure{.exit = ExitCode::confirmation, .code = "confirmation", .message = "declined"});
}

}  // namespace svc::cli
