#include "cli/commands/batch_waiting.h"

#include <algorithm>

#include "api/ops/orders.h"
#include "cli/commands/order_lookup.h"
#include "cli/progress_line.h"
#include "cli/watch/watch_limits.h"

namespace svc::cli {
namespace {

std::string text_at(const Json& row, std::string_view path) {
  return std::string(row.string_at(path).value_or(""));
}

struct Waited {
  std::size_t row = 0;
  WaitVerdict verdict = WaitVerdict::not_yet;
};

const Json* find_open(const Json& open, std::string_view id) {
  for (const Json& order : open.items())
    if (order.string_at("id") == id) return &order;
  return nullptr;
}

// How one order stands: among the open ones, or looked up where it is no longer one of them.
Result<Json, Stop> read_order(Exchange& exchange, const Json& open, const Json& row) {
  if (const Json* order = find_open(open, text_at(row, "order.id"))) return *order;
  const auto ref = SVC_TRY(order_ref(text_at(row, "order.id"), text_at(row, "order.market_id")));
  return find_order(exchange, ref);
}

// Fills of these orders among the newest, oldest first.
void put_fills(Exchange& exchange, Json& rows) {
  const auto reply = exchange.call(call_of<api::ops::ListFills>({.limit = 500}));
  if (!reply) return;  // what was told when they were placed stays
  std::vector<Json> out(rows.items().begin(), rows.items().end());
  for (Json& row : out) {
    const std::string id = text_at(row, "order.id");
    Json fills = Json::array();
    const auto& newest_first = reply->body.items();
    for (auto fill = newest_first.rbegin(); fill != newest_first.rend(); ++fill)
      if (!id.empty() && fill->string_at("order_id") == id) fills.push(*fill);
    if (!fills.items().empty()) row.set("fills", std::move(fills));
  }
  rows = Json::array(std::move(out));
}

}  // namespace

std::optional<Failure> wait_for_rows(Context& context, Exchange& exchange, const WaitFlags::Wish& wish, Json& rows) {
  std::vector<Json> all(rows.items().begin(), rows.items().end());
  std::vector<Waited> left;
  std::optional<Failure> failure;
  std::size_t never = 0;
  const auto judged = [&](Waited& one) {
    one.verdict = judge(wish.wanted, text_at(all[one.row], "order.status"));
    if (one.verdict == WaitVerdict::never) ++never;
    return one.verdict != WaitVerdict::not_yet;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json* order = all[i].find("order");
    Waited one{.row = i};
    if (order != nullptr && order->is(Json::Kind::object) && !judged(one)) left.push_back(one);
  }
  const std::size_t waiting = left.size();
  ProgressLine progress(context, "waiting for", "orders");
  const TimestampMs until_ms = context.now_ms() + wish.timeout_ms;
  const auto stopped = [&](ExitCode exit, std::string code, const std::string& how) {
    failure = Failure{.exit = exit,
                      .code = std::move(code),
                      .message = std::to_string(left.size()) + " of the orders are not " +
                                 std::string(wait_words[static_cast<std::size_t>(wish.wanted)]) + how,
                      .retryable = exit == ExitCode::wait_ended};
  };
  while (!left.empty() && !failure) {
    const auto open = exchange.call(call_of<api::ops::ListOrders>());
    for (Waited& one : left) {
      const auto order = open ? read_order(exchange, open->body, all[one.row]) : Result<Json, Stop>(Json());
      if (open && order) all[one.row].set("order", *order);
    }
    std::erase_if(left, judged);
    progress.at(waiting - left.size(), waiting);
    for (std::int64_t slept_ms = 0; !left.empty() && !failure && slept_ms < watch_limits::poll_ms;
         slept_ms += watch_limits::look_ms) {
      if (context.environment().interrupted()) stopped(ExitCode::interrupted, "interrupted", "; interrupted");
      if (context.now_ms() >= until_ms)
        stopped(ExitCode::wait_ended, "wait_ended", " after " + std::to_string(wish.timeout_ms) + " ms");
      if (!failure) context.environment().sleep_ms(watch_limits::look_ms);
    }
  }
  rows = Json::array(std::move(all));
  if (waiting > 0) put_fills(exchange, rows);
  if (!failure && never > 0) {
    failure = Failure{.exit = ExitCode::conflict,
                      .code = "order_ended",
                      .message = std::to_string(never) + " of the orders ended and will not be " +
                                 std::string(wait_words[static_cast<std::size_t>(wish.wanted)])};
  }
  return failure;
}

}  // namespace svc::cli
