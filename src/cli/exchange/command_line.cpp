#include "cli/exchange/command_line.h"

namespace svc::cli {

std::string command_line(Context& context, std::string_view command) {
  const auto name = context.network_name();
  const Globals& globals = context.globals();
  std::string line = "svc ";
  if (name) line += "-n " + name->text + " ";
  if (context.is_typed("auth") && globals.auth == AuthChoice::agent) line += "--auth agent ";
  if (globals.signer) line += "--signer " + *globals.signer + " ";
  if (globals.account) line += "-a " + to_string(*globals.account) + " ";
  return line + std::string(command);
}

}  // namespace svc::cli
