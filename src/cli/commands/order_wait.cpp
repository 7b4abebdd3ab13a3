// orders wait
#include <array>

#include "cli/commands/groups.h"
#include "cli/commands/order_lookup.h"
#include "cli/commands/order_views.h"
#include "cli/watch/order_waiter.h"

namespace svc::cli {
namespace {

View waited_view() {
  return {{{"order_id", "order.id"},
           {"status", "order.status"},
           {"filled", "order.filled_qty"},
           {"avg_price", "", average_price},
           {"waited_ms", "waited_ms"}},
          Layout::rows};
}

class WaitForOrder final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ORDER_ID", order_id_, "order id");
    arguments.choice("--for", wanted_, wait_words, "what it should come to (default filled)");
    arguments.text("--market", market_, "MARKET", "market of the order (default: it is looked up)");
    // Here the time that matters is the order's, not that of one request.
    arguments.give_way("--timeout");
    arguments.text("--timeout", timeout_, "D", "wait at most so long, such as 90s (default 30s); then exit 17");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto wish = SVC_TRY(WaitFlags{.state = wanted_.value_or("filled"), .timeout = timeout_}.understand());
    SVC_TRY(order_ref(order_id_, market_));
    if (!market_) {
      auto exchange = SVC_TRY(Exchange::open(context));
      auto market = SVC_TRY(find_market_of(exchange, order_id_));
      market_ = std::move(market);
    }
    const auto waited = SVC_TRY(wait_for_order(context, order_id_, *market_, wish->wanted, wish->timeout_ms));
    return Answer{
        .data = Json::object({{"order", waited.order}, {"fills", waited.fills}, {"waited_ms", waited.waited_ms}}),
        .view = waited_view(),
        .failure = failure_of(waited, wish->wanted, order_id_)};
  }

 private:
  std::string order_id_;
  std::optional<std::string> wanted_;
  std::optional<std::string> market_;
  std::optional<std::string> timeout_;
};

constexpr std::array order_wait_rows{
    CommandRow{"orders wait", "ORDER_ID [--for filled|open|terminal]", "Wait until an order is filled, open or over",
               make<WaitForOrder>},
};

}  // namespace

std::span<const CommandRow> order_wait_commands() {
  return order_wait_rows;
}

}  // namespace svc::cli
