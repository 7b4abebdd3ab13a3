#include "cli/commands/order_placing.h"

#include <array>

#include "api/contract/orders.h"
#include "cli/client/account_lookup.h"
#include "cli/client/refusal.h"
#include "cli/commands/command.h"
#include "cli/commands/market_names.h"
#include "cli/commands/read.h"
#include "cli/terminal/fit.h"
#include "cli/terminal/order_views.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

// The order with everything relative resolved.
Result<api::OrderRequest, Stop> absolute(Context& context, Exchange& exchange, const OrderTerms& terms,
                                         api::OrderRequest order) {
  TermReader reader(context, exchange, order.market_id);
  SVC_TRY(resolve(reader, terms, order));
  return order;
}

// What became of an order, as one would say it: "buy 0.25 BTC-USDX-PERP @ 60100: Filled 0.25 at 60100".
std::string sentence_of(const Json& placed) {
  const Json* order = placed.find("order");
  if (order == nullptr) return {};
  const auto text = [&](std::string_view key) { return std::string(order->string_at(key).value_or("")); };
  std::string line = order_text(*order) + ": " + text("status");
  const std::string filled = text("filled_qty");
  const std::string average = average_price(placed);
  if (!average.empty()) line += (text("status") == "Filled" ? " " : ", filled ") + filled + " at " + average;
  return line;
}

// On a terminal an order is confirmed by one line, its id with it, shortened where the line would not fit.
std::optional<std::string> confirmation_of(Context& context, const Json& placed) {
  const Presentation& shown = context.presentation();
  if (shown.format != Format::table || shown.expanded) return std::nullopt;
  std::string line = escaped(sentence_of(placed));
  const std::string id = escaped(placed.string_at("order.id").value_or(""));
  if (line.empty() || id.empty()) return std::nullopt;
  const auto fits = [&](const std::string& text) { return shown.width == 0 || width_of(text) <= shown.width; };
  if (fits(line + "  " + id)) return line + "  " + id + "\n";
  const std::string short_id = shortened_id(id, shown.utf8);
  if (fits(line + "  " + short_id)) return line + "  " + short_id + "\n";
  return line + "\n  " + (fits("  " + id) ? id : short_id) + "\n";
}

// How the market is set, on which the margin of the preview rests. Nothing if it cannot be read.
Json with_settings(Exchange& exchange, Json preview, const api::MarketId& market) {
  const auto setting = MarketSettings(exchange).of(market);
  if (!setting) return preview;
  preview.set("margin_mode", setting->margin_mode);
  preview.set("leverage", setting->leverage);
  return preview;
}

}  // namespace

void PlacingFlags::declare(Arguments& arguments) {
  client_id.declare(arguments);
  action.declare(arguments);
  wait.declare(arguments);
  arguments.flag("--preview", preview, "ask what the order would do, and do not place it (costs one trading token)");
}

Call placing_call(Context& context, const api::OrderRequest& order, ActionChoice action) {
  Call call = call_of<api::ops::PlaceOrder>(order);
  call.action = action;
  call.direction = order.reduce_only ? Direction::way_out : Direction::risk;
  if (order.client_id) {
    call.client_ids = {*order.client_id};
    call.look_up = {command_line(context, "orders get --client-id " + *order.client_id)};
  }
  return call;
}

Result<Answer, Stop> place_order(Context& context, const OrderTerms& terms, const PlacingFlags& flags) {
  if (flags.preview) return preview_order(context, terms);
  const auto wait = SVC_TRY(flags.wait.understand());
  const auto id = SVC_TRY(flags.client_id.take(context));
  const auto understood = SVC_TRY(order_of(terms, id));
  SVC_TRY(terms.force ? Result<void, Failure>() : check_trailing(understood));
  auto exchange = SVC_TRY(Exchange::open(context));
  const auto order = SVC_TRY(absolute(context, exchange, terms, understood));
  context.facts().meta.set("client_id", id);
  auto reply = SVC_TRY(exchange.call(placing_call(context, order, flags.action.choice())));
  Answer answer = answer_of(std::move(reply), placed_order_view());
  if (wait) {
    SVC_TRY(wait_in_answer(context, *wait, answer));
  }
  const Json* placed = answer.data.find("order");
  // That it had to fill at once says more than that it ended.
  const bool may_say_more = !answer.failure || answer.failure->code == order_ended_code;
  if (auto why = may_say_more && placed != nullptr ? not_filled(*placed) : std::nullopt) answer.failure = std::move(why);
  answer.text = confirmation_of(context, answer.data);
  return answer;
}

Result<Answer, Stop> preview_order(Context& context, const OrderTerms& terms) {
  // The answer is the same whichever command asked.
  context.facts().schema = "svc.orders.preview/1";
  auto understood = SVC_TRY(order_of(terms, {}));
  SVC_TRY(terms.force ? Result<void, Failure>() : check_trailing(understood));
  understood.client_id.reset();
  auto exchange = SVC_TRY(Exchange::open(context));
  const auto order = SVC_TRY(absolute(context, exchange, terms, understood));
  Call call = call_of<api::ops::PreviewOrder>(order);
  call.direction = Direction::way_out;  // it moves nothing
  auto reply = SVC_TRY(exchange.call(call));
  Answer answer = answer_of(std::move(reply), preview_view());
  if (shows_columns(context)) answer.rows = with_settings(exchange, answer.data, order.market_id);
  const Json* accepted = answer.data.find("accepted");
  if (accepted != nullptr && accepted->is(Json::Kind::boolean) && !accepted->truth()) {
    const std::string code(answer.data.string_at("reject_reason").value_or("rejected"));
    answer.failure = Failure{
        .exit = exit_of_code(code), .code = code, .message = "the order would be refused now; nothing was sent"};
  }
  return answer;
}

