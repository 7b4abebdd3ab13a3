#include "cli/commands/order_views.h"

#include "base/clock.h"
#include "base/decimal.h"
#include "cli/render.h"

namespace svc::cli {

using enum Column::Need;

std::string time_at(const Json& row, std::string_view key) {
  const auto time_ms = row.integer_at(key);
  return time_ms ? rfc3339(*time_ms) : std::string();
}

std::string side_at(const Json& row, std::string_view path) {
  std::string side(row.string_at(path).value_or(""));
  if (side == "Buy" || side == "Sell") side.front() = side == "Buy" ? 'b' : 's';
  return side;
}

std::string age_text(std::int64_t age_ms) {
  if (age_ms < minute_ms) return std::to_string(age_ms / second_ms) + "s";
  if (age_ms < hour_ms) return std::to_string(age_ms / minute_ms) + "m";
  if (age_ms < day_ms) return std::to_string(age_ms / hour_ms) + "h";
  return std::to_string(age_ms / day_ms) + "d";
}

std::string limit_price(const Json& order) {
  const auto type = order.string_at("order_type").value_or("");
  const bool has_none =
      type == "Market" || type == "StopMarket" || type == "TakeProfitMarket" || type == "TrailingStop";
  return has_none ? std::string() : cell_text(order.find("price"));
}

std::string margin_behind(const Json& position) {
  const bool isolated = position.string_at("margin_mode") == "isolated";
  return cell_text(position.find(isolated ? "allocated_margin" : "margin_used"));
}

std::string average_price(const Json& placed) {
  constexpr int decimals = 6;
  const Json* fills = placed.find("fills");
  if (fills == nullptr || fills->items().empty()) return {};
  i128 value = 0;     // 1e-12
  i128 quantity = 0;  // 1e-6
  for (const Json& fill : fills->items()) {
    const auto price = parse_scaled(fill.string_at("price").value_or(""), decimals);
    const auto size = parse_scaled(fill.string_at("size").value_or(""), decimals);
    if (!price || !size || *price < 0 || *size <= 0) return {};
    value += static_cast<i128>(*price) * *size;
    quantity += *size;
  }
  return format_decimal({div_round(value, quantity, Rounding::half_up), decimals});
}

namespace {

// "SlippageCap"; a self-trade is an object {"Stp": mode}, shown as order history does.
std::string reason_text(const Json* order) {
  const Json* reason = order == nullptr ? nullptr : order->find("cancellation_reason");
  if (reason == nullptr || reason->is(Json::Kind::null)) return {};
  const auto mode = reason->string_at("Stp");
  return mode ? "Stp(" + std::string(*mode) + ")" : cell_text(reason);
}

}  // namespace

std::string order_side(const Json& row) {
  return side_at(row, "side");
}

View placed_order_view() {
  return {{{"order_id", "order.id"},
           {"client_id", "order.client_id", nullptr, if_it_fits},
           {"market", "order.market_id"},
           {"side", "", [](const Json& row) { return side_at(row, "order.side"); }},
           {"type", "order.order_type"},
           {"size", "order.quantity"},
           {"price", "", [](const Json& row) { return row.find("order") ? limit_price(*row.find("order")) : ""; }},
           {"trigger", "order.trigger_price", nullptr, if_it_fits},
           {"offset_bps", "order.trailing_offset_bps", nullptr, if_it_fits},
           {"status", "order.status"},
           {"filled", "order.filled_qty"},
           {"avg_price", "", average_price},
           {"reason", "", [](const Json& row) { return reason_text(row.find("order")); }}},
          Layout::rows};
}

View preview_view() {
  return {{{"est_price", "expected_fill_vwap"},
           {"est_fee", "projected_fees"},
           {"margin_required", "required_initial_margin"},
           {"equity_after", "projected_post_trade_equity"},
           {"leverage_after", "projected_post_trade_leverage"},
           {"liq_price", "projected_post_trade_liquidation_price"},
           {"warnings", "reject_reason"}},
          Layout::rows};
}

View batch_view() {
  return {
      {{"line", "line"},
       {"client_id", "client_id", nullptr, if_it_fits},
       {"order_id", "order.id"},
       {"status", "", [](const Json& row) { return cell_text(row.at(row.at("order") ? "order.status" : "outcome")); }},
       {"filled", "order.filled_qty"},
       {"reason", "", [](const Json& row) { return reason_text(row.find("order")); }},
       {"error", "error"}},
      Layout::rows};
}

std::optional<Failure> not_filled(const Json& order) {
  const auto tif = order.string_at("time_in_force");
  const auto status = order.string_at("status");
  const bool had_to = tif == "IOC" || tif == "FOK" || order.string_at("order_type") == "Market";
  const bool over = status == "Cancelled" || status == "Expired" || status == "Rejected";
  const auto filled = parse_decimal(order.string_at("filled_qty").value_or(""));
  if (!had_to || !over || !filled || filled->coefficient != 0) return std::nullopt;
  const std::string reason = reason_text(&order);
  return Failure{.exit = ExitCode::not_filled,
                 .code = "not_filled",
                 .message = "the order was accepted, filled nothing and is over" +
                            (reason.empty() ? std::string() : " (" + reason + ")")};
}

View open_orders_view() {
  return {{{"order_id", "id"},
           {"client_id", "client_id", nullptr, if_it_fits},
           {"market", "market_id"},
           {"side", "", order_side},
           {"type", "order_type"},
           {"price", "", limit_price},
           {"trigger", "trigger_price"},
           {"offset_bps", "trailing_offset_bps", nullptr, if_it_fits},
           {"size", "quantity"},
           {"filled", "filled_qty"},
           {"tif", "time_in_force", nullptr, if_it_fits},
           {"reduce_only", "reduce_only", nullptr, if_it_fits},
           {"age", "age"},
           {"status", "status"}},
          Layout::rows};
}

View cancelled_order_view() {
  return {{{"order_id", "id"}, {"status", "status"}, {"filled", "filled_qty"}, {"error", "error"}}, Layout::rows};
}

View order_history_view() {
  return {{{"time", "", [](const Json& row) { return time_at(row, "completed_at_ms"); }},
           {"order_id", "id", nullptr, if_it_fits},
           {"client_id", "client_id", nullptr, if_it_fits},
           {"market", "market_id"},
           {"side", "", order_side},
           {"price", "price"},
           {"size", "size"},
           {"filled", "filled_qty"},
           {"status", "status"},
           {"reason", "cancellation_reason", nullptr, if_it_fits}},
          Layout::rows};
}

View fills_view() {
  return {{{"time", "", [](const Json& row) { return time_at(row, "timestamp"); }},
           {"market", "market_id"},
           {"side", "", order_side},
           {"price", "price"},
           {"size", "size"},
           {"fee", "fee"},
           {"liquidity", "taker_or_maker", nullptr, if_it_fits},
           {"order_id", "order_id", nullptr, if_it_fits},
           {"client_id", "client_id", nullptr, if_it_fits}},
          Layout::rows};
}

View adl_events_view() {
  return {{{"time", "", [](const Json& row) { return time_at(row, "timestamp"); }},
           {"market", "market_id"},
           {"target", "target_account"},
           {"price", "bankruptcy_price"},
           {"absorbed", "bad_debt_absorbed_by_fund"},
           {"accounts", "",
            [](const Json& row) {
              const Json* closures = row.find("counterparty_closures");
              return closures == nullptr ? std::string() : std::to_string(closures->items().size());
            }}},
          Layout::rows};
}

View sheet_view() {
  return {{}, Layout::sheet};
}

}  // namespace svc::cli
