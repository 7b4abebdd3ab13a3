#include "cli/guards/intended_order.h"

#include <limits>

#include "api/ops/orders.h"
#include "cli/exchange/exchange.h"
#include "cli/outbox/proof_rows.h"

namespace svc::cli::guards {
namespace {

std::optional<Decimal> decimal_at(const Json& row, std::string_view key) {
  const auto text = row.string_at(key);
  const auto value = parse_decimal(text.value_or(""));
  return value ? std::optional(*value) : std::nullopt;
}

IntendedOrder order_in(const Json& row) {
  IntendedOrder order{.market = std::string(row.string_at("market_id").value_or("")),
                      .buys = row.string_at("side") == "Buy" || row.string_at("side") == "buy",
                      .reduces = row.find("reduce_only") != nullptr && row.find("reduce_only")->truth(),
                      .quantity = decimal_at(row, "quantity"),
                      .price = decimal_at(row, "price")};
  if (order.price && order.price->coefficient == 0) order.price.reset();
  return order;
}

// The open order with the terms of the amendment; nothing if it is not open, for then nothing comes of it.
Result<std::vector<IntendedOrder>, Stop> amended(Exchange& exchange, const Call& call, const Json& body) {
  const auto open = SVC_TRY(exchange.call(call_of<api::ops::ListOrders>()));
  const std::string id = outbox::last_segment(call.path);
  std::vector<IntendedOrder> orders;
  const Json* row = outbox::find_row(open.body, [&](const Json& one) { return one.string_at("id") == id; });
  if (row == nullptr) return orders;
  IntendedOrder order = order_in(*row);
  if (const auto price = decimal_at(body, "price")) order.price = price;
  if (const auto size = decimal_at(body, "size")) order.quantity = size;
  orders.push_back(std::move(order));
  return orders;
}

// 10^18 in either factor leaves the product within 128 bits.
constexpr i128 factor_max = 1'000'000'000'000'000'000;

bool is_factor(const Decimal& decimal) {
  return decimal.coefficient > -factor_max && decimal.coefficient < factor_max;
}

constexpr i128 power_of_ten(int exponent) {
  i128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

}  // namespace

Result<std::vector<IntendedOrder>, Stop> intended_orders(Exchange& exchange, const Call& call) {
  std::vector<IntendedOrder> orders;
  const auto body = parse_json(call.body);
  const std::string_view name = call.operation->name;
  if (!body) return orders;
  if (name == "place_order") orders.push_back(order_in(*body));
  if (name == "place_orders") {
    for (const Json& row : body->items()) orders.push_back(order_in(row));
  }
  if (name == "amend_order") return amended(exchange, call, *body);
  return orders;
}

std::optional<std::int64_t> notional_micro_usdx(const Decimal& quantity, const Decimal& price) {
  if (!is_factor(quantity) || !is_factor(price)) return std::nullopt;
  const i128 product = quantity.coefficient * price.coefficient;
  const int surplus = quantity.scale + price.scale - usdx_decimals;
  constexpr int digits_max = 36;
  if (surplus > digits_max) return product > 0 ? 1 : 0;
  constexpr i128 whole_max = std::numeric_limits<std::int64_t>::max();
  if (surplus < 0) {
    const i128 scale = power_of_ten(-surplus);
    return product > whole_max / scale ? std::nullopt : std::optional(static_cast<std::int64_t>(product * scale));
  }
  const i128 micro = div_round(product, power_of_ten(surplus), Rounding::up);
  return micro > whole_max ? std::nullopt : std::optional(static_cast<std::int64_t>(micro));
}

bool beyond_band(const IntendedOrder& order, const Decimal& mark, std::int64_t band_bps) {
  if (!order.price) return false;
  constexpr i128 basis = 10'000;
  const int scale = std::max(order.price->scale, mark.scale);
  const bool fits = scale <= 18 && is_factor(*order.price) && is_factor(mark);
  if (!fits) return true;
  const i128 price = order.price->coefficient * power_of_ten(scale - order.price->scale);
  const i128 middle = mark.coefficient * power_of_ten(scale - mark.scale);
  constexpr i128 aligned_max = power_of_ten(33);  // leaves room for the factor of basis points
  if (price > aligned_max || middle > aligned_max || band_bps > basis) return true;
  if (order.buys) return price * basis > middle * (basis + band_bps);
  return price * basis < middle * (basis - band_bps);
}

}  // namespace svc::cli::guards
