// orders place, buy, sell
#include <array>

#include "api/ops/orders.h"
#include "base/decimal.h"
#include "cli/commands/groups.h"
#include "cli/commands/order_terms.h"
#include "cli/commands/order_views.h"
#include "cli/commands/read.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array side_words{"buy"sv, "sell"sv};

Result<Answer, Stop> place(Context& context, const OrderTerms& terms, const ClientIdFlag& client_id,
                           const ActionFlag& action) {
  const auto id = client_id.take(context);
  if (!id) return unexpected(Stop(id.error()));
  auto order = order_of(terms, *id);
  if (!order) return unexpected(Stop(order.error()));
  auto exchange = Exchange::open(context);
  if (!exchange) return unexpected(Stop(exchange.error()));
  if (const auto sized = resolve_notional(context, *exchange, terms, *order); !sized) return unexpected(sized.error());

  Call call = call_of<api::ops::PlaceOrder>(*order);
  call.action = action.choice();
  call.client_ids = {*id};
  call.direction = order->reduce_only ? Direction::way_out : Direction::risk;
  call.look_up = {command_line(context, "orders get --client-id " + *id)};
  context.facts().meta.set("client_id", *id);
  auto reply = exchange->call(call);
  if (!reply) return unexpected(reply.error());
  context.say("client-id " + *id);
  return answer_of(std::move(*reply), placed_order_view());
}

class PlaceOrder final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", terms_.market, "market, such as BTC-USDX-PERP");
    arguments.choice("--side", terms_.side, side_words, "buy or sell");
    arguments.decimal("--size", terms_.size, "N", "size in base units");
    arguments.decimal("--price", terms_.price, "PRICE", "limit price");
    terms_.declare(arguments);
    client_id_.declare(arguments);
    action_.declare(arguments);
    arguments.planned("--ttl");
  }
  Result<Answer, Stop> run(Context& context) override { return place(context, terms_, client_id_, action_); }

 private:
  OrderTerms terms_;
  ClientIdFlag client_id_;
  ActionFlag action_;
};

// svc buy SIZE MARKET [@ PRICE]
class ShortOrder : public Command {
 public:
  explicit ShortOrder(std::string side) { terms_.side = std::move(side); }
  void declare(Arguments& arguments) override {
    arguments.positional("SIZE", size_, "size in base units");
    arguments.positional("MARKET", terms_.market, "market, such as BTC-USDX-PERP");
    arguments.remaining("@", at_, "limit price: @ 64950");
    arguments.decimal("--price", terms_.price, "PRICE", "limit price, same as @ PRICE");
    terms_.declare(arguments);
    client_id_.declare(arguments);
    action_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    if (const auto understood = understand(); !understood) return unexpected(Stop(understood.error()));
    return place(context, terms_, client_id_, action_);
  }

 private:
  Result<void, Failure> understand() {
    const auto is_amount = [](const std::string& text) {
      const auto number = parse_decimal(text);
      return number && number->coefficient > 0;
    };
    if (!is_amount(size_)) {
      return unexpected(usage_error("SIZE must be a positive decimal such as 0.25, not \"" + size_ + "\""));
    }
    terms_.size = size_;
    if (terms_.notional) return unexpected(usage_error("SIZE and --notional exclude each other"));
    if (at_.empty()) return {};
    std::string joined;
    for (const std::string& word : at_) joined += word;
    const bool sound = at_.size() <= 2 && joined.starts_with('@') && is_amount(joined.substr(1));
    if (!sound) return unexpected(usage_error("after MARKET only @ PRICE may follow, such as @ 64950"));
    if (terms_.price) return unexpected(usage_error("@ PRICE and --price exclude each other"));
    terms_.price = joined.substr(1);
    return {};
  }

  OrderTerms terms_;
  std::string size_;
  std::vector<std::string> at_;
  ClientIdFlag client_id_;
  ActionFlag action_;
};

struct Buy final : ShortOrder {
  Buy() : ShortOrder("buy") {}
};
struct Sell final : ShortOrder {
  Sell() : ShortOrder("sell") {}
};

constexpr std::array rows{
    CommandRow{"buy", "SIZE MARKET [@ PRICE]", "Buy: limit with a price, else at market", make<Buy>},
    CommandRow{"sell", "SIZE MARKET [@ PRICE]", "Sell: limit with a price, else at market", make<Sell>},
    CommandRow{"orders place", "MARKET --side buy|sell --size N [--price PRICE]", "Place an order", make<PlaceOrder>},
};

}  // namespace

std::span<const CommandRow> order_entry_commands() {
  return rows;
}

}  // namespace svc::cli
