// Stages events that would otherwise need other people or a long wait: a trade, the fill of an order, a
// liquidation, a deleveraging.
//
// No rule is bent: two house accounts trade on the book like anybody, and distress is caused by the mark price at
// which it is due. (D-532)
#include <algorithm>
#include <set>

#include "base/decimal.h"
#include "sim/control/control_handlers.h"
#include "sim/gateway/handlers/records.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::DecimalText;
using api::ErrorCode;

// Accounts without keys: only this code trades for them.
constexpr Address staged_account(std::uint8_t number) {
  Address address{};
  address.bytes[0] = 0x05;
  address.bytes[19] = number;
  return address;
}
constexpr Address maker = staged_account(1);
constexpr Address taker = staged_account(2);

// The order's value, plus over a tenth for fees and price moves.
Usdx stake_of(const engine::MarketSpec& spec, const engine::OrderParams& order) {
  constexpr std::int64_t least = 1'000 * usdx_one;
  const i128 worth = static_cast<i128>(order.price.value.value) * order.quantity.value.value * engine::quote_unit(spec);
  return Usdx{narrow(worth + worth / 10 + least)};
}

Result<engine::MeasuredLots, ApiError> quantity_of(const engine::MarketSpec& spec, const control::TypedDecimal& typed) {
  const auto decimal = parse_decimal(typed.text);
  const auto lots = decimal ? engine::measure_lots(spec, *decimal) : engine::MeasuredLots{};
  if (lots.grid == engine::Grid::beyond || (lots.grid == engine::Grid::on && lots.value > spec.max_order_size))
    return unexpected(ApiError(ErrorCode::invalid_quantity, "quantity " + typed.text + " is more than an order of " +
                                                                spec.id + " can have, " +
                                                                engine::format_lots(spec, spec.max_order_size)));
  if (lots.grid == engine::Grid::on && lots.value > Lots{}) return lots;
  return unexpected(
      ApiError(ErrorCode::invalid_lot_size,
               "quantity " + typed.text + " is not a positive multiple of the lot " + format_decimal(spec.lot_size)));
}

engine::OrderParams limit_order(engine::MarketIndex market, engine::Side side, Ticks price, engine::MeasuredLots lots,
                                engine::TimeInForce tif) {
  return {.market = market, .side = side, .time_in_force = tif, .quantity = lots, .price = {price, engine::Grid::on}};
}

// Funds the account for the order, whatever it holds.
Result<void, ApiError> place(const ControlledVenue& venue, const Address& house, const engine::OrderParams& order) {
  const Usdx stake = stake_of(venue.markets.spec(order.market), order);
  SVC_TRY(apply_control(venue, engine::Deposit{.account = house, .amount = stake, .kind = engine::FundsKind::deposit}));
  SVC_TRY(apply_control(venue, engine::PlaceOrder{.account = house, .params = order}));
  return {};
}

// A market's counters, and the size of every position there.
struct MarketState {
  engine::MarketIndex market;
  std::map<Address, Lots> sizes{};
  std::uint64_t trades = 0;
  std::uint64_t deleveragings = 0;

  [[nodiscard]] Lots size_of(const Address& account) const {
    const auto found = sizes.find(account);
    return found == sizes.end() ? Lots{} : found->second;
  }
};

MarketState look(const ControlledVenue& venue, engine::MarketIndex market) {
  return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    const engine::MarketFigures figures = engine.market(market, now_ms);
    MarketState state{.market = market, .trades = figures.trade_count, .deleveragings = figures.adl_event_count};
    for (const Address& account : engine.accounts())
      for (const engine::PositionRow& row : engine.positions(account))
        if (row.market == market) state.sizes[account] = row.size;
    return state;
  });
}

