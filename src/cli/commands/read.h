// Commands that read one thing and show it.
#pragma once

#include "api/market_id.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/context.h"
#include "cli/exchange/exchange.h"

namespace svc::cli {

class ReadCommand : public Command {
 public:
  void declare(Arguments&) override {}
  [[nodiscard]] Result<Answer, Stop> run(Context& context) final {
    auto exchange = Exchange::open(context);
    if (!exchange) return unexpected(Stop(exchange.error()));
    const auto wanted = call();
    if (!wanted) return unexpected(Stop(wanted.error()));
    auto reply = exchange->call(*wanted);
    if (!reply) return unexpected(reply.error());
    return render(context, std::move(*reply));
  }

 protected:
  [[nodiscard]] virtual Result<Call, Failure> call() = 0;
  [[nodiscard]] virtual Answer render(Context& context, Reply reply) = 0;
};

[[nodiscard]] inline Answer answer_of(Reply reply, View view) {
  return {.data = std::move(reply.body), .view = std::move(view), .raw = std::move(reply.raw)};
}

// An operation without parameters.
template <class Op, View (*view)()>
class PlainRead final : public ReadCommand {
 protected:
  Result<Call, Failure> call() override { return call_of<Op>(); }
  Answer render(Context&, Reply reply) override { return answer_of(std::move(reply), view()); }
};

// A market named as the one positional; exit 2 if it cannot be a market.
[[nodiscard]] Result<api::MarketId, Failure> market_id(const std::string& text);

}  // namespace svc::cli
