// Orders: by client id where they were placed, by order id where they were changed.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>

#include "api/ops/orders.h"
#include "base/limits.h"
#include "cli/commands/decimal_math.h"
#include "cli/commands/listing.h"
#include "cli/exchange/client_id.h"
#include "cli/outbox/bounds.h"
#include "cli/outbox/proof_rows.h"

namespace svc::cli::outbox {
namespace {

// What the account shows of orders and fills since shortly before the write.
struct Shown {
  Json open = Json::array();
  Json ended = Json::array();
  Json fills = Json::array();
  bool client_ids_sent = true;
  Reach reach = Reach::whole;  // of the orders that have ended
};

struct Listed {
  Json rows = Json::array();
  Reach reach = Reach::whole;
};

template <class Op>
Call page_of(std::optional<TimestampMs> since_ms, std::optional<TimestampMs> until_ms, std::uint32_t limit,
             const std::optional<std::string>& cursor = {}) {
  typename Op::Request request;
  request.limit = limit;
  request.cursor = cursor;
  request.start_time = since_ms;
  request.end_time = until_ms;
  return call_of<Op>(request);
}

TimestampMs time_of(const Json& row) {
  const auto ended_ms = row.integer_at("completed_at_ms");
  return (ended_ms ? ended_ms : row.integer_at("timestamp")).value_or(0);
}

// A service forgets the oldest rows of a long list, and says nothing of it: unless it shows one of before.
template <class Op>
Result<Reach, Stop> reach_of(Exchange& exchange, const Listed& listed, TimestampMs since_ms) {
  if (listed.reach == Reach::cut || listed.rows.items().size() < whole_list_rows_max) return listed.reach;
  const auto before = SVC_TRY(exchange.call(page_of<Op>(std::nullopt, since_ms - 1, 1)));
  return before.body.items().empty() ? Reach::cut : Reach::whole;
}

template <class Op>
Result<Listed, Stop> read_between(Exchange& exchange, TimestampMs since_ms, std::optional<TimestampMs> until_ms) {
  Listed listed;
  const auto page = [&](const std::optional<std::string>& cursor) {
    return page_of<Op>(since_ms, until_ms, page_rows_max<typename Op::Request>(), cursor);
  };
  const auto read = SVC_TRY(each_page(exchange, page, [&](const Json& rows) {
    bool recent = true;
    for (const Json& row : rows.items()) {
      recent = recent && time_of(row) >= since_ms;
      listed.rows.push(row);
    }
    return recent;
  }));
  listed.reach = read;
  const auto reach = SVC_TRY(reach_of<Op>(exchange, listed, since_ms));
  listed.reach = reach;
  return listed;
}

// Of a list that is too long the end that is near the write is read as well: most of what was sent then ended then.
template <class Op>
Result<Listed, Stop> read_listed(Exchange& exchange, const Period& period) {
  auto listed = read_between<Op>(exchange, period.since_ms, std::nullopt);
  if (!listed || listed->reach == Reach::whole) return listed;
  const auto near = SVC_TRY(read_between<Op>(exchange, period.since_ms, period.near_ms));
  for (const Json& row : near.rows.items()) listed->rows.push(row);
  return listed;
}

Result<Json, Stop> read_open(Exchange& exchange) {
  auto reply = SVC_TRY(exchange.call(call_of<api::ops::ListOrders>()));
  return std::move(reply.body);
}

bool any_client_id(const Json& rows) {
  return find_row(rows, [](const Json& row) { return row.find("client_id") != nullptr; }) != nullptr;
}

// What is shown beside the open orders, which are read first: one that ends meanwhile is in the list that is read after.
Result<Shown, Stop> read_with(Exchange& exchange, const Period& period, Json open) {
  auto ended = SVC_TRY(read_listed<api::ops::ListOrderHistory>(exchange, period));
  auto fills = SVC_TRY(read_listed<api::ops::ListFills>(exchange, period));
  Shown shown{
      .open = std::move(open), .ended = std::move(ended.rows), .fills = std::move(fills.rows), .reach = ended.reach};
  const bool anything = !shown.open.items().empty() || !shown.ended.items().empty();
  shown.client_ids_sent = !anything || any_client_id(shown.open) || any_client_id(shown.ended);
  return shown;
}

Result<Shown, Stop> read_shown(Exchange& exchange, const Period& period) {
  auto open = SVC_TRY(read_open(exchange));
  return read_with(exchange, period, std::move(open));
}

Period period_of(const Entry& entry) {
  return {.since_ms = entry.at_ms - clock_slack_ms,
          .near_ms = entry.valid_until_ms.value_or(entry.at_ms + limits::auth_window_ms) + clock_slack_ms};
}

Stop ids_not_sent() {
  return Failure{.exit = ExitCode::outcome_unknown,
                 .code = "client_ids_not_sent",
                 .message = "this server sends no client ids, so its lists prove nothing"};
}

std::string told(const Json& order) {
  return "order " + std::string(order.string_at("id").value_or("?")) + " is " +
         std::string(order.string_at("status").value_or("there"));
}

std::string not_read_whole() {
  return "the list of ended orders is too long to be read to its end";
}

// As POST /orders would have answered: the order and what it traded.
Json placed(const Json& order, const Shown& shown) {
  Json fills = Json::array();
  for (const Json& fill : shown.fills.items()) {
    if (fill.string_at("order_id") == order.string_at("id")) fills.push(fill);
  }
  return Json::object({{"order", order}, {"fills", std::move(fills)}});
}

std::vector<const Json*> orders_with(const Shown& shown, std::string_view key, std::string_view text) {
  std::vector<const Json*> orders;
  for (const Json* rows : {&shown.open, &shown.ended}) {
    for (const Json& row : rows->items())
      if (row.string_at(key) == text) orders.push_back(&row);
  }
  return orders;
}

std::optional<Json> find_order(const Shown& shown, std::string_view id) {
  const auto orders = orders_with(shown, "id", id);
  return orders.empty() ? std::nullopt : std::optional(*orders.front());
}

TimestampMs created_ms(const Json& order) {
  const auto open = order.integer_at("created_at");
  return (open ? open : order.integer_at("created_at_ms")).value_or(0);
}

// Lists spell what a request spells otherwise: Buy and buy, StopLimit and stop_limit.
bool same_word(std::string_view a, std::string_view b) {
  const auto plain = [](std::string_view word) {
    std::string text;
    for (const char c : word)
      if (c != '_') text += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return text;
  };
  return plain(a) == plain(b);
}

// True unless a term that both name differs.
bool has_asked_terms(const Json& order, const Json& asked) {
  const auto agrees = [&](std::string_view wanted, std::string_view shown, const auto& same) {
    const auto want = asked.string_at(wanted);
    const auto have = order.string_at(shown);
    return !want || !have || same(*want, *have);
  };
  // A market order shows the price 0; a trigger may stand under its old name.
  const auto same_price = [](std::string_view want, std::string_view have) {
    return same_number(have, "0") || same_number(want, have);
  };
  const std::string_view trigger = asked.string_at("trigger_price") ? "trigger_price" : "stop_price";
  const std::string_view size = order.find("quantity") != nullptr ? "quantity" : "size";
  return agrees("market_id", "market_id", std::equal_to<std::string_view>()) && agrees("side", "side", same_word) &&
         agrees("order_type", "order_type", same_word) && agrees("quantity", size, same_number) &&
         agrees("price", "price", same_price) && agrees(trigger, "trigger_price", same_number);
}

// True if another order may have the client id: one that was given by hand, or follows from the terms.
bool may_be_shared(const SoughtOrder& sought) {
  const auto made_ms = client_id_made_ms(sought.client_id);
  return !made_ms || !sought.signed_at_ms || std::abs(*made_ms - *sought.signed_at_ms) > fresh_id_ms;
}

// Only a fill tells of it: what it says.
Finding judge_fill(const Shown& shown, const SoughtOrder& sought) {
  const Json* fill = find_row(
      shown.fills, [&](const Json& row) { return row.string_at("client_id") == std::string_view(sought.client_id); });
  if (fill == nullptr && shown.reach == Reach::cut) return unclear(not_read_whole());
  if (fill == nullptr) return not_seen("no order and no fill with client id " + sought.client_id);
  const bool is_later = !sought.signed_at_ms || !may_be_shared(sought) ||
                        time_of(*fill) >= *sought.signed_at_ms - created_slack_ms;
  const Json order = Json::object({{"id", fill->string_at("order_id")},
                                   {"market_id", fill->string_at("market_id")},
                                   {"side", fill->string_at("side")},
                                   {"client_id", fill->string_at("client_id")},
                                   {"status", "Filled"}});
  if (!is_later || sought.is_taken || !has_asked_terms(order, sought.asked)) {
    return unclear("a fill with client id " + sought.client_id + " may be of another order");
  }
  return accepted(placed(order, shown), told(order));
}

// A client id is one order's for ever, and of the orders that an amendment makes of it. So one that is older than the
// write proves that the write placed nothing; one that was created since, with its terms, is it.
Finding judge(const Shown& shown, const SoughtOrder& sought) {
  const std::vector<const Json*> orders = orders_with(shown, "client_id", sought.client_id);
  if (orders.empty()) return judge_fill(shown, sought);
  const Json& first = **std::min_element(orders.begin(), orders.end(),
                                         [](const Json* a, const Json* b) { return created_ms(*a) < created_ms(*b); });
  const auto age_known = [&](std::int64_t slack_ms) {
    return sought.signed_at_ms && created_ms(first) < *sought.signed_at_ms - slack_ms;
  };
  if (sought.is_taken || age_known(limits::auth_window_ms)) {
    return rejected(first, "client id " + sought.client_id + " was an earlier order's: " + told(first));
  }
  const auto own = std::find_if(orders.begin(), orders.end(),
                                [&](const Json* order) { return has_asked_terms(*order, sought.asked); });
  if ((may_be_shared(sought) && age_known(created_slack_ms)) || own == orders.end()) {
    return unclear("order " + std::string(first.string_at("id").value_or("?")) + " with client id " + sought.client_id +
                   " may be another one: " + (own == orders.end() ? "its terms differ" : "it is older"));
  }
  if ((*own)->string_at("status") == "Rejected") return rejected(**own, told(**own));
  return accepted(placed(**own, shown), told(**own));
}

// What open orders alone prove, where that is all: each one sought is there and has not traded, under an id that no other
// order can have. The history may be long, and a look has not for ever.
std::optional<std::vector<Finding>> judge_open(const Json& open, const std::vector<SoughtOrder>& sought) {
  const Shown shown{.open = open, .ended = Json::array(), .fills = Json::array()};
  std::vector<Finding> findings;
  for (const SoughtOrder& one : sought) {
    if (may_be_shared(one)) return std::nullopt;
    const Json* order = find_row(open, [&](const Json& row) {
      return row.string_at("client_id") == std::string_view(one.client_id) && row.string_at("status") == "Open";
    });
    if (order == nullptr) return std::nullopt;
    findings.push_back(judge(shown, one));
    if (findings.back().verdict != Verdict::accepted) return std::nullopt;
  }
  return findings;
}

Result<Finding, Stop> look_placed(Exchange& exchange, const Wish& wish) {
  const Entry& entry = wish.entry;
  if (entry.client_ids.empty()) return unclear("the order had no client id to be found by");
  const std::string& id = entry.client_ids.front();
  auto findings = SVC_TRY(find_orders(
      exchange, period_of(entry),
      {{.client_id = id, .asked = entry.body, .signed_at_ms = entry.at_ms, .is_taken = wish.taken.contains(id)}}));
  return std::move(findings.front());
}

// Placed one after the other in one request: if any is there, those that are not were refused.
Result<Finding, Stop> look_batch(Exchange& exchange, const Wish& wish) {
  const Entry& entry = wish.entry;
  if (entry.client_ids.empty()) return unclear("the orders had no client ids to be found by");
  std::vector<SoughtOrder> sought;
  for (std::size_t i = 0; i < entry.client_ids.size(); ++i) {
    const std::string& id = entry.client_ids[i];
    const auto& bodies = entry.body.items();
    sought.push_back({.client_id = id,
                      .asked = i < bodies.size() ? bodies[i] : Json(),
                      .signed_at_ms = entry.at_ms,
                      .is_taken = wish.taken.contains(id)});
  }
  auto findings = find_orders(exchange, period_of(entry), sought);
  const auto is_seen = [](const Finding& finding) { return finding.verdict != Verdict::not_seen; };
  // The lists are read one after the other: a batch that arrived in between shows what traded, but not yet what rests.
  if (findings && std::ranges::any_of(*findings, is_seen) && !std::ranges::all_of(*findings, is_seen))
    findings = find_orders(exchange, period_of(entry), sought);
  if (!findings) return unexpected(findings.error());
  Json results = Json::array();
  std::size_t there = 0;
  for (const Finding& finding : *findings) {
    if (finding.verdict == Verdict::unknown) return unclear(finding.evidence);
    Json result = finding.verdict == Verdict::not_seen ? Json::object() : finding.record;
    if (finding.verdict == Verdict::accepted) {
      ++there;
      result.set("outcome", "ok");
    } else {
      const bool refused = finding.verdict == Verdict::rejected;
      result = Json::object(
          {{"outcome", "err"},
           {"error", refused ? "rejected" : "not_there"},
           {"message", refused ? finding.evidence : "not among open orders, history and fills: the venue refused it"}});
    }
    results.push(std::move(result));
  }
  const std::string count =
      std::to_string(there) + " of " + std::to_string(entry.client_ids.size()) + " orders are there";
  return there == 0 ? not_seen(count) : accepted(std::move(results), count);
}

bool is_open(const Json& order) {
  const auto status = order.string_at("status");
  return status == "Open" || status == "PartiallyFilled";
}

bool was_amended(const Json& order) {
  return same_word(order.string_at("cancellation_reason").value_or(""), "AmendReplace");
}

// True if the order has every term that the amendment asked for.
bool has_amended_terms(const Json& order, const Json& asked) {
  const auto agrees = [&](std::string_view wanted, std::string_view shown) {
    const auto want = asked.string_at(wanted);
    if (!want) return true;
    const auto have = order.string_at(shown);
    return have && same_number(*want, *have);
  };
  const std::string_view size = order.find("quantity") != nullptr ? "quantity" : "size";
  return agrees("price", "price") && agrees("size", size);
}

// Not there: it was not read, or the service shows it no more.
Finding no_order(const Shown& shown, const std::string& id) {
  if (shown.reach == Reach::cut) return unclear(not_read_whole());
  return not_seen("order " + id + " is not among open orders and history");
}

// True if no amendment to these terms made the order, whatever happened to it since: it has another price, or more size.
bool has_foreign_terms(const Json& order, const Json& asked) {
  const auto price = asked.string_at("price");
  const auto has = order.string_at("price");
  if (price && has && !same_number(*price, *has)) return true;
  const auto size = asked.string_at("size");
  if (!size) return false;
  const auto want = parse_decimal(*size);
  const auto have = parse_decimal(order.string_at("quantity").value_or(order.string_at("size").value_or("")));
  return want && have && compared(*have, *want).value_or(0) > 0;
}

// An amendment ends the order and begins another one in its place, at the same moment.
Finding judge_replacement(const Shown& shown, const Json& order, const Json& asked) {
  const Json* foreign = nullptr;
  bool all_are_foreign = true;
  for (const Json* rows : {&shown.open, &shown.ended}) {
    for (const Json& row : rows->items()) {
      const bool in_its_place =
          row.string_at("market_id") == order.string_at("market_id") && created_ms(row) == time_of(order) &&
          row.string_at("id") != order.string_at("id") && row.string_at("client_id") == order.string_at("client_id") &&
          same_word(row.string_at("side").value_or(""), order.string_at("side").value_or(""));
      if (!in_its_place) continue;
      if (has_amended_terms(row, asked)) return accepted(row, told(row) + " in its place, with the terms asked for");
      foreign = &row;
      all_are_foreign = all_are_foreign && has_foreign_terms(row, asked);
    }
  }
  if (foreign != nullptr && all_are_foreign && shown.reach != Reach::cut)
    return rejected(*foreign, told(*foreign) + " in its place, put there by another amendment");
  return unclear(told(order) + ", amended, and an order in its place with these terms is not to be seen");
}

Result<Finding, Stop> look_amended(Exchange& exchange, const Wish& wish) {
  const auto shown = SVC_TRY(read_shown(exchange, period_of(wish.entry)));
  const std::string id = last_segment(wish.entry.path);
  const auto order = find_order(shown, id);
  if (!order) return no_order(shown, id);
  if (is_open(*order)) {
    return has_amended_terms(*order, wish.entry.body) ? accepted(*order, told(*order) + " with the terms asked for")
                                                      : not_seen(told(*order) + " with other terms");
  }
  const bool since = time_of(*order) >= wish.entry.at_ms - limits::auth_window_ms;
  if (was_amended(*order) && since) return judge_replacement(shown, *order, wish.entry.body);
  return rejected(*order, told(*order));
}

Result<Finding, Stop> look_cancelled(Exchange& exchange, const Wish& wish) {
  const auto shown = SVC_TRY(read_shown(exchange, period_of(wish.entry)));
  const std::string id = last_segment(wish.entry.path);
  const auto order = find_order(shown, id);
  if (!order) return no_order(shown, id);
  if (was_amended(*order)) return rejected(*order, told(*order) + ", for an amendment put another one in its place");
  if (order->string_at("status") == "Cancelled") return accepted(*order, told(*order));
  return is_open(*order) ? not_seen(told(*order)) : rejected(*order, told(*order));
}

Result<Finding, Stop> look_cancelled_all(Exchange& exchange, const Wish& wish) {
  const auto open = SVC_TRY(read_open(exchange));
  const std::string market = parameter(wish.entry.query, "market_id");
  const Json* left = find_row(open, [&](const Json& order) {
    const bool older = order.integer_at("created_at").value_or(0) <= wish.entry.at_ms;
    return older && (market.empty() || order.string_at("market_id") == market);
  });
  if (left != nullptr) return not_seen(told(*left));
  return accepted(Json::array(), "no order of before is open");
}

constexpr std::array order_table{
    Proof{"place_order", "open orders, order history and fills, by client id", look_placed},
    Proof{"place_orders", "open orders, order history and fills, by client id", look_batch},
    Proof{"amend_order", "the order's price and size", look_amended},
    Proof{"cancel_order", "the order's status", look_cancelled},
    Proof{"cancel_all_orders", "open orders", look_cancelled_all},
};

}  // namespace

Result<std::vector<Finding>, Stop> find_orders(Exchange& exchange, const Period& period,
                                               const std::vector<SoughtOrder>& sought) {
  auto open = SVC_TRY(read_open(exchange));
  if (auto proved = judge_open(open, sought)) return std::move(*proved);
  const auto shown = SVC_TRY(read_with(exchange, period, std::move(open)));
  std::vector<Finding> findings;
  for (const SoughtOrder& one : sought) findings.push_back(judge(shown, one));
  const bool any = std::any_of(findings.begin(), findings.end(),
                               [](const Finding& finding) { return finding.verdict != Verdict::not_seen; });
  if (!any && !shown.client_ids_sent) return unexpected(ids_not_sent());
  return findings;
}

std::span<const Proof> order_proofs() {
  return order_table;
}

}  // namespace svc::cli::outbox
