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

std::string age_text(std::int64_t age_ms) {
  if (age_ms < minute_ms) return std::to_string(age_ms / second_ms) + "s";
  if (age_ms < hour_ms) return std::to_string(age_ms / minute_ms) + "m";
  if (age_ms < day_ms) return std::to_string(age_ms / hour_ms) + "h";
  return std::to_string(age_ms / day_ms) + "d";
}

// The service says 0 where an order has no limit.
std::string limit_price(const Json& order) {
  const auto type = order.string_at("order_type").value_or("");
  const bool has_none =
      type == "Market" || type == "StopMarket" || type == "TakeProfitMarket" || type == "TrailingStop";
  return has_none ? std::string() : cell_text(order.find("price"));
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

View placed_order_view() {
  return {{{"order_id", "order.id"},
           {"client_id", "order.client_id", nullptr, if_it_fits},
           {"market", "order.market_id"},
           {"side", "order.side"},
           {"type", "order.order_type"},
           {"size", "order.quantity"},
           {"price", "", [](const Json& row) { return row.find("order") ? limit_price(*row.find("order")) : ""; }},
           {"status", "order.status"},
           {"filled", "order.filled_qty"},
           {"avg_price", "", average_price}},
          Layout::rows};
}

View preview_view() {
  return {{{"est_price", "expected_fill_vwap"},
           {"est_fee", "projected_fees"},
           {"margin_required", "required_initial_margin"},
           {"margin_after", "projected_post_trade_equity"},
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
       {"error", "error"}},
      Layout::rows};
}

View open_orders_view() {
  return {{{"order_id", "id"},
           {"client_id", "client_id", nullptr, if_it_fits},
           {"market", "market_id"},
           {"side", "side"},
           {"type", "order_type"},
           {"price", "", limit_price},
           {"trigger", "trigger_price"},
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
           {"order_id", "id"},
           {"client_id", "client_id", nullptr, if_it_fits},
           {"market", "market_id"},
           {"side", "side"},
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
           {"side", "side"},
           {"price", "price"},
           {"size", "size"},
           {"fee", "fee"},
           {"liquidity", "taker_or_maker", nullptr, if_it_fits},
           {"order_id", "order_id", nullptr, if_it_fits},
           {"client_id", "client_id", nullptr, if_it_fits},
           {"pnl", "realized_pnl"}},
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
