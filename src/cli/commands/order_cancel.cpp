// orders cancel, cancel-all, amend

#include <set>

#include "api/contract/orders.h"
#include "base/text.h"
#include "cli/client/account_lookup.h"
#include "cli/client/reconcile.h"
#include "cli/client/refusal.h"
#include "cli/client/server_facts.h"
#include "cli/commands/batch.h"
#include "cli/commands/operation_command.h"
#include "cli/commands/order_terms.h"
#include "cli/commands/output_shape.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// A dry run does not look up the market, so its request lacks it.
void tell_market_is_open(Context& context) {
  context.notice("market_unknown",
                 "the market of the order is looked up before it is sent, and is then in the request; "
                 "--market names it");
}

// Fills in unknown markets: a service may need them to find an order. If the open orders cannot be read, the cancel is
// sent with the id alone. (D-440)
void look_up_markets(Context& context, Exchange& exchange, std::vector<api::OrderRef>& targets) {
  if (std::ranges::all_of(targets, [](const api::OrderRef& one) { return one.market_id.has_value(); })) return;
  if (context.globals().dry_run) return tell_market_is_open(context);
  exchange.stop_at(context.uptime_ms() + identity_patience_way_out_ms);
  const auto open = exchange.read<api::ops::ListOrders>();
  exchange.stop_at(std::nullopt);
  if (!open) return;
  for (api::OrderRef& target : targets) {
    const Json* order = target.market_id ? nullptr : outbox::find_row(*open, "id", target.order_id);
    const auto market = order == nullptr ? std::nullopt : order->string_at("market_id");
    if (market) target.market_id = api::MarketId{std::string(*market)};
  }
}

// The rows of a cancel are orders. What could not be cancelled is not waited for.
void wait_for_cancelled(Context& context, Exchange& exchange, const std::optional<WaitFlags::Wait>& wait,
                        Answer& answer) {
  if (!wait) return;
  Json rows = Json::array();
  for (const Json& order : answer.data.items())
    rows.push(Json::object({{order.find("error") == nullptr ? "order" : "not_cancelled", order}}));
  auto failure = wait_for_rows(context, exchange, *wait, rows);
  answer.data = Json::array();
  for (const Json& row : rows.items()) answer.data.push(row.items().front());
  if (!answer.failure) answer.failure = std::move(failure);
}

constexpr std::size_t lost_in_a_row_max = 3;

// Whether the others would fail in the same way: nothing listens, the credential is refused, a guard holds, or the run
// was stopped. An answer that was lost, or a service that refused this one, says nothing of them.
bool meets_the_others(const Failure& failure) {
  using enum ExitCode;
  if (failure.exit == unavailable) return nothing_was_sent(failure);
  return failure.exit != not_found && failure.exit != invalid && failure.exit != conflict &&
         failure.exit != outcome_unknown;
}

// Of a cancel that may have been carried out, and of a run that was stopped.
bool says_more_than_partly(ExitCode exit) {
  return exit == ExitCode::outcome_unknown || was_stopped(exit);
}

// Sends cancels, one for each target from the number of outcomes on, until all are sent or the rest would fail as well.
// What was lost, or not found, is looked for afterwards: it must not hold up the others. True if the rest may go on:
// answers got lost, but cancels did not.
bool send_cancels(Context& context, Exchange& exchange, std::span<const api::OrderRef> targets, ActionChoice action,
                  std::vector<Result<Reply>>& outcomes) {
  std::vector<std::size_t> unsettled;
  std::size_t lost_in_a_row = 0;
  for (const api::OrderRef& target : targets.subspan(outcomes.size())) {
    if (auto sound = order_ref(target.order_id, {}); !sound) {
      sound.error().exit = ExitCode::invalid;
      outcomes.emplace_back(std::move(sound.error()));
      continue;
    }
    Call call = call_of<api::ops::CancelOrder>(target);
    call.direction = Direction::way_out;
    call.action = action;
    call.look_up = {command_line(context, "orders get " + target.order_id)};
    call.is_settled_later = targets.size() > 1;
    outcomes.push_back(exchange.call(call));
    if (exchange.unsettled() > unsettled.size()) unsettled.push_back(outcomes.size() - 1);
    const Failure* failure = failure_in(outcomes.back());
    if (failure != nullptr && meets_the_others(*failure)) break;
    lost_in_a_row = failure != nullptr && failure->exit == ExitCode::outcome_unknown ? lost_in_a_row + 1 : 0;
    if (lost_in_a_row == lost_in_a_row_max) break;  // nothing answers; each would wait for its timeout
  }
  bool any_arrived = false;
  auto settled = exchange.settle_later();
  for (std::size_t i = 0; i < unsettled.size(); ++i) {
    auto& outcome = outcomes[unsettled[i]];
    const Failure* failure = failure_in(outcome);
    const bool was_lost = failure != nullptr && failure->exit == ExitCode::outcome_unknown;
    any_arrived = any_arrived || (was_lost && settled[i]);
    outcome = std::move(settled[i]);
  }
  return lost_in_a_row == lost_in_a_row_max && any_arrived;
}

