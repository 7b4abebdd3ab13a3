// orders list, get, history, wait, reconcile; fills list
#include <map>
#include <set>

#include "api/contract/orders.h"
#include "cli/client/account_lookup.h"
#include "cli/client/order_waiter.h"
#include "cli/client/proof.h"
#include "cli/commands/operation_command.h"
#include "cli/store/journal_reader.h"
#include "cli/store/write_log.h"

namespace svc::cli {
namespace {

Result<Answer> list_orders(Context& context, const OperationCommand& command) {
  const auto typed = SVC_TRY(command.given(context));
  const auto side = typed.find("--side");
  auto [exchange, cut] = SVC_TRY(command.open_list(context));
  auto reply = SVC_TRY(exchange.call(call_of<api::ops::ListOrders>({.market_id = cut.filter().market})));
  const TimestampMs now_ms = server_now_ms(context, exchange);
  Answer answer{.data = Json::array(), .view = command.view(), .rows = Json::array(), .raw = reply.raw};
  for (const Json& order : reply.body.items()) {
    if (!cut.holds(order)) continue;
    if (side != typed.end() && order.string_at("side") != std::string_view(side->second)) continue;
    answer.data.push(order);
    Json row = order;
    if (const auto created_ms = order.integer_at("created_at")) {
      row.set("age", age_text(std::max<std::int64_t>(now_ms - *created_ms, 0)));
    }
    answer.rows->push(std::move(row));
  }
  SVC_TRY(cut.check_market(exchange, answer.data));
  if (side != typed.end() || cut.filter().by_time()) say_filtered_here(context);
  cut.finish(answer);
  return answer;
}

Answer shown_order(Json order) {
  Json row = with_limit_price(order);
  if (row.find("side") != nullptr) row.set("side", side_at(row, "side"));
  for (const std::string_view time : {"created_at", "updated_at", "triggered_at"})
    if (row.integer_at(time)) row.set(time, time_at(row, time));
  return {.data = std::move(order), .view = {{}, Layout::sheet}, .rows = std::move(row)};
}

Result<Answer> get_order(Context& context, const std::optional<std::string>& order_id,
                         const std::optional<std::string>& client_id, std::optional<std::string> market, bool history) {
  if (order_id.has_value() == client_id.has_value()) return usage_error("give either ORDER_ID or --client-id");
  auto exchange = SVC_TRY(Exchange::open(context));
  if (history)
    return shown_order(
        SVC_TRY(find_in_history(exchange, client_id ? "client_id" : "id", client_id ? *client_id : *order_id)));
  if (client_id) return shown_order(SVC_TRY(find_by_client_id(exchange, *client_id)));
  SVC_TRY(order_ref(*order_id, market));
  if (!market) market = SVC_TRY(find_order(exchange, {.order_id = *order_id, .market_id = {}})).text_at("market_id");
  const auto request = SVC_TRY(order_ref(*order_id, market));
  auto reply = SVC_TRY(exchange.call(
      call_of<api::ops::GetOrder>({.order_id = request.order_id, .market_id = request.market_id.value()})));
  Answer answer = shown_order(std::move(reply.body));
  answer.raw = std::move(reply.raw);
  return answer;
}

Result<Answer> wait_for_one(Context& context, const std::string& order_id, const std::optional<std::string>& wanted,
                            std::optional<std::string> market, const std::optional<std::string>& timeout) {
  const WaitFlags flags{.state = wanted.value_or("filled"), .timeout = timeout, .timeout_flag = "--timeout"};
  const auto wait = SVC_TRY(flags.understand());
  SVC_TRY(order_ref(order_id, market));
  if (!market) {
    auto exchange = SVC_TRY(Exchange::open(context));
    market = SVC_TRY(find_order(exchange, {.order_id = order_id, .market_id = {}})).text_at("market_id");
  }
  const auto waited = SVC_TRY(wait_for_order(context, order_id, *market, wait->wanted, wait->timeout_ms));
  if (waited.order.is(Json::Kind::null)) return *failure_of(waited, wait->wanted, order_id);
  return Answer{
      .data = Json::object({{"order", waited.order}, {"fills", waited.fills}, {"waited_ms", waited.waited_ms}}),
      .view = {columns("order_id=+order.id status=+order.status filled=+order.filled_qty avg_price() +waited_ms",
                       {{"avg_price", average_price}})},
      .failure = failure_of(waited, wait->wanted, order_id)};
}

struct Sought {
  outbox::SoughtOrder order;
  std::string intent;  // "orders place"
  outbox::Entry sent;  // for whom; empty if that is not known
};

outbox::Entry sent_by(const JournalRecord& record) {
  outbox::Entry entry;
  entry.account = record.intent.text_at("account");
  entry.wallet = record.intent.text_at("look_for.wallet");
  entry.scheme = record.intent.text_at("look_for.scheme");
  entry.key = record.intent.text_at("look_for.key");
  return entry;
}

// Reads for this account prove nothing about orders of another. (D-780)
Result<void> leave_out_others(Context& context, Exchange& exchange, std::vector<Sought>& sought) {
  std::map<std::pair<std::string, std::string>, std::optional<Failure>> of_others;
  std::optional<Failure> why;
  const auto is_anothers = [&](const Sought& one) {
    if (one.sent.account.empty() && one.sent.key.empty()) return false;
    const auto [known, is_new] = of_others.try_emplace({one.sent.account, one.sent.key});
    if (is_new) {
      const auto can = exchange.can_tell_outcome_of(one.sent);
      if (!can && can.error().code == another_account_code) known->second = can.error();
    }
    if (known->second) why = known->second;
    return known->second.has_value();
  };
  const auto others = std::erase_if(sought, is_anothers);
  if (others > 0 && sought.empty()) return *why;
  if (others > 0) {
    context.notice("other_accounts", concat(others, (others == 1 ? " order was" : " orders were"),
                                            " sent for other accounts and not looked for; --signer names one"));
  }
  return {};
}

// The order at that place of the write.
outbox::SoughtOrder order_at(const JournalRecord& record, std::size_t index) {
  const Json* body = record.intent.find("body");
  const bool is_batch = body != nullptr && body->is(Json::Kind::array);
  const Json* asked = !is_batch ? body : index < body->items().size() ? &body->items()[index] : nullptr;
  return {.client_id = record.client_ids[index],
          .asked = asked == nullptr ? Json() : *asked,
          .signed_at_ms = record.intent.integer_at("look_for.signed_at_ms"),
          .account = record.intent.text_at("account")};
}

// Those of the journal; all of them without a client id.
Result<std::vector<Sought>> orders_sent(Context& context, const std::string& network,
                                        const std::optional<std::string>& client_id, TimestampMs since_ms) {
  const auto records =
      SVC_TRY(read_journal(context.environment(), **context.paths(), network, client_id ? 0 : since_ms));
  std::vector<Sought> sought;
  std::set<std::string, std::less<>> seen;  // an order that was sent again is one order
  for (const JournalRecord& record : records) {
    const bool never_left = !client_id && record.outcome.string_at("code") == std::string_view("not_sent");
    if (api::order_write_of(record.operation) != api::OrderWrite::places || never_left) continue;
    for (std::size_t i = 0; i < record.client_ids.size(); ++i) {
      if (client_id && *client_id != record.client_ids[i]) continue;
      if (!seen.insert(record.client_ids[i]).second) continue;
      sought.push_back({.order = order_at(record, i), .intent = record.command, .sent = sent_by(record)});
    }
  }
  // Not in the journal: sent by another machine, at an unknown time.
  if (client_id && sought.empty()) sought.push_back({.order = {.client_id = *client_id}, .intent = {}, .sent = {}});
  return sought;
}

// An order that was accepted is in the service's reads; one that is not there was refused, or has not arrived yet.
Result<Answer> look_for_orders(Context& context, Exchange& exchange, const std::vector<Sought>& sought,
                               TimestampMs since_ms) {
  Answer answer{.data = Json::array()};
  if (sought.empty()) return answer;
  outbox::Period period{.since_ms = std::min(since_ms, context.now_ms()), .near_ms = context.now_ms()};
  std::vector<outbox::SoughtOrder> orders;
  for (const Sought& one : sought) {
    orders.push_back(one.order);
    period.since_ms = std::min(period.since_ms, one.order.signed_at_ms.value_or(period.since_ms));
  }
  period.since_ms -= outbox::clock_slack_ms;
  const auto findings = SVC_TRY(outbox::find_orders(exchange, period, orders));
  for (std::size_t i = 0; i < sought.size(); ++i) {
    const outbox::Finding& finding = findings.at(i);
    const bool found = finding.verdict == outbox::Verdict::accepted;
    Json row = Json::object({{"client_id", sought[i].order.client_id},
                             {"intent", sought[i].intent.empty() ? Json() : Json(sought[i].intent)},
                             {"found", found},
                             {"verdict", to_string(finding.verdict)}});
    const Json* order = found ? finding.record.find("order") : nullptr;
    answer.data.push(row.set("order", order != nullptr ? *order : finding.record));
  }
  if (sought.size() == 1 && findings.front().verdict == outbox::Verdict::not_seen) {
    return absent("order_not_found", findings.front().evidence);
  }
  return answer;
}

Result<Answer> reconcile_orders(Context& context, const std::optional<std::string>& client_id, bool all,
                                const std::optional<std::string>& since) {
  if (client_id.has_value() == all) return usage_error("give either CLIENT_ID or --all");
  if (since && !all) return usage_error("--since belongs to --all");
  const TimestampMs since_ms = SVC_TRY(since_or_day_ago(context, since));
  auto exchange = SVC_TRY(Exchange::open(context));
  auto sought = SVC_TRY(orders_sent(context, exchange.network().name, client_id, since_ms));
  SVC_TRY(leave_out_others(context, exchange, sought));
  return look_for_orders(context, exchange, sought, client_id ? context.now_ms() - day_ms : since_ms);
}

}  // namespace

std::vector<CommandRow> order_read_commands() {
  using api::Fill, api::Order, api::OrderHistoryEntry;
  return {
      {"orders list", "", "List open orders",
       "--market BTC-USDX-PERP  # what rests in one market\n"
       "--jq '.data[].id'  # ids alone, for a script",
       operation<api::ops::ListOrders>(
           {.arguments = {own_text("--side", "", "only this side", trade::side_texts)},
            .columns = columns<Order>("order_id=id! client_id~ market=market_id! side()!! type=order_type price()!! "
                                      "trigger=trigger_price! offset_bps=trailing_offset_bps! size=quantity!! "
                                      "triggered_at@triggered_at? filled=filled_qty! tif=time_in_force~ reduce_only~ "
                                      "limit_offset_bps? max_slippage_bps? stp? +age status",
                                      {{"side", order_side}, {"price", limit_price}}),
            .list = {{.market = "market_id", .time_ms = "created_at", .comes = Comes::whole}},
            .run = list_orders})},
      {"orders get", "ORDER_ID", "Show one order", "$ORDER  # one order", Output{"get_order | list_order_history[]"},
       calls(get_order, {{"ORDER_ID", "order id"},
                         {"--client-id", "look it up by your own id, in open orders and history", "ID"},
                         {"--market", "market of the order (default: it is looked up)", "MARKET"},
                         {"--history", "look among the ended orders, however long ago (5 tokens a page)"}}),
       Repeats::yes},
      {"orders history", "", "List ended orders, newest first", "--limit 20  # orders that are done",
       operation<api::ops::ListOrderHistory>(
           {.columns = columns<OrderHistoryEntry>(
                "time@completed_at_ms order_id=id~ client_id~ market=market_id! side()!! type=order_type~ "
                "price()!! size!! filled=filled_qty! status reason=cancellation_reason~ "
                "triggered_at@triggered_at_ms?",
                {{"side", order_side}, {"price", limit_price}}),
            .list = {{"market_id", "completed_at_ms"}}})},
      {"fills list", "", "List fills, newest first", "--since 2026-01-01T00:00:00Z  # trades of the account",
       operation<api::ops::ListFills>(
           {.columns = columns<Fill>("time@timestamp market=market_id! side()!! price!! size!! fee liquidation_fee? "
                                     "liquidity=taker_or_maker~ order_id~ client_id~",
                                     {{"side", order_side}}),
            .list = {{"market_id", "timestamp"}}})},
  };
}

std::vector<CommandRow> order_wait_commands() {
  return {
      {"orders wait", "ORDER_ID [--for filled|open|terminal]", "Wait until an order is filled, open or over",
       "$ORDER --for open  # go on when it rests",
       Output{"order:get_order fills:list_fills? waited_ms:integer", "order_id status filled avg_price waited_ms"},
       calls(wait_for_one,
             {{"ORDER_ID", "order id"},
              {"--for", "what it should come to (default filled)", {}, wait_words},
              {"--market", "market of the order (default: it is looked up)", "MARKET"},
              // The global flag of this name limits one request; this one the wait.
              hiding_global({"--timeout", "wait at most so long, such as 90s (default 30s); then exit 17", "D"})})}};
}

std::vector<CommandRow> order_reconcile_commands() {
  return {
      {"orders reconcile", "CLIENT_ID | --all", "Compare orders that were sent with what the venue has",
       "$CLIENT  # what became of an order that was sent",
       Output{"[] client_id intent? found:boolean verdict order:cancel_order?",
              "client_id intent found order_id=order.id status=order.status verdict"},
       calls(reconcile_orders, {{"CLIENT_ID", "your own id of the order"},
                                {"--all", "every order that the journal says was sent"},
                                {"--since", "with --all: sent at or after this time (default: a day ago)", "TIME"}}),
       Repeats::yes}};
}

}  // namespace svc::cli
