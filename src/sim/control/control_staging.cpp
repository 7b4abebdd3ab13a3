#include "sim/control/control_staging.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/decimal.h"
#include "sim/control/control_body.h"
#include "sim/control/control_commands.h"
#include "sim/gateway/handlers/orders.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;
using Json = nlohmann::ordered_json;

// Nobody's keys: nothing but this signs for them.
constexpr Address staged_account(std::uint8_t number) {
  Address address{};
  address.bytes[0] = 0x05;
  address.bytes[19] = number;
  return address;
}
constexpr Address maker = staged_account(1);
constexpr Address taker = staged_account(2);

// What the order is worth, and a tenth and a bit for fees and a price that moves.
Usdx stake_of(const engine::MarketSpec& spec, const engine::OrderParams& order) {
  constexpr std::int64_t least = 1'000 * usdx_one;
  const i128 worth = static_cast<i128>(order.price.value.value) * order.quantity.value.value * engine::quote_unit(spec);
  return Usdx{narrow(worth + worth / 10 + least)};
}

ApiError not_possible(std::string why) {
  return ApiError(ErrorCode::unprocessable, std::move(why));
}

std::string segment_before_last(const api::HttpRequest& request) {
  const std::string_view path = request.path();
  const std::size_t end = path.rfind('/');
  const std::size_t begin = path.rfind('/', end - 1) + 1;
  return std::string(path.substr(begin, end - begin));
}

Result<ControlBody, ApiError> body_with(const api::HttpRequest& request,
                                        std::initializer_list<std::string_view> names) {
  auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only(names); !known) return unexpected(bad_body(known.error()));
  return std::move(*body);
}

Result<engine::MeasuredLots, ApiError> quantity_of(const engine::MarketSpec& spec, const ControlBody& body) {
  const auto text = body.decimal("quantity");
  if (!text) return unexpected(bad_body(text.error()));
  const auto decimal = parse_decimal(*text);
  const auto lots = decimal ? engine::measure_lots(spec, *decimal) : engine::MeasuredLots{};
  if (lots.grid == engine::Grid::beyond || (lots.grid == engine::Grid::on && lots.value > spec.max_order_size))
    return unexpected(ApiError(ErrorCode::invalid_quantity, "quantity " + *text + " is more than an order of " +
                                                                spec.id + " can have, " +
                                                                engine::format_lots(spec, spec.max_order_size)));
  if (lots.grid == engine::Grid::on && lots.value > Lots{}) return lots;
  return unexpected(
      ApiError(ErrorCode::invalid_lot_size,
               "quantity " + *text + " is not a positive multiple of the lot " + format_decimal(spec.lot_size)));
}

engine::OrderParams limit_order(engine::MarketIndex market, engine::Side side, Ticks price, engine::MeasuredLots lots,
                                engine::TimeInForce tif) {
  engine::OrderParams order;
  order.market = market;
  order.side = side;
  order.type = engine::OrderType::limit;
  order.time_in_force = tif;
  order.quantity = lots;
  order.price = {price, engine::Grid::on};
  return order;
}

}  // namespace

Result<engine::MarketIndex, ApiError> ControlStaging::market_named(const std::string& id) const {
  const auto market = venue_.markets.find(id);
  if (!market) return unexpected(ApiError(ErrorCode::unknown_market, "no market " + id));
  return *market;
}

Result<void, ApiError> ControlStaging::apply(CommandBody command) const {
  const auto applied = venue_.sequencer.submit(std::move(command));
  if (!applied) return unexpected(refusal_of(applied.error()));
  if (!applied->outcome.ok()) return unexpected(refusal_of(applied->outcome.reject));
  return {};
}

Result<void, ApiError> ControlStaging::place(const Address& house, const engine::OrderParams& order) const {
  const Usdx stake = stake_of(venue_.markets.spec(order.market), order);
  if (auto paid = apply(engine::Deposit{.account = house, .amount = stake, .kind = engine::FundsKind::deposit}); !paid)
    return paid;
  return apply(engine::PlaceOrder{.account = house, .params = order});
}

ControlStaging::Before ControlStaging::look(engine::MarketIndex market) const {
  return venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    const engine::MarketFigures figures = engine.market(market, now_ms);
    Before before{
        .market = market, .sizes = {}, .trades = figures.trade_count, .deleveragings = figures.adl_event_count};
    for (const Address& account : engine.accounts())
      for (const engine::PositionRow& row : engine.positions(account))
        if (row.market == market) before.sizes[account] = row.size;
    return before;
  });
}