// After one that was cancelled, a script must not read that nothing was done.
void call_partly_cancelled(Failure& failure) {
  failure.exit = ExitCode::partial;
  failure.code = "partly_cancelled";
}

// One order that could not be cancelled is a failure without rows, unless more rows follow.
enum class Rows : bool { these, more_follow };

Result<Answer> cancel_each(Context& context, Exchange& exchange, const std::vector<api::OrderRef>& targets,
                           ActionChoice action, const std::optional<WaitFlags::Wait>& wait, Rows rows = Rows::these) {
  std::vector<Result<Reply>> outcomes;
  while (send_cancels(context, exchange, targets, action, outcomes)) {
  }
  const auto is_plan = [](const auto& outcome) { return !outcome && outcome.error().is_plan(); };
  if (const auto plan = std::ranges::find_if(outcomes, is_plan); plan != outcomes.end()) return plan->error();

  if (targets.size() == 1 && rows == Rows::these && !outcomes.front()) return outcomes.front().error();
  Answer answer{.data = Json::array(), .view = {shown_columns("orders cancel")}};
  std::size_t cancelled = 0;
  std::optional<Failure> failure;  // the last, which may be what ended the run; before it, a fate that is unknown
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (i < outcomes.size() && outcomes[i]) {
      answer.data.push(std::move(outcomes[i]->body));
      ++cancelled;
      continue;
    }
    const std::string_view error = i < outcomes.size() ? outcomes[i].error().code : "not_sent"sv;
    answer.data.push(Json::object({{"id", targets[i].order_id}, {"status", nullptr}, {"error", error}}));
    if (i < outcomes.size() && !(failure && says_more_than_partly(failure->exit)))
      failure = std::move(outcomes[i].error());
  }
  if (failure && cancelled > 0 && !says_more_than_partly(failure->exit)) {
    call_partly_cancelled(*failure);
    failure->message = concat(targets.size() - cancelled, " of ", targets.size(),
                              " orders could not be cancelled: ", failure->message);
    failure->raw.reset();
  }
  if (const std::size_t not_sent = targets.size() - outcomes.size(); not_sent > 0) {
    SVC_ASSERT(failure);
    failure->message += concat("; ", counted(not_sent, "cancel was", "cancels were"), " not sent");
    failure->details.set("not_sent", not_sent);
  }
  answer.failure = std::move(failure);
  wait_for_cancelled(context, exchange, wait, answer);
  return answer;
}

struct CancelWait : WaitFlags {
  void declare(Arguments& arguments) {
    takes_terminal_only = true;
    WaitFlags::declare(arguments);
    arguments.refused("--preview", "the service previews new orders only");
  }
};

// One id in a line, or a table (csv or tsv) with a column order_id, as `orders list` prints it.
std::vector<std::string> ids_in(std::string_view text) {
  std::vector<std::string> ids;
  std::optional<std::size_t> column;
  for (std::string_view line : split_lines(text)) {
    if (is_blank_text(line)) continue;
    auto pieces = pieces_of(line, line.find('\t') == std::string_view::npos ? "," : "\t");
    const std::vector<std::string_view> cells(pieces.begin(), pieces.end());
    const auto named = std::ranges::find(cells, "order_id"sv);
    if (ids.empty() && !column && named != cells.end())
      column = static_cast<std::size_t>(named - cells.begin());
    else
      ids.emplace_back(trimmed(column && *column < cells.size() ? cells[*column] : line, " \t"));
  }
  return ids;
}

