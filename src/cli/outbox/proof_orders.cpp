// Orders: by client id where they were placed, by order id where they were changed.
#include <algorithm>
#include <array>

#include "api/ops/orders.h"
#include "cli/commands/listing.h"
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
};

template <class Op>
Result<Json, Stop> read_since(Exchange& exchange, TimestampMs since_ms) {
  Json all = Json::array();
  const auto page = [&](const std::optional<std::string>& cursor) {
    typename Op::Request request;
    request.limit = page_rows_max<typename Op::Request>();
    request.cursor = cursor;
    request.start_time = since_ms;
    return call_of<Op>(request);
  };
  const auto done = each_page(exchange, page, [&](const Json& rows) {
    bool recent = true;
    for (const Json& row : rows.items()) {
      const auto ended_ms = row.integer_at("completed_at_ms");
      const auto at_ms = ended_ms ? ended_ms : row.integer_at("timestamp");
      recent = recent && at_ms.value_or(since_ms) >= since_ms;
      all.push(row);
    }
    return recent;
  });
  if (!done) return unexpected(done.error());
  return all;
}

Result<Json, Stop> read_open(Exchange& exchange) {
  auto reply = exchange.call(call_of<api::ops::ListOrders>());
  if (!reply) return unexpected(reply.error());
  return std::move(reply->body);
}

bool any_client_id(const Json& rows) {
  return find_row(rows, [](const Json& row) { return row.find("client_id") != nullptr; }) != nullptr;
}

Result<Shown, Stop> read_shown(Exchange& exchange, const Entry& entry) {
  const TimestampMs since_ms = entry.at_ms - clock_slack_ms;
  Shown shown;
  auto open = read_open(exchange);
  if (!open) return unexpected(open.error());
  auto ended = read_since<api::ops::ListOrderHistory>(exchange, since_ms);
  if (!ended) return unexpected(ended.error());
  auto fills = read_since<api::ops::ListFills>(exchange, since_ms);
  if (!fills) return unexpected(fills.error());
  shown = {.open = std::move(*open), .ended = std::move(*ended), .fills = std::move(*fills)};
  const bool anything = !shown.open.items().empty() || !shown.ended.items().empty();
  shown.client_ids_sent = !anything || any_client_id(shown.open) || any_client_id(shown.ended);
  return shown;
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

// As POST /orders would have answered: the order and what it traded.
Json placed(const Json& order, const Shown& shown) {
  Json fills = Json::array();
  for (const Json& fill : shown.fills.items()) {
    if (fill.string_at("order_id") == order.string_at("id")) fills.push(fill);
  }
  return Json::object({{"order", order}, {"fills", std::move(fills)}});
}

// The order as one of the lists has it; where only a fill tells of it, what the fill says.
std::optional<Json> find_order(const Shown& shown, std::string_view key, std::string_view id) {
  const auto matches = [&](const Json& row) { return row.string_at(key) == id; };
  for (const Json* rows : {&shown.open, &shown.ended}) {
    if (const Json* row = find_row(*rows, matches)) return *row;
  }
  const std::string_view fill_key = key == "id" ? std::string_view("order_id") : key;
  const Json* fill = find_row(shown.fills, [&](const Json& row) { return row.string_at(fill_key) == id; });
  if (fill == nullptr) return std::nullopt;
  return Json::object({{"id", fill->string_at("order_id")},
                       {"market_id", fill->string_at("market_id")},
                       {"client_id", fill->string_at("client_id")},
                       {"status", "Filled"}});
}

Result<Finding, Stop> look_placed(Exchange& exchange, const Wish& wish) {
  const Entry& entry = wish.entry;
  if (entry.client_ids.empty()) return not_seen("the order had no client id to be found by");
  const auto shown = read_shown(exchange, entry);
  if (!shown) return unexpected(shown.error());
  const auto order = find_order(*shown, "client_id", entry.client_ids.front());
  if (!order && !shown->client_ids_sent) return unexpected(ids_not_sent());
  if (!order) return not_seen("no order and no fill with client id " + entry.client_ids.front());
  if (order->string_at("status") == "Rejected") return rejected(*order, told(*order));
  return accepted(placed(*order, *shown), told(*order));
}

// Placed one after the other in one request: if any is there, the others were refused.
Result<Finding, Stop> look_batch(Exchange& exchange, const Wish& wish) {
  const Entry& entry = wish.entry;
  if (entry.client_ids.empty()) return not_seen("the orders had no client ids to be found by");
  const auto shown = read_shown(exchange, entry);
  if (!shown) return unexpected(shown.error());
  Json results = Json::array();
  std::size_t there = 0;
  for (const std::string& id : entry.client_ids) {
    const auto order = find_order(*shown, "client_id", id);
    if (!order) {
      results.push(Json::object({{"outcome", "err"},
                                 {"error", "not_there"},
                                 {"message", "not among open orders, history and fills: the venue refused it"}}));
      continue;
    }
    ++there;
    Json result = placed(*order, *shown);
    result.set("outcome", "ok");
    results.push(std::move(result));
  }
  if (there == 0 && !shown->client_ids_sent) return unexpected(ids_not_sent());
  const std::string count =
      std::to_string(there) + " of " + std::to_string(entry.client_ids.size()) + " orders are there";
  return there == 0 ? not_seen(count) : accepted(std::move(results), count);
}

bool is_open(const Json& order) {
  const auto status = order.string_at("status");
  return status == "Open" || status == "PartiallyFilled";
}

// True if the order has every term that the amendment asked for.
bool has_terms(const Json& order, const Json& asked) {
  const auto agrees = [&](std::string_view wanted, std::string_view shown) {
    const auto want = asked.string_at(wanted);
    if (!want) return true;
    const auto have = order.string_at(shown);
    return have && same_number(*want, *have);
  };
  const std::string_view size = order.find("quantity") != nullptr ? "quantity" : "size";
  return agrees("price", "price") && agrees("size", size);
}

Result<Finding, Stop> look_amended(Exchange& exchange, const Wish& wish) {
  const auto shown = read_shown(exchange, wish.entry);
  if (!shown) return unexpected(shown.error());
  const std::string id = last_segment(wish.entry.path);
  const auto order = find_order(*shown, "id", id);
  if (!order) return not_seen("order " + id + " is not among open orders, history and fills");
  if (has_terms(*order, wish.entry.body)) return accepted(*order, told(*order) + " with the terms asked for");
  const std::string differs = told(*order) + " with other terms";
  return is_open(*order) ? not_seen(differs) : rejected(*order, differs);
}

Result<Finding, Stop> look_cancelled(Exchange& exchange, const Wish& wish) {
  const auto shown = read_shown(exchange, wish.entry);
  if (!shown) return unexpected(shown.error());
  const std::string id = last_segment(wish.entry.path);
  const auto order = find_order(*shown, "id", id);
  if (!order) return not_seen("order " + id + " is not among open orders, history and fills");
  if (order->string_at("status") == "Cancelled") return accepted(*order, told(*order));
  return is_open(*order) ? not_seen(told(*order)) : rejected(*order, told(*order));
}

Result<Finding, Stop> look_cancelled_all(Exchange& exchange, const Wish& wish) {
  const auto open = read_open(exchange);
  if (!open) return unexpected(open.error());
  const std::string market = parameter(wish.entry.query, "market_id");
  const Json* left = find_row(*open, [&](const Json& order) {
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

std::span<const Proof> order_proofs() {
  return order_table;
}

}  // namespace svc::cli::outbox