std::string ControlStaging::report(const Before& before) const {
  const Before after = look(before.market);
  const engine::MarketSpec& spec = venue_.markets.spec(before.market);
  std::set<Address> people;
  for (const Sizes* sizes : {&before.sizes, &after.sizes})
    for (const auto& [account, size] : *sizes) people.insert(account);
  Json affected = Json::array();
  for (const Address& account : people) {
    const auto size_in = [&](const Sizes& sizes) {
      const auto found = sizes.find(account);
      return found == sizes.end() ? Lots{} : found->second;
    };
    const Lots was = size_in(before.sizes);
    const Lots is = size_in(after.sizes);
    if (was == is) continue;
    affected.push_back(Json{{"account", to_string(account)},
                            {"was", engine::format_lots(spec, was)},
                            {"is", engine::format_lots(spec, is)}});
  }
  Json document;
  venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    document = {{"now_ms", now_ms}, {"sequence", engine.sequence().value}};
  });
  document["market_id"] = spec.id;
  document["event"] = after.deleveragings > before.deleveragings ? "adl"
                      : after.trades > before.trades             ? "trade"
                                                                 : "none";
  document["trades"] = after.trades - before.trades;
  document["deleveragings"] = after.deleveragings - before.deleveragings;
  document["affected"] = std::move(affected);
  return document.dump();
}

ControlAnswer ControlStaging::trade(const api::HttpRequest& request) const {
  const auto market = SVC_TRY(market_named(segment_before_last(request)));
  const engine::MarketSpec& spec = venue_.markets.spec(market);
  const auto body = SVC_TRY(body_with(request, {"quantity", "price", "side"}));
  const auto lots = SVC_TRY(quantity_of(spec, body));
  engine::Side side = engine::Side::buy;
  if (body.has("side")) {
    const auto word = body.text("side");
    if (!word || (*word != "Buy" && *word != "Sell")) return unexpected(bad_body("side is Buy or Sell, of the taker"));
    if (*word == "Sell") side = engine::Side::sell;
  }
  const auto mark = venue_.sequencer.read(
      [&](const engine::Engine& engine, TimestampMs now_ms) { return engine.market(market, now_ms).mark; });
  Ticks price = mark.value_or(Ticks{});
  if (body.has("price")) {
    const auto text = body.decimal("price");
    if (!text) return unexpected(bad_body(text.error()));
    const auto given = SVC_TRY(price_of(spec, *text));
    price = given;
  }
  const Before before = look(market);
  const engine::Side other = engine::opposite(side);
  SVC_TRY(place(maker, limit_order(market, other, price, lots, engine::TimeInForce::post_only)));
  const auto taken = place(taker, limit_order(market, side, price, lots, engine::TimeInForce::ioc));
  // Orders of others at a better price filled in its place.
  SVC_TRY(apply(engine::CancelAll{.account = maker, .market = market}));
  if (!taken) return unexpected(taken.error());
  return report(before);
}

ControlAnswer ControlStaging::fill(const api::HttpRequest& request) const {
  const std::string id = segment_before_last(request);
  const auto order_id = parse_order_id(id);
  const auto body = SVC_TRY(body_with(request, {"quantity"}));
  const auto order = venue_.sequencer.read(
      [&](const engine::Engine& engine, TimestampMs) { return order_id ? engine.order(*order_id) : std::nullopt; });
  if (!order) return unexpected(ApiError(ErrorCode::order_not_found, "no open order " + id));
  if (order->status == engine::OrderStatus::untriggered)
    return unexpected(not_possible("the order waits for its trigger: move the mark price there"));
  const engine::MarketSpec& spec = venue_.markets.spec(order->market);
  Lots wanted = order->remaining();
  if (body.has("quantity")) {
    const auto lots = SVC_TRY(quantity_of(spec, body));
    if (lots.value > wanted)
      return unexpected(not_possible("only " + engine::format_lots(spec, wanted) + " of the order are left"));
    wanted = lots.value;
  }
  const Lots ahead = venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    Lots sum{};
    for (const engine::OrderRecord& resting : engine.resting_orders(order->market, order->side)) {
      if (resting.id == order->id) break;
      sum = sum + resting.remaining();
    }
    return sum;
  });
  if (ahead + wanted > spec.max_order_size)
    return unexpected(not_possible("so many orders lie ahead of it that no single order reaches it"));
  const Before before = look(order->market);
  const engine::MeasuredLots lots{ahead + wanted, engine::Grid::on};
  if (auto taken = place(taker, limit_order(order->market, engine::opposite(order->side), order->price, lots,
                                            engine::TimeInForce::ioc));
      !taken)
    return unexpected(taken.error());
  return report(before);
}

