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
  if (!given) return make_order_id(context.environment());
  const auto printable = [](char c) { return c > ' ' && c <= '~'; };
  if (given->empty() || given->size() > limits::client_id_chars_max ||
      !std::all_of(given->begin(), given->end(), printable)) {
    return unexpected(usage_error("--client-id must be 1 to " + std::to_string(limits::client_id_chars_max) +
                                  " printable characters without blanks"));
  }
  const auto prefix = client_id_prefix(context.environment());
  if (prefix && !given->starts_with(*prefix)) {
    context.notice("outside_guard", "the guard cancels orders whose client id begins with " + *prefix +
                                        ", and this is " + *given);
  }
  return *given;
}

}  // namespace svc::cli