// orders place, preview; buy, sell

namespace {

using namespace std::string_view_literals;

constexpr std::array entry_sides{"buy"sv, "sell"sv};

// The service cancels no order by time: who needs that cancels, or uses IOC.
Result<void, Failure> refuse_ttl(const std::optional<std::string>& ttl) {
  if (!ttl) return {};
  return unexpected(usage_error("--ttl: the service has no field for a lifetime; use --tif ioc, or cancel the order"));
}

// "@ 64950", however many words it is.
Result<void, Failure> take_price(const std::vector<std::string>& at, OrderTerms& terms) {
  if (at.empty()) return {};
  std::string joined;
  for (const std::string& word : at) joined += word;
  if (!joined.starts_with('@') || joined.size() < 2)
    return unexpected(usage_error("after MARKET only @ PRICE may follow, such as @ 64950"));
  SVC_TRY(parse_price_term("@ PRICE", joined.substr(1)));
  if (terms.price) return unexpected(usage_error("@ PRICE and --price exclude each other"));
  terms.price = joined.substr(1);
  return {};
}

void declare_long(Arguments& arguments, OrderTerms& terms, std::vector<std::string>& at) {
  arguments.positional("MARKET", terms.market, "market, such as BTC-USDX-PERP");
  arguments.remaining("@", at, "limit price, same as --price: @ 64950, @ bid+1t");
  arguments.choice("--side", terms.side, entry_sides, "buy or sell");
  arguments.text("--size", terms.size, "N", "size in base units, or 500usdx, 50%pos, max@3x");
  arguments.text("--price", terms.price, "PRICE", "limit price, or mid-5bps, bid+1t, mark+0.1%");
  terms.declare(arguments);
}

class PlaceOrder final : public Command {
 public:
  void declare(Arguments& arguments) override {
    declare_long(arguments, terms_, at_);
    flags_.declare(arguments);
    arguments.text("--ttl", ttl_, "D", "refused: the service has no field for a lifetime");
  }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(refuse_ttl(ttl_));
    SVC_TRY(take_price(at_, terms_));
    return place_order(context, terms_, flags_);
  }

 private:
  OrderTerms terms_;
  std::vector<std::string> at_;
  PlacingFlags flags_;
  std::optional<std::string> ttl_;
};

class PreviewOrder final : public Command {
 public:
  void declare(Arguments& arguments) override {
    declare_long(arguments, terms_, at_);
    arguments.no_field("--ttl");
  }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(take_price(at_, terms_));
    return preview_order(context, terms_);
  }

 private:
  OrderTerms terms_;
  std::vector<std::string> at_;
};

// svc buy SIZE MARKET [@ PRICE], or svc buy MARKET --notional USDX [@ PRICE]
class ShortOrder : public Command {
 public:
  explicit ShortOrder(std::string side) { terms_.side = std::move(side); }
  void declare(Arguments& arguments) override {
    arguments.positional("SIZE", size_, "size in base units, or 500usdx, 50%pos, max@3x; none with --notional");
    arguments.positional("MARKET", market_, "market, such as BTC-USDX-PERP");
    arguments.remaining("@", at_, "limit price: @ 64950, @ mid-5bps, @ bid+1t");
    arguments.text("--price", terms_.price, "PRICE", "limit price, same as @ PRICE");
    terms_.declare(arguments);
    flags_.declare(arguments);
    arguments.no_field("--ttl");
  }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(understand());
    if (terms_.notional) {
      // It stood where SIZE does.
      auto whole = SVC_TRY(whole_market_id(context, terms_.market));
      terms_.market = std::move(whole);
    }
    return place_order(context, terms_, flags_);
  }

 private:
  Result<void, Failure> understand() {
    const auto size = parse_size_term("SIZE", size_);
    if (terms_.notional && size) return unexpected(usage_error("SIZE and --notional exclude each other"));
    if (terms_.notional) {
      // Without SIZE all words stand one place further to the left.
      if (market_) at_.insert(at_.begin(), *market_);
      market_ = size_;
    } else {
      if (!size) return unexpected(size.error());
      terms_.size = size_;
    }
    if (!market_) return unexpected(usage_error("missing MARKET"));
    terms_.market = *market_;
    return take_price(at_, terms_);
  }

  OrderTerms terms_;
  std::string size_;
  std::optional<std::string> market_;
  std::vector<std::string> at_;
  PlacingFlags flags_;
};

struct Buy final : ShortOrder {
  Buy() : ShortOrder("buy") {}
};
struct Sell final : ShortOrder {
  Sell() : ShortOrder("sell") {}
};

}  // namespace

std::span<const CommandRow> order_entry_commands() {
  static const CommandRow rows[]{
      {"buy", "SIZE MARKET [@ PRICE]", "Buy: limit with a price, else at market", make<Buy>},
      {"sell", "SIZE MARKET [@ PRICE]", "Sell: limit with a price, else at market", make<Sell>},
      {"orders place", "MARKET --side buy|sell --size N [--price PRICE]", "Place an order", make<PlaceOrder>},
      {"orders preview", "MARKET --side buy|sell --size N [--price PRICE]",
       "Ask what an order would do, without placing it", make<PreviewOrder>, Repeats::yes},
  };
  return rows;
}

}  // namespace svc::cli