Result<ControlStaging::Position, ApiError> ControlStaging::position_of(const api::HttpRequest& request) const {
  const auto account = parse_address(segment_before_last(request));
  if (!account) return unexpected(ApiError(ErrorCode::invalid_parameter, "the account must be 0x and 40 hex digits"));
  const auto body = SVC_TRY(body_with(request, {"market_id"}));
  std::optional<engine::MarketIndex> wanted;
  if (body.has("market_id")) {
    const auto text = body.text("market_id");
    if (!text) return unexpected(bad_body(text.error()));
    const auto market = SVC_TRY(market_named(*text));
    wanted = market;
  }
  std::vector<engine::PositionRow> rows =
      venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs) { return engine.positions(*account); });
  std::erase_if(
      rows, [&](const engine::PositionRow& row) { return row.size == Lots{} || (wanted && row.market != *wanted); });
  if (rows.empty()) return unexpected(ApiError(ErrorCode::not_found, "the account has no position there"));
  if (rows.size() > 1)
    return unexpected(bad_body("the account has positions in several markets: market_id says which"));
  return Position{.account = *account, .row = rows.front()};
}

Result<void, ApiError> ControlStaging::set_mark(engine::MarketIndex market, Ticks mark) const {
  const engine::MarketSpec& spec = venue_.markets.spec(market);
  if (mark <= Ticks{} || mark > spec.price_max)
    return unexpected(not_possible("no price between 0 and " + engine::format_price(spec, spec.price_max) +
                                   " does that to the position"));
  if (!venue_.sequencer.keep(venue_.flow.stop_walk(market))) return unexpected(refusal_of(WriteRefusal::not_logged));
  engine::OracleTick tick;
  tick.prices.push_back({.market = market, .index = mark, .mark = mark});
  return apply(std::move(tick));
}

ControlAnswer ControlStaging::liquidate(const api::HttpRequest& request) const {
  const auto position = SVC_TRY(position_of(request));
  const engine::PositionRow& row = position.row;
  if (!row.liquidation_price) return unexpected(not_possible("no price above 0 liquidates the position"));
  const Before before = look(row.market);
  const Ticks beyond{row.liquidation_price->value + (row.size > Lots{} ? -1 : 1)};
  SVC_TRY(set_mark(row.market, beyond));
  return report(before);
}

ControlAnswer ControlStaging::deleverage(const api::HttpRequest& request) const {
  const auto position = SVC_TRY(position_of(request));
  const engine::PositionRow& row = position.row;
  const bool is_long = row.size > Lots{};
  const engine::Side takers = is_long ? engine::Side::buy : engine::Side::sell;
  // What the position's bucket is worth at mark.
  std::set<Address> leaving;
  const Usdx worth = venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    for (const engine::OrderRecord& order : engine.resting_orders(row.market, takers)) leaving.insert(order.account);
    if (row.mode == engine::MarginMode::isolated) return row.isolated + row.unrealized_pnl;
    Usdx sum = engine.account(position.account).balance;
    for (const engine::PositionRow& other : engine.positions(position.account))
      if (other.mode == engine::MarginMode::cross) sum = sum + other.unrealized_pnl;
    return sum;
  });
  const engine::MarketSpec& spec = venue_.markets.spec(row.market);
  const i128 per_tick = static_cast<i128>(is_long ? row.size.value : -row.size.value) * engine::quote_unit(spec);
  const i128 ticks = worth < Usdx{} ? 1 : worth.value / per_tick + 1;
  if (ticks > spec.price_max.value) return unexpected(not_possible("no price makes the position's bucket worthless"));
  const Before before = look(row.market);
  for (const Address& account : leaving)
    if (auto left = apply(
            engine::CancelAll{.account = account, .market = row.market, .scope = engine::CancelScope::resting_orders});
        !left)
      return unexpected(left.error());
  const std::int64_t distance = narrow(ticks);
  SVC_TRY(set_mark(row.market, Ticks{row.mark.value + (is_long ? -distance : distance)}));
  return report(before);
}

}  // namespace svc::sim