// The changes since then.
control::Staged changes_since(const ControlledVenue& venue, const MarketState& before) {
  const MarketState after = look(venue, before.market);
  const engine::MarketSpec& spec = venue.markets.spec(before.market);
  control::Staged staged{moment_now(venue), spec.id};
  staged.trades = after.trades - before.trades;
  staged.deleveragings = after.deleveragings - before.deleveragings;
  staged.event = staged.deleveragings > 0 ? "adl" : staged.trades > 0 ? "trade" : "none";
  std::set<Address> people;
  for (const MarketState* state : {&before, &after})
    for (const auto& [account, size] : state->sizes) people.insert(account);
  for (const Address& account : people) {
    const Lots was = before.size_of(account);
    const Lots is = after.size_of(account);
    if (was == is) continue;
    staged.affected.push_back(
        {account, DecimalText(engine::format_lots(spec, was)), DecimalText(engine::format_lots(spec, is))});
  }
  return staged;
}

// Two house accounts trade, at the mark price by default.
Answer<control::StageTrade> stage_trade(const ControlledVenue& venue, const control::TradeTerms& terms) {
  const auto market = SVC_TRY(market_named(venue, terms.market_id));
  const engine::MarketSpec& spec = venue.markets.spec(market);
  const auto lots = SVC_TRY(quantity_of(spec, terms.quantity));
  const engine::Side side = terms.side.value_or(engine::Side::buy);
  Ticks price = figures_of(venue, market).mark.value_or(Ticks{});
  if (terms.price) price = SVC_TRY(price_of(spec, *terms.price));
  const MarketState before = look(venue, market);
  const engine::Side other = engine::opposite(side);
  SVC_TRY(place(venue, maker, limit_order(market, other, price, lots, engine::TimeInForce::post_only)));
  const auto taken = place(venue, taker, limit_order(market, side, price, lots, engine::TimeInForce::ioc));
  // Orders of others at a better price filled instead of it.
  SVC_TRY(apply_control(venue, engine::CancelAll{.account = maker, .market = market}));
  SVC_TRY(taken);
  return changes_since(venue, before);
}

// A house account takes a resting order. Orders ahead of it fill first.
Answer<control::FillOrder> fill_order(const ControlledVenue& venue, const control::FillTerms& terms) {
  const auto order_id = parse_order_id(terms.order_id);
  const auto order = venue.sequencer.read(
      [&](const engine::Engine& engine, TimestampMs) { return order_id ? engine.order(*order_id) : std::nullopt; });
  if (!order) return unexpected(ApiError(ErrorCode::order_not_found, "no open order " + terms.order_id));
  if (order->status == engine::OrderStatus::untriggered)
    return unexpected(not_possible("the order waits for its trigger: move the mark price there"));
  const engine::MarketSpec& spec = venue.markets.spec(order->market);
  Lots wanted = order->remaining();
  if (terms.quantity) {
    const auto lots = SVC_TRY(quantity_of(spec, *terms.quantity));
    if (lots.value > wanted)
      return unexpected(not_possible("only " + engine::format_lots(spec, wanted) + " of the order are left"));
    wanted = lots.value;
  }
  const Lots ahead = venue.sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    Lots sum{};
    for (const engine::OrderRecord& resting : engine.resting_orders(order->market, order->side)) {
      if (resting.id == order->id) break;
      sum = sum + resting.remaining();
    }
    return sum;
  });
  if (ahead + wanted > spec.max_order_size)
    return unexpected(not_possible("so many orders lie ahead of it that no single order reaches it"));
  const MarketState before = look(venue, order->market);
  const engine::MeasuredLots lots{ahead + wanted, engine::Grid::on};
  SVC_TRY(
      place(venue, taker,
            limit_order(order->market, engine::opposite(order->side), order->price, lots, engine::TimeInForce::ioc)));
  return changes_since(venue, before);
}

