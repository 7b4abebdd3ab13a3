// Commands that place orders: orders place, preview; buy, sell; positions close; flatten

#include "api/contract/orders.h"
#include "api/contract/positions.h"
#include "api/error_catalog.h"
#include "cli/client/account_lookup.h"
#include "cli/client/order_waiter.h"
#include "cli/client/reconcile.h"
#include "cli/client/refusal.h"
#include "cli/commands/operation_command.h"
#include "cli/commands/order_terms.h"
#include "cli/terminal/fit.h"
#include "cli/terminal/order_views.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

struct PlacingFlags {
  std::optional<std::string> client_id;
  ActionFlag action;
  WaitFlags wait;
  bool preview = false;

  void declare(Arguments& arguments) {
    arguments.add(client_id, {"--client-id", "your own id of the order (default: a new one)", "ID"});
    action.declare(arguments);
    wait.declare(arguments);
    arguments.add(preview, {"--preview", "ask what the order would do, and do not place it (costs one trading token)"});
  }
};

// The id given, or a new one; exit 2 if the one given cannot be an id.
Result<std::string> client_id_of(Context& context, const std::optional<std::string>& given) {
  if (!given) return make_order_id(context.environment());
  if (const auto wrong = wrong_client_id(*given)) return usage_error("--client-id ", *wrong);
  tell_if_outside_guard(context, *given);
  return *given;
}

// The exchange, which is opened once the terms are sound, and the order with its relative terms as numbers.
Result<std::pair<Exchange, api::OrderRequest>> ready_order(Context& context, const OrderTerms& terms,
                                                           std::string client_id) {
  auto order = SVC_TRY(order_of(terms, std::move(client_id)));
  if (!terms.force) SVC_TRY(check_trailing(order));
  auto exchange = SVC_TRY(Exchange::open(context));
  SVC_TRY(resolve(context, exchange, terms, order));
  return std::pair{std::move(exchange), std::move(order)};
}

// What became of an order: "buy 0.25 BTC-USDX-PERP @ 60100: Filled 0.25 at 60100".
std::string sentence_of(const Json& placed) {
  const Json* order = placed.find("order");
  if (order == nullptr) return {};
  const auto text = [&](std::string_view key) { return order->text_at(key); };
  std::string line = order_text(*order) + ": " + text("status");
  const std::string filled = text("filled_qty");
  const std::string average = average_price(placed);
  if (!average.empty()) line += (text("status") == "Filled" ? " " : ", filled ") + filled + " at " + average;
  return line;
}

// On a terminal one line confirms the order. It ends with the id, which is shortened if the line is too long.
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

// A preview of an order that would be refused ends with the exit code of that refusal.
Result<Answer> preview_order(Context& context, const OrderTerms& terms) {
  // Every command that previews prints the same document.
  context.facts().schema = "svc.orders.preview/1";
  auto [exchange, order] = SVC_TRY(ready_order(context, terms, {}));
  order.client_id.reset();
  Call call = call_of<api::ops::PreviewOrder>(order);
  call.direction = Direction::way_out;  // it moves nothing
  auto reply = SVC_TRY(exchange.call(call));
  Answer answer = answer_of(
      std::move(reply),
      {columns<api::PreviewResponse>(
          "est_price=expected_fill_vwap est_fee=projected_fees margin_required=required_initial_margin "
          "equity_after=projected_post_trade_equity leverage_after=projected_post_trade_leverage "
          "liq_price=projected_post_trade_liquidation_price mode=+margin_mode~ +leverage~ warnings=reject_reason")});
  if (shows_columns(context)) {
    answer.rows = answer.data;
    // The settings of the market decide the margin.
    if (const auto setting = MarketSettings(exchange).of(order.market_id))
      answer.rows->set("margin_mode", setting->margin_mode).set("leverage", setting->leverage);
  }
  const Json* accepted = answer.data.find("accepted");
  if (accepted != nullptr && accepted->is(Json::Kind::boolean) && !accepted->truth()) {
    const std::string code = text_in(answer.data, "reject_reason", "rejected");
    answer.failure = failed(exit_of_code(code), code, "the order would be refused now; nothing was sent");
  }
  return answer;
}

