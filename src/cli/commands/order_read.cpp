// orders list, get, history; fills list
#include <array>

#include "api/ops/orders.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_lookup.h"
#include "cli/commands/order_views.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array listed_sides{"Buy"sv, "Sell"sv};

class ListOrders final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.choice("--side", side_, listed_sides, "only this side");
    flags_.declare(arguments, keys_, Comes::whole);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto cut = SVC_TRY(RowCut::of(context, flags_, keys_));
    auto exchange = SVC_TRY(Exchange::open(context));
    cut.set_clock(context, exchange);
    auto reply = SVC_TRY(exchange.call(call_of<api::ops::ListOrders>({.market_id = cut.filter().market})));
    const TimestampMs now_ms = server_now_ms(context, exchange);
    Answer answer{.data = Json::array(), .view = open_orders_view(), .rows = Json::array(), .raw = reply.raw};
    for (const Json& order : reply.body.items()) {
      if (!cut.holds(order)) continue;
      if (side_ && order.string_at("side") != std::string_view(*side_)) continue;
      answer.data.push(order);
      Json row = order;
      if (const auto created_ms = order.integer_at("created_at")) {
        row.set("age", age_text(std::max<std::int64_t>(now_ms - *created_ms, 0)));
      }
      answer.rows->push(std::move(row));
    }
    SVC_TRY(cut.check_market(exchange, answer.data));
    if (side_ || cut.filter().by_time()) say_filtered_here(context);
    cut.finish(answer);
    return answer;
  }

 private:
  static constexpr RowKeys keys_{"market_id", "created_at"};

  std::optional<std::string> side_;
  ListFlags flags_;
};

class GetOrder final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ORDER_ID", order_id_, "order id");
    arguments.text("--client-id", client_id_, "ID", "look it up by your own id, in open orders and history");
    arguments.text("--market", market_, "MARKET", "market of the order (default: it is looked up)");
    arguments.flag("--history", history_, "look among the ended orders, however long ago (5 tokens a page)");
  }
  Result<Answer, Stop> run(Context& context) override {
    if (order_id_.has_value() == client_id_.has_value()) {
      return unexpected(Stop(usage_error("give either ORDER_ID or --client-id")));
    }
    auto exchange = SVC_TRY(Exchange::open(context));
    if (history_) {
      const std::string_view key = client_id_ ? "client_id" : "id";
      const std::string& id = client_id_ ? *client_id_ : *order_id_;
      auto found = SVC_TRY(find_in_history(
          exchange, [&](const Json& row) { return row.string_at(key) == id; }, std::string(key) + " " + id));
      return shown(std::move(found));
    }
    if (client_id_) {
      auto found = SVC_TRY(find_by_client_id(exchange, *client_id_));
      return shown(std::move(found));
    }
    auto request = order_ref(*order_id_, market_);
    if (!request) return unexpected(Stop(request.error()));
    if (!market_) {
      auto market = SVC_TRY(find_market_of(exchange, *order_id_));
      request = order_ref(*order_id_, market);
      if (!request) return unexpected(Stop(request.error()));
    }
    auto reply = SVC_TRY(exchange.call(
        call_of<api::ops::GetOrder>({.order_id = request->order_id, .market_id = request->market_id.value()})));
    Answer answer = shown(std::move(reply.body));
    answer.raw = std::move(reply.raw);
    return answer;
  }

 private:
  static Answer shown(Json order) {
    Json row = with_limit_price(order);
    if (row.find("side") != nullptr) row.set("side", side_at(row, "side"));
    return {.data = std::move(order), .view = sheet_view(), .rows = std::move(row)};
  }

  std::optional<std::string> order_id_;
  std::optional<std::string> client_id_;
  std::optional<std::string> market_;
  bool history_ = false;
};

RowKeys history_keys() {
  return {"market_id", "completed_at_ms"};
}
RowKeys fill_keys() {
  return {"market_id", "timestamp"};
}

constexpr std::array order_read_rows{
    CommandRow{"orders list", "", "List open orders", make<ListOrders>, 1, Repeats::yes},
    CommandRow{"orders get", "ORDER_ID", "Show one order", make<GetOrder>, 1, Repeats::yes},
    CommandRow{"orders history", "", "List ended orders, newest first",
               make<ListCommand<api::ops::ListOrderHistory, order_history_view, history_keys>>, 1, Repeats::yes},
    CommandRow{"fills list", "", "List fills, newest first",
               make<ListCommand<api::ops::ListFills, fills_view, fill_keys>>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> order_read_commands() {
  return order_read_rows;
}

}  // namespace svc::cli
