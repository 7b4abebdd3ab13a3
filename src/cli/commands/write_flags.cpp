#include "cli/commands/write_flags.h"

#include <algorithm>
#include <array>

#include "base/limits.h"
#include "cli/exchange/client_id.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array action_words{"sign"sv, "omit"sv};

}  // namespace

void ActionFlag::declare(Arguments& arguments) {
  arguments.choice("--action", word, action_words,
                   "signed action: demand it, or leave it out (default: sign if unlocked)");
}

ActionChoice ActionFlag::choice() const {
  if (!word) return ActionChoice::when_unlocked;
  return *word == "sign" ? ActionChoice::demanded : ActionChoice::omitted;
}

void ClientIdFlag::declare(Arguments& arguments) {
  arguments.text("--client-id", given, "ID", "your own id of the order (default: a new one)");
}

Result<std::string, Failure> ClientIdFlag::take(Context& context) const {
  if (!given) return make_client_id(context.environment());
  const auto printable = [](char c) { return c > ' ' && c <= '~'; };
  if (given->empty() || given->size() > limits::client_id_chars_max ||
      !std::all_of(given->begin(), given->end(), printable)) {
    return unexpected(usage_error("--client-id must be 1 to " + std::to_string(limits::client_id_chars_max) +
                                  " printable characters without blanks"));
  }
  return *given;
}

std::string command_line(Context& context, std::string_view command) {
  const auto name = context.network_name();
  return "svc " + (name ? "-n " + name->text + " " : std::string()) + std::string(command);
}

}  // namespace svc::cli