Result<Answer> place_order(Context& context, const OrderTerms& terms, const PlacingFlags& flags) {
  if (flags.preview) return preview_order(context, terms);
  const auto wait = SVC_TRY(flags.wait.understand());
  const auto id = SVC_TRY(client_id_of(context, flags.client_id));
  auto [exchange, order] = SVC_TRY(ready_order(context, terms, id));
  context.facts().meta.set("client_id", id);
  Call call = placing_call(context, order, flags.action.choice());
  call.typed = typed_terms(terms, order);
  auto reply = SVC_TRY(exchange.call(call));
  Answer answer = answer_of(
      std::move(reply),
      {columns<api::OrderResponse>("order_id=order.id client_id=order.client_id~ market=order.market_id side() "
                                   "type=order.order_type size=order.quantity price() trigger=order.trigger_price~ "
                                   "offset_bps=order.trailing_offset_bps~ status=order.status filled=order.filled_qty "
                                   "avg_price() reason()",
                                   {{"side", [](const Json& placed) { return side_at(placed, "order.side"); }},
                                    {"price", [](const Json& placed) { return limit_price(placed.value_at("order")); }},
                                    {"avg_price", average_price},
                                    {"reason", reason_of_placed}})});
  if (wait) SVC_TRY(wait_in_answer(context, *wait, answer));
  const Json* placed = answer.data.find("order");
  // That nothing was filled tells more than that it ended.
  const bool may_say_more = !answer.failure || answer.failure->code == order_ended_code;
  if (auto why = may_say_more && placed != nullptr ? not_filled(*placed) : std::nullopt)
    answer.failure = std::move(why);
  if (const std::string part = placed == nullptr ? "" : partly_filled(*placed); !part.empty())
    context.notice("partly_filled", part);
  answer.text = confirmation_of(context, answer.data);
  return answer;
}

// "@ 64950", however many words it is.
Result<void> take_price(const std::vector<std::string>& at, OrderTerms& terms) {
  if (at.empty()) return {};
  const auto continues_number = [](char c) { return is_digit(c) || c == '.'; };
  std::string joined;
  for (const std::string& word : at) {
    // "mid + 5 bps" is one price; "60000 5" is two numbers, not 600005.
    if (!joined.empty() && continues_number(joined.back()) && continues_number(word.empty() ? ' ' : word.front()))
      return usage_error("@ takes one price; \"", word, "\" follows it");
    joined += word;
  }
  if (!joined.starts_with('@') || joined.size() < 2)
    return usage_error("after MARKET only @ PRICE may follow, such as @ 64950");
  SVC_TRY(is_relative_price("@ PRICE", joined.substr(1)));
  if (terms.price) return usage_error("@ PRICE and --price exclude each other");
  terms.price = joined.substr(1);
  return {};
}

// As orders place and orders preview take them.
struct LongTerms : OrderTerms {
  std::vector<std::string> at;

  void declare(Arguments& arguments) {
    arguments.add(market, {"MARKET", "market, such as BTC-USDX-PERP"});
    arguments.add(at, {"@", "limit price, same as --price: @ 64950, @ bid+1t"});
    arguments.add(side, {"--side", "buy or sell", {}, trade::side_lower_texts});
    arguments.add(size, {"--size", "size in base units, or 500usdx, 50%pos, max@3x", "N"});
    arguments.add(price, {"--price", "limit price, or mid-5bps, bid+1t, mark+0.1%", "PRICE"});
    OrderTerms::declare(arguments);
  }
};

Result<Answer> place_long(Context& context, LongTerms terms, const PlacingFlags& flags,
                          const std::optional<std::string>& ttl) {
  // Who needs a lifetime cancels, or uses IOC.
  if (ttl) return usage_error("--ttl: the service has no field for a lifetime; use --tif ioc, or cancel the order");
  SVC_TRY(take_price(terms.at, terms));
  return place_order(context, terms, flags);
}

Result<Answer> preview_long(Context& context, LongTerms terms) {
  SVC_TRY(take_price(terms.at, terms));
  return preview_order(context, terms);
}

