// completion; and what completion starts by itself
#include <array>

#include "api/ops/markets.h"
#include "api/ops/orders.h"
#include "cli/arguments.h"
#include "cli/commands/groups.h"
#include "cli/commands/read.h"
#include "cli/completion/cache.h"
#include "cli/completion/scripts.h"

namespace svc::cli {
namespace {

class Completion final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("SHELL", shell_, "bash, zsh or fish"); }
  Result<Answer, Stop> run(Context&) override {
    for (const std::string_view shell : completion_shells) {
      if (shell != shell_) continue;
      const std::string script(completion_script(shell));
      return Answer{.data = Json::object({{"shell", shell}, {"script", script}}), .text = script, .raw = script};
    }
    return unexpected(Stop(usage_error("completion is there for bash, zsh and fish, not \"" + shell_ + "\"")));
  }

 private:
  std::string shell_;
};

// Started apart from everything by completion: reads what it will need next time.
class Refresh final : public Command {
 public:
  void declare(Arguments&) override {}
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto read = [&](const Call& call) {
      auto reply = exchange.call(call);
      return reply ? std::move(reply->body) : Json();
    };
    const Json markets = read(call_of<api::ops::ListMarkets>());
    const Json orders = read(call_of<api::ops::ListOrders>());
    const auto kept =
        keep_for_completion(**context.paths(), exchange.network().name, markets, orders, context.now_ms());
    if (!kept) return unexpected(Stop(kept.error()));
    return Answer{};
  }
};

constexpr std::array completion_rows{
    CommandRow{"completion", "SHELL", "Print what makes a shell complete svc commands", make<Completion>},
};
constexpr std::array hidden{
    CommandRow{"__refresh", "", "Read what completion needs", make<Refresh>},
};

}  // namespace

std::span<const CommandRow> completion_commands() {
  return completion_rows;
}

std::span<const CommandRow> hidden_commands() {
  return hidden;
}

}  // namespace svc::cli
