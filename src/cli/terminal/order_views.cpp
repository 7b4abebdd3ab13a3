#include "cli/terminal/order_views.h"

#include "base/clock.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

// "SlippageCap"; self-trade prevention sends an object {"Stp": mode}, shown as in order history.
std::string reason_text(const Json* reason) {
  if (reason == nullptr) return {};
  const auto mode = reason->string_at("Stp");
  return mode ? "Stp(" + std::string(*mode) + ")" : cell_text(reason);
}

// The filled quantity of an order that had ended unfilled when it was answered. nullopt if it rests, was filled whole,
// or rested until somebody cancelled or amended it.
std::optional<Decimal> filled_when_over(const Json& order) {
  const auto status = order.string_at("status");
  const bool over = status == "Cancelled" || status == "Expired" || status == "Rejected";
  for (const auto later : {trade::CancelReason::user, trade::CancelReason::amend_replace})
    if (was_cancelled_for(later, order)) return std::nullopt;
  return over ? order.decimal_at("filled_qty") : std::nullopt;
}

std::string reason_in_brackets(const Json& order) {
  const std::string reason = reason_text(order.find_value("cancellation_reason"));
  return reason.empty() ? reason : " (" + reason + ")";
}

}  // namespace

std::string time_at(const Json& row, std::string_view key) {
  const auto time_ms = row.integer_at(key);
  return time_ms ? rfc3339(*time_ms) : std::string();
}

std::string clock_at(const Json& row, std::string_view key) {
  const std::string text = time_at(row, key);
  return text.size() > 19 ? text.substr(11, 8) : text;
}

std::string small_side(const Json& member) {
  std::string side = cell_text(&member);
  if (side == "Buy" || side == "Sell") side.front() = side == "Buy" ? 'b' : 's';
  return side;
}

std::string side_at(const Json& row, std::string_view path) {
  const Json* side = row.find_value(path);
  return side == nullptr ? std::string() : small_side(*side);
}

std::string age_text(std::int64_t age_ms) {
  if (age_ms < minute_ms) return std::to_string(age_ms / second_ms) + "s";
  if (age_ms < hour_ms) return std::to_string(age_ms / minute_ms) + "m";
  if (age_ms < day_ms) return std::to_string(age_ms / hour_ms) + "h";
  return std::to_string(age_ms / day_ms) + "d";
}

bool trades_at_market(std::string_view order_type) {
  for (std::size_t place = 0; place < std::size(trade::order_type_texts); ++place) {
    if (order_type == trade::order_type_texts[place] || order_type == trade::order_type_snake_texts[place])
      return trade::is_market_family(static_cast<trade::OrderType>(place));
  }
  return false;
}

std::string limit_price(const Json& order) {
  if (trades_at_market(order.string_at("order_type").value_or(""))) return {};
  std::string price = cell_text(order.find("price"));
  return price == "0" ? std::string() : price;  // a trailing order gets its limit when it triggers
}

std::string conditional_type(const Json& order) {
  const std::string type = order.text_at("order_type");
  return type == "Limit" || type == "Market" || type == "limit" || type == "market" ? std::string() : type;
}

std::string trailing_distance(const Json& order) {
  const auto bps = order.integer_at("trailing_offset_bps");
  return bps ? std::to_string(*bps) + " bps" : std::string();
}

std::string order_text(const Json& order) {
  std::string line = concat(side_at(order, "side"), " ", order.text_at("quantity"), " ", order.text_at("market_id"));
  const auto add = [&](std::string_view before, const std::string& word) {
    if (!word.empty() && word != "-") line += concat(" ", before, word);
  };
  add("", conditional_type(order));
  add("@ ", limit_price(order));
  add("trigger ", order.text_at("trigger_price"));
  add("trailing ", trailing_distance(order));
  return line;
}

Json with_limit_price(Json order) {
  if (limit_price(order).empty() && order.find("price") != nullptr) order.set("price", Json());
  return order;
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

std::string reason_of_placed(const Json& placed) {
  return reason_text(placed.find_value("order.cancellation_reason"));
}

std::string order_side(const Json& row) {
  return side_at(row, "side");
}

bool was_cancelled_for(trade::CancelReason reason, const Json& order) {
  return lower_case(order.string_at("cancellation_reason").value_or("")) == lower_case(trade::to_string(reason));
}

std::optional<Failure> not_filled(const Json& order) {
  const auto filled = filled_when_over(order);
  if (!filled || filled->coefficient != 0) return std::nullopt;
  return failed("not_filled", "the order was accepted, filled nothing and is over", reason_in_brackets(order))
      .as_retryable();
}

std::string partly_filled(const Json& order) {
  const auto filled = filled_when_over(order);
  if (!filled || filled->coefficient == 0) return {};
  return concat(format_decimal(*filled), " of ", order.string_at("quantity").value_or("?"),
                " was filled, and the rest is over", reason_in_brackets(order));
}

}  // namespace svc::cli