// As buy and sell take them: SIZE MARKET [@ PRICE], or MARKET --notional USDX [@ PRICE].
struct ShortTerms : OrderTerms {
  std::string first;
  std::optional<std::string> second;
  std::vector<std::string> at;

  void declare(Arguments& arguments) {
    arguments.add(first, {"SIZE", "size in base units, or 500usdx, 50%pos, max@3x; none with --notional"});
    arguments.add(second, {"MARKET", "market, such as BTC-USDX-PERP"});
    arguments.add(at, {"@", "limit price: @ 64950, @ mid-5bps, @ bid+1t"});
    arguments.add(price, {"--price", "limit price, same as @ PRICE", "PRICE"});
    OrderTerms::declare(arguments);
  }
};

template <api::Side side>
Result<Answer> place_short(Context& context, ShortTerms terms, const PlacingFlags& flags) {
  terms.side = side;
  const auto sized = is_relative_size("SIZE", terms.first);
  if (terms.notional && sized) return usage_error("SIZE and --notional exclude each other");
  if (terms.notional) {
    // Without SIZE every word is one place further to the left.
    if (terms.second) terms.at.insert(terms.at.begin(), *terms.second);
    terms.second = terms.first;
  } else {
    SVC_TRY(sized);
    terms.size = terms.first;
  }
  if (!terms.second) return usage_error("missing MARKET");
  terms.market = *terms.second;
  SVC_TRY(take_price(terms.at, terms));
  // With --notional it was parsed as SIZE.
  if (terms.notional) terms.market = SVC_TRY(whole_market_id(context, terms.market));
  return place_order(context, terms, flags);
}

constexpr std::array closing_types{"limit"sv, "market"sv};  // the first of the enumerators

Result<Answer> close_market(Context& context, const std::string& typed, const std::optional<std::string>& typed_percent,
                            const std::optional<std::string>& price, const std::optional<api::OrderType>& type,
                            const std::optional<std::uint64_t>& slippage_bps, const PlacingFlags& flags) {
  const auto market = SVC_TRY(market_id(typed));
  const auto percent = parse_decimal(typed_percent.value_or("100"));
  const auto above = percent ? compared(*percent, {100, 0}) : std::nullopt;
  if (!above || *above > 0) return usage_error("--pct must be above 0 and at most 100");
  auto exchange = SVC_TRY(Exchange::open(context));
  OrderTerms terms = SVC_TRY(closing_terms(context, exchange, market, *percent));
  terms.price = price;
  terms.type = type;
  terms.max_slippage_bps = slippage_bps;
  auto placed = place_order(context, terms, flags);
  const Json* order = placed ? placed->data.find("order") : nullptr;
  if (const std::string part = order == nullptr ? "" : partly_filled(*order); !part.empty() && !placed->failure)
    placed->failure =
        failed("not_flat", "the book did not take all of it: ", part).to_try({command_line(context, "positions list")});
  // A position may be larger than the largest order.
  const bool is_plain = !typed_percent && !price && !type;
  if (is_plain && !placed && placed.error().code == api::spelling(api::ErrorCode::invalid_quantity))
    placed.error().actions = {command_line(context, "positions close " + typed + " --pct 50"),
                              command_line(context, "flatten --market " + typed)};
  return placed;
}