// Keeps each order once. A second cancel of it would be refused, as if the order were still open. Ids that differ in
// letter case may be two orders.
void drop_repeated(std::vector<api::OrderRef>& targets) {
  std::set<std::string> seen;
  std::erase_if(targets, [&](const api::OrderRef& one) { return !seen.insert(one.order_id).second; });
}

Result<Answer> cancel_orders(Context& context, std::vector<std::string> order_ids,
                             const std::optional<std::string>& market, const std::vector<std::string>& client_ids,
                             const std::optional<std::string>& file, const ActionFlag& action,
                             const CancelWait& wait_flags) {
  if (file) {
    const auto text = SVC_TRY(read_text(context, *file, "the file of --file"));
    for (std::string& id : ids_in(text)) order_ids.push_back(std::move(id));
  }
  const auto wait = SVC_TRY(wait_flags.understand());
  // An empty file is no mistake: a pipeline may find nothing to cancel.
  if (file && order_ids.empty() && client_ids.empty()) return Answer{.data = Json::array()};
  if (order_ids.empty() && client_ids.empty()) return usage_error("give ORDER_ID, --client-id or --file");
  if (is_among("all", order_ids)) {
    return usage_error("\"all\" is no order id; `svc orders cancel-all` cancels every order");
  }
  std::vector<api::OrderRef> targets;
  // What is no id, or not found, holds up no other order, but a script must not read that all were cancelled.
  std::vector<std::pair<Json, Failure>> left_out;
  const auto leave_out = [&](std::string_view member, const std::string& typed, Failure why) {
    Json row = Json::object({{"id", nullptr}});
    row.set(member, typed).set("status", nullptr).set("error", why.code);
    left_out.emplace_back(std::move(row), std::move(why));
  };
  if (market) SVC_TRY(market_id(*market));
  for (const std::string& id : order_ids) {
    auto ref = order_ref(id, market);
    if (ref)
      targets.push_back(std::move(*ref));
    else
      leave_out("id", id, std::move(ref.error()));
  }
  const bool none_is_left = targets.empty() && client_ids.empty();
  if (!left_out.empty() && (none_is_left || context.globals().dry_run)) return left_out.front().second;
  auto exchange = SVC_TRY(Exchange::open(context));
  if (!client_ids.empty()) context.note_unplanned("the cancels, which follow after the orders were looked up");
  for (const std::string& client_id : client_ids) {
    auto order = find_by_client_id(exchange, client_id);
    if (!order && order.error().is_plan()) return order.error();
    if (order)
      targets.push_back(ref_of(*order));
    else
      leave_out("client_id", client_id, std::move(order.error()));
  }
  if (targets.empty()) return left_out.front().second;
  drop_repeated(targets);
  look_up_markets(context, exchange, targets);
  const Rows rows = left_out.empty() ? Rows::these : Rows::more_follow;
  Answer answer = SVC_TRY(cancel_each(context, exchange, targets, action.choice(), wait, rows));
  for (auto& [row, why] : left_out) {
    answer.data.push(std::move(row));
    if (answer.failure) continue;
    call_partly_cancelled(why);
    answer.failure = std::move(why);
  }
  return answer;
}

// One row per market, as the table shows it.
Json counted_by_market(const Json& orders) {
  std::vector<std::pair<std::string, std::int64_t>> counts;  // in the order of the orders
  for (const Json& order : orders.items()) {
    const std::string market = text_in(order, "market_id", "-");
    const auto found = std::ranges::find(counts, market, &std::pair<std::string, std::int64_t>::first);
    if (found == counts.end())
      counts.emplace_back(market, 1);
    else
      ++found->second;
  }
  Json rows = Json::array();
  for (const auto& [market, count] : counts) rows.push(Json::object({{"market", market}, {"cancelled", count}}));
  return rows;
}

