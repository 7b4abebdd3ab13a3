#include "venue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace svc::engine {
namespace {

OrderRequest parse_request(Side side, std::string_view text) {
  OrderRequest request;
  request.params.side = side;
  const auto at = text.find(" @ ");
  request.quantity = text.substr(0, at);
  if (at == std::string_view::npos) {
    request.params.type = OrderType::market;
    request.params.time_in_force = TimeInForce::ioc;
  } else {
    request.price = text.substr(at + 3);
  }
  return request;
}

Decimal decimal(std::string_view text) {
  return parse_decimal(text).value();
}

}  // namespace

Address trader(std::string_view name) {
  Address address;
  std::copy_n(name.begin(), std::min(name.size(), address.bytes.size()), address.bytes.begin());
  return address;
}

std::string name_of(const Address& address) {
  std::string name(address.bytes.begin(), address.bytes.end());
  return name.substr(0, name.find('\0'));
}

MarketSpec plain_market(std::string id) {
  MarketSpec spec;
  spec.id = std::move(id);
  spec.base_asset = "X";
  spec.quote_asset = "USDX";
  spec.tick_size = {1, 0};
  spec.lot_size = {1, 0};
  spec.max_order_size = Lots{1'000'000};
  spec.price_max = Ticks{1'000'000};
  spec.max_leverage = 10;
  spec.tiers = {{.lower_notional = {}, .imr = {1, 10}, .mmr = {1, 20}}};
  spec.oracle_stale_after_ms = 0;
  spec.price_band = {99, 100};
  return spec;
}

Usdx usdx(std::string_view amount) {
  return {parse_scaled(amount, usdx_decimals).value()};
}

OrderRequest buy(std::string_view text) {
  return parse_request(Side::buy, text);
}
OrderRequest sell(std::string_view text) {
  return parse_request(Side::sell, text);
}

Venue::Venue(std::vector<MarketSpec> markets) : engine({.markets = std::move(markets)}) {}

MarketIndex Venue::market(std::string_view id) const {
  if (id.empty()) return MarketIndex{0};
  return engine.find_market(id).value();
}

const Outcome& Venue::apply(const decltype(Command::body)& body) {
  log.clear();
  const Outcome& outcome = engine.apply({now_ms, body}, log);
  last_fills = outcome.fills;
  for (const auto& violations : {engine.violations(), engine.violations(log.events())})
    EXPECT_TRUE(violations.empty()) << violations.front();
  return outcome;
}

Venue& Venue::fund(std::initializer_list<Address> accounts, std::string_view amount) {
  for (const Address& account : accounts) EXPECT_TRUE(apply(Deposit{account, usdx(amount)}).ok());
  return *this;
}

Venue& Venue::mark(std::string_view price, std::string_view id) {
  const Ticks ticks = measure_price(engine.spec(market(id)), decimal(price)).value;
  EXPECT_TRUE(apply(OracleTick{{{market(id), ticks, ticks}}}).ok());
  return *this;
}

Venue& Venue::pass(std::int64_t ms) {
  now_ms += ms;
  apply(PassTime{});
  return *this;
}

OrderParams Venue::params(const OrderRequest& request) const {
  OrderParams params = request.params;
  params.market = market(request.market);
  const MarketSpec& spec = engine.spec(params.market);
  params.quantity = measure_lots(spec, decimal(request.quantity));
  if (!request.price.empty()) params.price = measure_price(spec, decimal(request.price));
  if (!request.trigger.empty()) params.trigger = measure_price(spec, decimal(request.trigger));
  return params;
}

OrderOutcome Venue::place(const OrderRequest& request) {
  return apply(PlaceOrder{request.account, params(request)}).orders.front();
}

Venue& Venue::rest(std::initializer_list<OrderRequest> requests) {
  for (const OrderRequest& request : requests) {
    EXPECT_EQ(to_string(place(request).reject), "") << request.quantity << " @ " << request.price;
  }
  return *this;
}

OrderOutcome Venue::amend(const OrderOutcome& order, std::string_view price, std::string_view size) {
  const MarketSpec& spec = engine.spec(order.order.market);
  AmendOrder command{order.order.account, order.order.id, {}, {}};
  if (!price.empty()) command.price = measure_price(spec, decimal(price));
  if (!size.empty()) command.size = measure_lots(spec, decimal(size));
  return apply(command).orders.front();
}

Reject Venue::cancel(const OrderOutcome& order) {
  return apply(CancelOrder{order.order.account, order.order.id}).reject;
}

std::string Venue::picture(std::string_view id) const {
  const MarketIndex index = market(id);
  const MarketSpec& spec = engine.spec(index);
  std::map<Ticks, std::vector<OrderRecord>> levels[2];
  for (const Address& account : engine.accounts()) {
    for (const OrderRecord& order : engine.open_orders(account)) {
      if (order.market != index || order.status == OrderStatus::untriggered) continue;
      levels[order.side == Side::sell][order.price].push_back(order);
    }
  }
  std::string picture;
  const auto draw = [&](Ticks price, std::vector<OrderRecord> orders) {
    std::sort(orders.begin(), orders.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    picture += format_price(spec, price) + " |";
    for (const OrderRecord& order : orders) {
      picture += (&order == &orders.front() ? " " : ", ") + format_lots(spec, order.remaining()) + " " +
                 name_of(order.account);
    }
    picture += "\n";
  };
  for (auto level = levels[1].rbegin(); level != levels[1].rend(); ++level) draw(level->first, level->second);
  picture += "---\n";
  for (auto level = levels[0].rbegin(); level != levels[0].rend(); ++level) draw(level->first, level->second);
  return picture;
}

std::string Venue::fills(const OrderOutcome& item) const {
  std::string text;
  for (std::uint32_t i = 0; i < item.fills_count; ++i) {
    const Fill& fill = last_fills[item.fills_begin + i];
    const MarketSpec& spec = engine.spec(fill.market);
    if (!text.empty()) text += ", ";
    text += format_lots(spec, fill.quantity) + " @ " + format_price(spec, fill.price);
  }
  return text;
}

OrderRecord Venue::told(const OrderOutcome& item) const {
  OrderRecord last = item.order;
  for (const OrderChanged& change : events<OrderChanged>()) {
    if (change.order.id == item.order.id) last = change.order;
  }
  return last;
}

std::string Venue::balance(const Address& account) const {
  return format_usdx(engine.account(account).balance);
}

Lots Venue::position(const Address& account, std::string_view id) const {
  for (const PositionRow& row : engine.positions(account)) {
    if (row.market == market(id)) return row.size;
  }
  return {};
}

}  // namespace svc::engine
