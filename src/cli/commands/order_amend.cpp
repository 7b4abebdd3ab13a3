// orders amend
#include <array>

#include "api/ops/orders.h"
#include "cli/commands/decimal_math.h"
#include "cli/commands/groups.h"
#include "cli/commands/order_lookup.h"
#include "cli/commands/order_views.h"
#include "cli/commands/plain_write.h"
#include "cli/commands/read.h"
#include "cli/commands/term_reader.h"
#include "cli/commands/write_flags.h"
#include "cli/watch/order_waiter.h"

namespace svc::cli {
namespace {

std::string change(const std::string& old, const std::string& now) {
  return old == now || old.empty() || old == "-" ? now : old + "\u2192" + now;
}

std::string price_change(const Json& order) {
  const Json* replaced = order.find("replaces");
  return change(replaced == nullptr ? std::string() : limit_price(*replaced), limit_price(order));
}

std::string size_change(const Json& order) {
  return change(cell_text(order.at("replaces.quantity")), cell_text(order.find("quantity")));
}

View amended_view() {
  return {{{"order_id", "id"},
           {"replaces", "replaces.id"},
           {"client_id", "client_id"},
           {"market", "market_id"},
           {"side", "", order_side},
           {"price", "", price_change},
           {"size", "", size_change},
           {"filled", "filled_qty"},
           {"status", "status"}},
          Layout::rows};
}

// The service replaces the order: the answer has a new id, and the old one is in the columns.
class AmendOrder final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ORDER_ID", order_id_, "order to change");
    arguments.text("--price", price_, "PRICE", "new price, or mid-5bps, bid+1t");
    arguments.text("--size", size_, "N", "new total size, what is filled included");
    arguments.text("--market", market_, "MARKET", "market of the order (default: it is looked up)");
    action_.declare(arguments);
    wait_.declare(arguments);
    refuse_order_flags(arguments);
  }

  Result<Answer, Stop> run(Context& context) override {
    const auto wish = SVC_TRY(wait_.understand());
    if (!price_ && !size_) return unexpected(Stop(usage_error("give --price, --size or both")));
    auto found = SVC_TRY(order_ref(order_id_, market_));
    std::optional<RelativePrice> relative;
    if (price_) {
      const auto term = SVC_TRY(parse_price_term("--price", *price_));
      relative = term;
    }
    if (size_) {
      const auto term = SVC_TRY(parse_size_term("--size", *size_));
      if (term) return unexpected(Stop(usage_error("--size of an amendment is a plain number such as 0.25")));
    }
    auto exchange = SVC_TRY(Exchange::open(context));

    Json before;
    if (context.may_read()) {
      auto old = SVC_TRY(find_order(exchange, found));
      before = std::move(old);
      found.market_id = api::MarketId{std::string(before.string_at("market_id").value_or(""))};
    }
    if (relative) {
      TermReader reader(context, exchange, found.market_id.value_or(api::MarketId{}));
      const bool buys = before.string_at("side") == "Buy";
      const auto resolved = SVC_TRY(reader.resolve("price", *price_, *relative, buys ? Rounding::down : Rounding::up));
      price_ = resolved;
    }
    const auto decimal = [](const std::optional<std::string>& text) {
      return text ? std::optional(api::DecimalText(completed_decimal(*text))) : std::nullopt;
    };
    Call call = call_of<api::ops::AmendOrder>(
        {.order_id = found.order_id, .market_id = found.market_id, .price = decimal(price_), .size = decimal(size_)});
    call.action = action_.choice();
    call.look_up = {command_line(context, "orders get " + order_id_), command_line(context, "orders list")};
    auto reply = SVC_TRY(exchange.call(call));
    Answer answer = answer_of(std::move(reply), amended_view());
    if (wish) {
      Answer whole{.data = Json::object({{"order", answer.data}})};
      SVC_TRY(wait_in_answer(context, *wish, whole));
      answer.data = *whole.data.find("order");
      answer.failure = std::move(whole.failure);
      answer.raw.reset();
    }
    answer.rows = answer.data;
    answer.rows->set("replaces", std::move(before));
    return answer;
  }

 private:
  std::string order_id_;
  std::optional<std::string> price_, size_, market_;
  ActionFlag action_;
  WaitFlags wait_;
};

constexpr std::array order_amend_rows{
    CommandRow{"orders amend", "ORDER_ID [--price PRICE] [--size N]", "Change price or size of an open order",
               make<AmendOrder>},
};

}  // namespace

std::span<const CommandRow> order_amend_commands() {
  return order_amend_rows;
}

}  // namespace svc::cli
