#include "cli/commands/plan_confirmation.h"

namespace svc::cli {

Result<void, Failure> confirm_changes(Context& context, std::size_t count) {
  const std::string changes = std::to_string(count) + (count == 1 ? " change" : " changes");
  // On real funds the confirmation of every write is the stricter one.
  if (context.globals().yes || context.globals().confirm) return {};
  if (!context.may_ask()) {
    return unexpected(Failure{.exit = ExitCode::confirmation,
                              .code = "confirmation",
                              .message = changes + " need a yes; nothing was changed",
                              .actions = {"add --yes"}});
  }
  const auto typed = context.environment().ask("apply " + changes + "? [y/N] ", Echo::shown);
  if (typed && (typed->reveal() == "y" || typed->reveal() == "yes")) return {};
  return unexpected(Failure{.exit = ExitCode::confirmation, .code = "confirmation", .message = "declined"});
}

}  // namespace svc::cli