Result<engine::PositionRow, ApiError> position_of(const ControlledVenue& venue, const control::DistressTerms& terms) {
  std::optional<engine::MarketIndex> wanted;
  if (terms.market_id) wanted = SVC_TRY(market_named(venue, *terms.market_id));
  std::vector<engine::PositionRow> rows =
      venue.sequencer.read([&](const engine::Engine& engine, TimestampMs) { return engine.positions(terms.address); });
  std::erase_if(
      rows, [&](const engine::PositionRow& row) { return row.size == Lots{} || (wanted && row.market != *wanted); });
  if (rows.empty()) return unexpected(not_found("the account has no position there"));
  if (rows.size() > 1)
    return unexpected(bad_body("the account has positions in several markets: market_id says which"));
  return rows.front();
}

Result<void, ApiError> set_mark(const ControlledVenue& venue, engine::MarketIndex market, Ticks mark) {
  const engine::MarketSpec& spec = venue.markets.spec(market);
  if (mark <= Ticks{} || mark > spec.price_max)
    return unexpected(not_possible("no price between 0 and " + engine::format_price(spec, spec.price_max) +
                                   " does that to the position"));
  SVC_TRY(set_by_hand(venue, {.prices = {{.market = market, .index = mark, .mark = mark}}}));
  return {};
}

// Moves the mark to where the position is liquidated, one tick beyond its last healthy one.
Answer<control::Liquidate> liquidate(const ControlledVenue& venue, const control::DistressTerms& terms) {
  const auto row = SVC_TRY(position_of(venue, terms));
  if (!row.liquidation_price) return unexpected(not_possible("no price above 0 liquidates the position"));
  const MarketState before = look(venue, row.market);
  SVC_TRY(set_mark(venue, row.market, Ticks{row.liquidation_price->value + (row.size > Lots{} ? -1 : 1)}));
  return changes_since(venue, before);
}

// Likewise, to where its bucket is worth nothing; first cancels the resting orders that would take it over.
Answer<control::Deleverage> deleverage(const ControlledVenue& venue, const control::DistressTerms& terms) {
  const auto row = SVC_TRY(position_of(venue, terms));
  const bool is_long = row.size > Lots{};
  const engine::Side takers = is_long ? engine::Side::buy : engine::Side::sell;
  // The value of the position's bucket at mark.
  std::set<Address> leaving;
  const Usdx worth = venue.sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    for (const engine::OrderRecord& order : engine.resting_orders(row.market, takers)) leaving.insert(order.account);
    if (row.mode == engine::MarginMode::isolated) return row.isolated + row.unrealized_pnl;
    Usdx sum = engine.account(terms.address).balance;
    for (const engine::PositionRow& other : engine.positions(terms.address))
      if (other.mode == engine::MarginMode::cross) sum = sum + other.unrealized_pnl;
    return sum;
  });
  const engine::MarketSpec& spec = venue.markets.spec(row.market);
  const i128 per_tick = static_cast<i128>(is_long ? row.size.value : -row.size.value) * engine::quote_unit(spec);
  const i128 ticks = worth < Usdx{} ? 1 : worth.value / per_tick + 1;
  if (ticks > spec.price_max.value) return unexpected(not_possible("no price makes the position's bucket worthless"));
  const MarketState before = look(venue, row.market);
  for (const Address& account : leaving)
    SVC_TRY(apply_control(
        venue,
        engine::CancelAll{.account = account, .market = row.market, .scope = engine::CancelScope::resting_orders}));
  const std::int64_t distance = narrow(ticks);
  SVC_TRY(set_mark(venue, row.market, Ticks{row.mark.value + (is_long ? -distance : distance)}));
  return changes_since(venue, before);
}

}  // namespace

void bind_control_staging(ControlHandlers& handlers) {
  handlers.bind<control::StageTrade>(stage_trade);
  handlers.bind<control::FillOrder>(fill_order);
  handlers.bind<control::Liquidate>(liquidate);
  handlers.bind<control::Deleverage>(deleverage);
}

}  // namespace svc::sim