Result<Answer> cancel_all_orders(Context& context, const std::optional<std::string>& market,
                                 const std::optional<std::string>& side, const std::optional<std::string>& prefix,
                                 const ActionFlag& action, const CancelWait& wait_flags) {
  if (prefix && prefix->empty()) return usage_error("--client-id-prefix is empty");
  const auto wait = SVC_TRY(wait_flags.understand());
  api::CancelAllOrdersRequest request;
  if (market) request.market_id = SVC_TRY(market_id(*market));
  auto exchange = SVC_TRY(Exchange::open(context));
  if (side || prefix) {
    context.note_unplanned("the cancel of each of these orders");
    const auto open = SVC_TRY(exchange.read<api::ops::ListOrders>());
    std::vector<api::OrderRef> targets;
    std::optional<Failure> unread;  // it does not hold up the others
    for (const Json& order : open.items()) {
      if (prefix && !order.string_at("client_id").value_or("").starts_with(*prefix)) continue;
      const std::string in = order.text_at("market_id"), its = order.text_at("side");
      const bool is_market_unread = market && !api::is_market_id(in);
      const bool is_side_unread = side && its != "Buy" && its != "Sell";
      if ((market && !is_market_unread && in != *market) || (side && !is_side_unread && its != *side)) continue;
      if (is_market_unread || is_side_unread)
        unread = unreadable_member(is_side_unread ? "side" : "market_id", concat("order ", order.text_at("id")));
      else
        targets.push_back(ref_of(order));
    }
    auto answer = cancel_each(context, exchange, targets, action.choice(), wait);
    if (unread && answer && !answer->failure) {
      if (!targets.empty()) call_partly_cancelled(*unread);
      answer->failure = std::move(unread);
    }
    outbox::tell_of_arriving_orders(context, exchange.network());
    return answer;
  }
  Call call = call_of<api::ops::CancelAllOrders>(request);
  call.direction = Direction::way_out;
  call.action = action.choice();
  call.look_up = {command_line(context, "orders list")};
  auto reply = SVC_TRY(exchange.call(call));
  const bool none_was_open = reply.body.items().empty() && !reply.is_found;
  if (request.market_id && none_was_open) SVC_TRY(check_listed(exchange, *request.market_id));
  Answer answer = answer_of(std::move(reply));
  // An empty list may come from somebody in between.
  if (const std::size_t count = none_was_open ? open_orders(context, exchange, request) : 0; count > 0)
    answer.failure = failed("not_cancelled", "the answer was that no order was open, and ",
                            counted(count, "order is", "orders are"), " open")
                         .to_try({command_line(context, "orders list")});
  wait_for_cancelled(context, exchange, wait, answer);
  outbox::tell_of_arriving_orders(context, exchange.network());
  answer.rows = counted_by_market(answer.data);
  return answer;
}

// orders amend

std::string change(const std::string& old, const std::string& now) {
  return old == now || old.empty() || old == "-" ? now : old + "\u2192" + now;
}

std::string price_change(const Json& order) {
  return change(limit_price(order.value_at("replaces")), limit_price(order));
}

std::string size_change(const Json& order) {
  return change(cell_text(order.at("replaces.quantity")), cell_text(order.find("quantity")));
}