// Cancels the orders first, so that none of them reopens a position; then closes the positions at market. If one cannot
// be closed, the others still are.
class Flatten final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.add(market_, {"--market", "only this market", "MARKET"});
    arguments.add(slippage_bps_, {"--max-slippage-bps", "bound of the average price around the mid", "N"});
    action_.declare(arguments);
    refuse_wait(arguments, "orders at market are over when they are answered");
    for (const Argument& one : no_order_flags) arguments.refused(one.names, one.doc);
  }

  Result<Answer> run(Context& context) override {
    api::CancelAllOrdersRequest cancels;
    if (market_) cancels.market_id = SVC_TRY(market_id(*market_));
    auto exchange = SVC_TRY(Exchange::open(context));
    Answer answer{.data = Json::array()};

    Call cancel = call_of<api::ops::CancelAllOrders>(cancels);
    cancel.direction = Direction::way_out;
    cancel.action = action_.choice();
    cancel.look_up = {command_line(context, "orders list")};
    cancel.is_sought_briefly = true;  // the positions are still there
    context.note_unplanned("the order that closes each open position");
    const auto cancelled = exchange.call(cancel);
    if (!cancelled) {
      // The positions are closed even if the cancel is lost or refused. A local guard would refuse the closing orders
      // too. A dry run reports the refusal.
      const Failure& why = cancelled.error();
      const bool is_final = why.exit == ExitCode::local_guard || (context.globals().dry_run && !why.is_plan());
      if (is_final || !note_failure("cancel", market_.value_or("all"), why, answer)) return why;
    } else {
      const std::string count = std::to_string(cancelled->body.items().size());
      answer.data.push(Json::object({{"step", "cancel"},
                                     {"market", market_.value_or("all")},
                                     {"result", cancelled->is_found ? "none is open any more" : count + " cancelled"},
                                     {"orders", cancelled->body}}));
    }

    const auto positions = exchange.read<api::ops::ListPositions>();
    if (!positions) {
      // The answer tells what was cancelled, or may have been.
      const bool may_be_cancelled =
          cancelled || (cancel_failure_ && cancel_failure_->exit == ExitCode::outcome_unknown);
      if (!may_be_cancelled || !note_failure("close", market_.value_or("all"), positions.error(), answer))
        return positions.error();
      return conclude(context, std::move(answer));
    }
    left_ = 0;
    for (const Json& position : positions->items()) {
      const std::string market = position.text_at("market_id");  // empty: it may be of this one
      if (!is_open(position) || (market_ && !market.empty() && market != *market_)) continue;
      SVC_TRY(close(context, exchange, position, answer));
    }
    // An unknown market must not look like a flat one.
    const bool nothing = cancelled && cancelled->body.items().empty() && closed_ == 0 && left_ == 0u && !close_failure_;
    if (nothing && cancels.market_id) SVC_TRY(check_listed(exchange, *cancels.market_id));
    // An answer is not enough to call an account flat.
    if (!cancel_failure_ && !close_failure_) open_orders_ = open_orders(context, exchange, cancels);
    outbox::tell_of_arriving_orders(context, exchange.network());
    return conclude(context, std::move(answer));
  }

 private:
  // False in a dry run, which ends here.
  bool note_failure(std::string_view step, const std::string& market, const Failure& failure, Answer& answer) {
    if (failure.is_plan()) return false;
    answer.data.push(
        Json::object({{"step", step}, {"market", market}, {"result", failure.code}, {"message", failure.message}}));
    auto& first = step == "close" ? close_failure_ : cancel_failure_;
    if (!first || failure.exit == ExitCode::outcome_unknown) first = failure;
    return true;
  }

  Result<void> close(Context& context, Exchange& exchange, const Json& position, Answer& answer) {
    auto terms = closing_terms(position);
    if (!terms) {
      note_failure("close", position.text_at("market_id"), terms.error(), answer);
      ++*left_;
      return {};
    }
    terms->max_slippage_bps = slippage_bps_;
    bool all_whole = true;
    const auto note = [&](const api::OrderRequest& order, const Result<Reply>& reply) -> Result<void> {
      const std::string& market = order.market_id.text;
      const bool whole = reply && reply->body.string_at("order.status") == "Filled";
      all_whole = all_whole && whole;
      if (!reply && !note_failure("close", market, reply.error(), answer)) return reply.error();
      if (!reply) return {};
      std::string result = "closed " + text_in(reply->body, "order.filled_qty", "0");
      if (!whole) result += " of " + order.quantity.text;
      if (const std::string average = average_price(reply->body); !average.empty()) result += " at " + average;
      Json row = Json::object({{"step", "close"}, {"market", market}, {"result", std::move(result)}});
      answer.data.push(row.set_all(reply->body));
      return {};
    };
    SVC_TRY(close_position(context, exchange, *terms, action_.choice(), note));
    ++(all_whole ? closed_ : *left_);
    return {};
  }

  Result<Answer> conclude(Context& context, Answer answer) {
    for (auto* failure : {&close_failure_, &cancel_failure_}) {
      if (!*failure) continue;
      const bool no_market = (*failure)->code == api::spelling(api::ErrorCode::unknown_market) && closed_ == 0;
      if ((*failure)->exit != ExitCode::outcome_unknown && !no_market) continue;
      answer.failure = std::move(**failure);
      return answer;
    }
    std::vector<std::string> told;
    if (cancel_failure_) told.push_back("the orders were not cancelled: " + cancel_failure_->message);
    if (close_failure_) told.push_back("not everything was closed: " + close_failure_->message);
    if (!close_failure_ && left_ > 0u) told.emplace_back("the book did not take all of it; run it again");
    if (open_orders_ > 0) told.push_back(counted(open_orders_, "order is", "orders are") + " open");
    if (told.empty()) return answer;
    const std::string_view look = close_failure_ || left_ != 0u ? "positions list" : "orders list";
    answer.failure = failed("not_flat", joined(told, {}, "; ")).to_try({command_line(context, look)});
    answer.failure->details.set("closed", closed_);
    answer.failure->details.set("left", left_);
    return answer;
  }

  std::optional<std::string> market_;
  std::optional<std::uint64_t> slippage_bps_;
  ActionFlag action_;
  std::optional<Failure> cancel_failure_, close_failure_;
  std::size_t closed_ = 0, open_orders_ = 0;
  std::optional<std::size_t> left_;  // nullopt: the positions are not known
};

