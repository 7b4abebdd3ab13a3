#include "cli/client/confirmation.h"

#include "cli/client/redaction.h"

namespace svc::cli {
namespace {

constexpr std::size_t shown_body_chars_max = 1'000;  // of a long batch the beginning

bool within(const ShellOrders& shell) {
  if (!shell.notional_micro_usdx_max) return true;
  const auto worth = shell.worth_micro_usdx();
  return worth && *worth <= *shell.notional_micro_usdx_max;
}

Failure not_named(const Network& network, const std::string& why) {
  return guard("network_not_named", why + "; this needs -n " + network.name + " on the command line");
}

template <class... Parts>
Failure not_confirmed(const Parts&... parts) {
  return failed("confirmation", parts...);
}

// Whether --confirm NETWORK was given; if not, there is somebody to ask.
Result<bool> confirmed_by_flag(Context& context, const Network& network, const std::string& why) {
  SVC_TRY(check_confirmed_name(context, network));
  if (context.globals().confirm) return true;
  if (!context.may_ask())
    return not_confirmed(why, "; this needs a confirmation").to_try({"add --confirm " + network.name});
  return false;
}

// What would be sent, and where.
std::string shown(const Network& network, const Call& call) {
  std::string text = concat(api::to_string(call.operation->method), ' ', network.origin(), call.path);
  if (!call.query.empty()) text += shown_target("?" + call.query, Mask::size);
  const std::string body = call.document ? redacted(*call.document, Mask::size).dump() : std::string();
  return body.empty() ? text : text + ' ' + shortened(body, shown_body_chars_max);
}

Result<void> typed_name(Context& context, const std::string& name, const std::string& question) {
  const auto typed = context.environment().ask(question + ": ", Echo::shown);
  if (typed && typed->reveal() == name) return {};
  return not_confirmed("declined");
}

}  // namespace

Result<void> check_confirmed_name(const Context& context, const Network& network) {
  const auto& confirm = context.globals().confirm;
  if (!confirm || *confirm == network.name) return {};
  return not_confirmed("--confirm names ", *confirm, ", but the network is ", network.name);
}

Result<Confirmed> guard_real_funds(Context& context, const Network& network, const Call& call,
                                   const ShellOrders& shell) {
  const Globals& globals = context.globals();
  if (!network.real_funds() || globals.dry_run || !call.operation->changes_something()) return Confirmed::command;
  const std::string holds =
      "network " + network.name + " holds " +
      (network.funds == Funds::real ? "real funds" : "funds of unknown kind, which count as real");
  if (network.by != NamedBy::command_line) return not_named(network, holds);
  if (call.direction == Direction::way_out) return Confirmed::this_call;
  ShellSession* shell_session = context.shell_session();
  const bool shell_order = shell_session != nullptr && sets_orders(call.operation->orders);
  // Also where nobody can be asked.
  if (shell_order && shell_session->orders_agreed && !globals.confirm && within(shell)) return Confirmed::this_call;
  if (SVC_TRY(confirmed_by_flag(context, network, holds))) return Confirmed::command;
  std::string question = shown(network, call) + '\n' + holds + "; type its name to go on";
  if (shell_order && !shell_session->orders_agreed) {
    const auto& most = shell.notional_micro_usdx_max;
    const std::string up_to = most ? concat(" of up to ", format_scaled(*most, usdx_decimals), " USDX each") : "";
    question += " (it then holds for the orders of this shell" + up_to + ")";
  }
  const bool was_locked = shell_order && shell_session->locked;
  SVC_TRY(typed_name(context, network.name, question));
  // A question that stays open for too long locks the shell as well.
  if (shell_order) shell_session->orders_agreed = shell_session->locked == was_locked;
  return shell_order ? Confirmed::this_call : Confirmed::command;
}

Result<void> ask_to_go_on(Context& context, const std::string& question, std::initializer_list<std::string_view> agreed,
                          Failure unasked) {
  if (context.globals().yes) return {};
  if (!context.may_ask()) return unexpected(std::move(unasked));
  const auto typed = context.environment().ask(question, Echo::shown);
  if (typed && is_among(typed->reveal(), agreed)) return {};
  return not_confirmed("declined");
}

Result<void> ask_for_name(Context& context, const Network& network, const std::string& what, const std::string& name) {
  const std::string question = what + "; type " + name + " to go on";
  if (!network.real_funds())
    return ask_to_go_on(context, question + ": ", {name}, not_confirmed("not confirmed: ", what).to_try({"add --yes"}));
  if (SVC_TRY(confirmed_by_flag(context, network, what))) return {};
  return typed_name(context, name, question);
}

Result<void> guard_silent_host(Context& context, const Network& network) {
  const std::string why = network.origin() + " does not say which network it serves";
  if (network.by != NamedBy::command_line) return not_named(network, why);
  if (SVC_TRY(confirmed_by_flag(context, network, why))) return {};
  return typed_name(context, network.name, why + "; type " + network.name + " if it serves that");
}

}  // namespace svc::cli