// The service replaces the order: the answer has a new id, and the old one is in the columns.
Result<Answer> amend_order(Context& context, const std::string& order_id, std::optional<std::string> price,
                           const std::optional<std::string>& size, const std::optional<std::string>& market,
                           const ActionFlag& action, const WaitFlags& wait_flags) {
  const auto wait = SVC_TRY(wait_flags.understand());
  if (!price && !size) return usage_error("give --price, --size or both");
  auto found = SVC_TRY(order_ref(order_id, market));
  const bool relative = price && SVC_TRY(is_relative_price("--price", *price));
  if (size && SVC_TRY(is_relative_size("--size", *size)))
    return usage_error("--size of an amendment is a plain number such as 0.25");
  auto exchange = SVC_TRY(Exchange::open(context));

  Json before;
  if (context.may_read()) {
    auto shown = find_order(exchange, found);
    // Reads may lag behind an order that was just placed: only the service's answer says that it is gone. (D-1120)
    const bool is_hidden = !shown && shown.error().exit == ExitCode::not_found;
    if (is_hidden && relative) return order_not_shown(order_id, "a relative price cannot be worked out");
    if (is_hidden) {
      before = Json::object({{"id", found.order_id}});
    } else {
      before = SVC_TRY(std::move(shown));
      found.market_id = api::MarketId{before.text_at("market_id")};
    }
  } else if (!found.market_id) {
    tell_market_is_open(context);
  }
  if (relative) {
    const auto side = before.string_at("side");
    const bool buys = side == "Buy";
    if (!buys && side != "Sell") return unreadable_member("side", concat("order ", order_id));
    price = SVC_TRY(resolve_price(context, exchange, found.market_id.value_or(api::MarketId{}), *price,
                                  buys ? Rounding::down : Rounding::up));
  }
  const auto decimal = [](const std::optional<std::string>& text) {
    return text ? std::optional(api::DecimalText(completed_decimal(*text))) : std::nullopt;
  };
  Call call = call_of<api::ops::AmendOrder>(
      {.order_id = found.order_id, .market_id = found.market_id, .price = decimal(price), .size = decimal(size)});
  call.action = action.choice();
  call.look_up = {command_line(context, "orders get " + order_id), command_line(context, "orders list")};
  auto reply = SVC_TRY(exchange.call(call));
  Answer answer = answer_of(std::move(reply), {shown_columns(context.command())});
  if (wait) {
    Answer whole{.data = Json::object({{"order", answer.data}})};
    SVC_TRY(wait_in_answer(context, *wait, whole));
    answer.data = *whole.data.find("order");
    answer.failure = std::move(whole.failure);
    answer.raw.reset();
  }
  answer.rows = answer.data;
  // Programs read numbers: they get the new ones alone.
  const bool is_table = context.presentation().format == Format::table;
  answer.rows->set("replaces", is_table ? std::move(before) : Json::object({{"id", before.string_at("id")}}));
  return answer;
}

}  // namespace

std::vector<CommandRow> order_cancel_commands() {
  return {
      {"orders amend", "ORDER_ID [--price PRICE] [--size N]", "Change price or size of an open order",
       "$ORDER --price 58900  # another price for one that rests",
       operation<api::ops::AmendOrder>(
           {.columns =
                columns<api::Order>("order_id=id replaces=+replaces.id client_id market=market_id side() price() "
                                    "size() filled=filled_qty status",
                                    {{"side", order_side}, {"price", price_change}, {"size", size_change}})}),
       calls(amend_order, {{"ORDER_ID", "order to change"},
                           {"--price", "new price, or mid-5bps, bid+1t", "PRICE"},
                           {"--size", "new total size, what is filled included", "N"},
                           {"--market", "market of the order (default: it is looked up)", "MARKET"},
                           no_order_flags[0],
                           no_order_flags[1]})},
      {"orders cancel", "ORDER_ID...", "Cancel orders", "$ORDER  # cancel one",
       Output{"[] cancel_order | id? -client_id status? error", "order_id=id status filled=filled_qty error"},
       calls(cancel_orders,
             {{"ORDER_ID", "orders to cancel"},
              {"--market", "market of the orders", "MARKET"},
              {"--client-id", "look the order up by your own id; may be repeated", "ID"},
              {"-f,--file", "file with an order id in each line, or a csv or tsv of orders list; - for standard input",
               "FILE"}})},
      {"orders cancel-all", "", "Cancel all orders, or those of one market",
       "--market BTC-USDX-PERP  # cancel what rests in one market",
       Output{"[] cancel_all_orders[] | cancel_order | id status? error", "market cancelled"},
       calls(cancel_all_orders, {{"--market", "only orders of this market", "MARKET"},
                                 {"--side", "only this side; they are cancelled one by one", {}, trade::side_texts},
                                 {"--client-id-prefix", "only these client ids; they are cancelled one by one", "TEXT"},
                                 refused("--client-id", "orders cancel takes one; here there is --client-id-prefix")})},
  };
}

}  // namespace svc::cli