constexpr Output placed_output{
    "place_order",
    "order_id client_id market side type size price trigger offset_bps status filled avg_price reason est_price "
    "est_fee margin_required equity_after leverage_after liq_price mode leverage warnings"};

}  // namespace

std::vector<CommandRow> order_entry_commands() {
  return {
      {"buy", "SIZE MARKET [@ PRICE]", "Buy: limit with a price, else at market",
       "0.25 BTC-USDX-PERP @ 59000  # the same in fewer words\n"
       "svc -n local --dry-run buy 0.25 BTC-USDX-PERP @ 59000  # look before you send",
       placed_output, calls(place_short<api::Side::buy>, {no_field("--ttl")})},
      {"sell", "SIZE MARKET [@ PRICE]", "Sell: limit with a price, else at market",
       "0.25 BTC-USDX-PERP @ 61000 --post-only  # rest or nothing", placed_output,
       calls(place_short<api::Side::sell>, {no_field("--ttl")})},
      {"orders place", "MARKET --side buy|sell --size N [--price PRICE]", "Place an order",
       "BTC-USDX-PERP --side buy --size 0.25 --price 59000  # a limit order that rests until cancelled\n"
       "BTC-USDX-PERP --side sell --size 0.1 --price 61000 --dry-run  # what a sell order would be",
       placed_output, calls(place_long, {{"--ttl", "refused: the service has no field for a lifetime", "D"}})},
      {"orders preview", "MARKET --side buy|sell --size N [--price PRICE]",
       "Ask what an order would do, without placing it",
       "BTC-USDX-PERP --side buy --size 0.1 --price 59000  # margin and fees before it is sent",
       Output{"preview_order",
              "est_price est_fee margin_required equity_after leverage_after liq_price mode leverage warnings"},
       calls(preview_long, {no_field("--ttl")}), Repeats::yes},
  };
}

std::vector<CommandRow> position_closing_commands() {
  return {
      {"positions close", "MARKET [--pct P] [--price PRICE]", "Close a position, or a part of it",
       "BTC-USDX-PERP --pct 50  # half of a position", placed_output,
       calls(close_market,
             {{"MARKET", "market of the position"},
              decimal("--pct", "how much of it, in per cent (default 100); whole lots, rounded down", "P"),
              {"--price", "limit price, or mid-5bps, bid+1t (default: at market)", "PRICE"},
              {"--type", "limit or market (default: limit with a price)", {}, closing_types},
              {"--max-slippage-bps", "bound of the average price around the mid", "N"}})},
      {"flatten", "[--market MARKET]", "Cancel all orders, then close all positions at market",
       "# cancel everything, close everything",
       Output{"[] step market result -message -order:get_order -orders:[get_order] -fills:list_fills",
              "step market result"},
       make<Flatten>},
  };
}

}  // namespace svc::cli
