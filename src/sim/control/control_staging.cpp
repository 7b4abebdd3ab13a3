// Stages events that would otherwise need other people or a long wait: a trade, the fill of an order, a
// liquidation, a deleveraging.
//
// No rule is bent: two house accounts trade on the book like anybody, and distress is caused by the mark price at
// which it is due. (D-532)
#include <set>

#include "base/decimal.h"
#include "sim/control/control_handlers.h"
#include "sim/gateway/handlers/records.h"

namespace svc::sim {
namespace {

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

Result<Lots, ApiError> quantity_of(const engine::MarketSpec& spec, const control::TypedDecimal& typed) {
  const auto decimal = parse_decimal(typed.text);
  const auto lots = decimal ? engine::measure_lots(spec, *decimal) : engine::MeasuredLots{};
  if (lots.grid == engine::Grid::beyond || (lots.grid == engine::Grid::on && lots.value > spec.max_order_size))
    return refused(ErrorCode::invalid_quantity, "quantity " + typed.text + " is more than an order of " + spec.id +
                                                    " can have, " + engine::format_lots(spec, spec.max_order_size));
  if (lots.grid == engine::Grid::on && lots.value > Lots{}) return lots.value;
  return refused(ErrorCode::invalid_lot_size,
                 "quantity " + typed.text + " is not a positive multiple of the lot " + format_decimal(spec.lot_size));
}

engine::PlaceOrder limit_order(const Address& house, engine::MarketIndex market, engine::Side side, Ticks price,
                               Lots lots, engine::TimeInForce tif) {
  return {.account = house,
          .params = {.market = market,
                     .side = side,
                     .time_in_force = tif,
                     .quantity = {lots, engine::Grid::on},
                     .price = {price, engine::Grid::on}}};
}

// Refuses what the engine would refuse, except for a lack of money.
Result<void, ApiError> judge(const ControlledVenue& venue, const engine::PlaceOrder& order) {
  using enum engine::Reject;
  const engine::Reject reject = venue.sequencer.read(
      [&](const engine::Engine& engine, TimestampMs now_ms) { return engine.preview(order, now_ms).reject; });
  if (reject == none || reject == account_in_liquidation || reject == insufficient_margin) return {};
  return unexpected(refusal_of(reject));
}

// Takes back what place() funded.
void unfund(const ControlledVenue& venue, const engine::PlaceOrder& order) {
  (void)apply_control(venue, engine::Withdraw{.account = order.account,
                                              .amount = stake_of(venue.markets.spec(order.params.market), order.params),
                                              .kind = engine::FundsKind::withdrawal});
}

// Funds the account for the order, whatever it holds; a refused order leaves it as it was.
Result<void, ApiError> place(const ControlledVenue& venue, const engine::PlaceOrder& order) {
  SVC_TRY(judge(venue, order));
  const Usdx stake = stake_of(venue.markets.spec(order.params.market), order.params);
  SVC_TRY(apply_control(
      venue, engine::Deposit{.account = order.account, .amount = stake, .kind = engine::FundsKind::deposit}));
  const auto placed = apply_control(venue, order);
  if (!placed) unfund(venue, order);
  SVC_TRY(placed);
  return {};
}

// The counters of all markets, and the size of every position: what happens to an account in one market may cost it a
// position in another.
struct StateBefore {
  engine::MarketIndex market;  // where something is to happen
  std::map<std::pair<Address, engine::MarketIndex>, Lots> sizes{};
  std::uint64_t trades = 0;
  std::uint64_t deleveragings = 0;

  [[nodiscard]] Lots size_of(const std::pair<Address, engine::MarketIndex>& position) const {
    return value_in(sizes, position).value_or(Lots{});
  }
};

StateBefore look(const ControlledVenue& venue, engine::MarketIndex market) {
  return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    StateBefore state{.market = market};
    venue.markets.each([&](engine::MarketIndex each, const engine::MarketSpec&) {
      const engine::MarketFigures figures = engine.market(each, now_ms);
      state.trades += figures.trade_count;
      state.deleveragings += figures.adl_event_count;
    });
    for (const Address& account : engine.accounts())
      for (const engine::PositionRow& row : engine.positions(account)) state.sizes[{account, row.market}] = row.size;
    return state;
  });
}

// Bankrupt accounts of which others took over positions, once each. The number of an event is the number of events
// until then.
std::set<Address> deleveraged_since(const ControlledVenue& venue, std::uint64_t event_number) {
  return venue.views.read([&](const VenueView& view) {
    std::set<Address> accounts;
    venue.markets.each([&](engine::MarketIndex market, const engine::MarketSpec&) {
      for (const std::uint64_t number : view.market(market).adl_events().rows()) {
        const engine::Deleveraged& event = view.adl_event(number).event;
        if (number > event_number && !event.closures.empty()) accounts.insert(event.target);
      }
    });
    return accounts;
  });
}

// `account`: the one that was to be changed, if the command names one.
control::Staged changes_since(const ControlledVenue& venue, const StateBefore& before,
                              std::optional<Address> account = {}) {
  const StateBefore after = look(venue, before.market);
  control::Staged staged{moment_now(venue), venue.markets.spec(before.market).id};
  staged.trades = after.trades - before.trades;
  staged.deleveragings = after.deleveragings - before.deleveragings;
  const std::set<Address> deleveraged = deleveraged_since(venue, before.deleveragings);
  staged.deleveraged.assign(deleveraged.begin(), deleveraged.end());
  const bool is_adl = account ? deleveraged.contains(*account) : staged.deleveragings > 0;
  staged.event = is_adl ? "adl" : staged.trades > 0 ? "trade" : "none";
  std::set<std::pair<Address, engine::MarketIndex>> positions;
  for (const StateBefore* state : {&before, &after})
    for (const auto& [position, size] : state->sizes) positions.insert(position);
  for (const auto& position : positions) {
    const Lots was = before.size_of(position);
    const Lots is = after.size_of(position);
    if (was == is) continue;
    const engine::MarketSpec& spec = venue.markets.spec(position.second);
    staged.affected.push_back({position.first, spec.id, lots_text(spec, was), lots_text(spec, is)});
  }
  return staged;
}

// Two house accounts trade, at the mark price by default.
Answer<control::StageTrade> stage_trade(const ControlledVenue& venue, const control::TradeTerms& terms) {
  const auto market = SVC_TRY(market_named(venue.markets, terms.market_id));
  const engine::MarketSpec& spec = venue.markets.spec(market);
  const auto lots = SVC_TRY(quantity_of(spec, terms.quantity));
  const engine::Side side = terms.side.value_or(engine::Side::buy);
  Ticks price = figures_of(venue, market).mark.value_or(Ticks{});
  if (terms.price) price = SVC_TRY(price_of(spec, *terms.price));
  const StateBefore before = look(venue, market);
  const auto taking = limit_order(taker, market, side, price, lots, engine::TimeInForce::ioc);
  SVC_TRY(judge(venue, taking));
  const auto making = limit_order(maker, market, engine::opposite(side), price, lots, engine::TimeInForce::post_only);
  SVC_TRY(place(venue, making));
  const auto taken = place(venue, taking);
  // Orders of others at a better price filled instead of it.
  SVC_TRY(apply_control(venue, engine::CancelAll{.account = maker, .market = market}));
  // Only with the maker's order there was it known that the cap of open interest refuses the taker's.
  if (!taken) unfund(venue, making);
  SVC_TRY(taken);
  return changes_since(venue, before);
}

// What rests before the order, in the order of filling.
struct Queue {
  std::size_t orders = 0;
  Lots lots{};
};

Queue ahead_of(const engine::Engine& engine, const engine::OrderRecord& order) {
  Queue ahead;
  for (const engine::OrderRecord& resting : engine.resting_orders(order.market, order.side)) {
    if (resting.id == order.id) break;
    ++ahead.orders;
    ahead.lots += resting.remaining();
  }
  return ahead;
}

// The most lots of which no more than `wanted` come as far as the order. A maker ahead that is dropped for its margin
// leaves its quantity to those behind it, and how much a maker bears depends on how much comes: thus the search.
Lots lots_to_send(const engine::Engine& engine, const engine::OrderRecord& order, Lots wanted) {
  const auto fits = [&](Lots lots) { return lots - engine.filled_ahead(order.id, taker, lots) <= wanted; };
  Lots fitting = wanted;
  Lots beyond = ahead_of(engine, order).lots + wanted + Lots{1};
  while (beyond - fitting > Lots{1}) {
    const Lots middle{fitting.value + (beyond - fitting).value / 2};
    (fits(middle) ? fitting : beyond) = middle;
  }
  return fitting;
}

// A house account takes a resting order. Orders ahead of it fill first, or are dropped.
Answer<control::FillOrder> fill_order(const ControlledVenue& venue, const control::FillTerms& terms) {
  const auto order_id = parse_order_id(terms.order_id);
  const auto order = venue.sequencer.read(
      [&](const engine::Engine& engine, TimestampMs) { return order_id ? engine.order(*order_id) : std::nullopt; });
  if (!order) return refused(ErrorCode::order_not_found, "no open order " + terms.order_id);
  if (order->status == engine::OrderStatus::untriggered)
    return not_possible("the order waits for its trigger: move the mark price there");
  const engine::MarketSpec& spec = venue.markets.spec(order->market);
  Lots wanted = order->remaining();
  if (terms.quantity) {
    wanted = SVC_TRY(quantity_of(spec, *terms.quantity));
    if (wanted > order->remaining())
      return not_possible("only " + engine::format_lots(spec, order->remaining()) + " of the order are left");
  }
  const Queue ahead =
      venue.sequencer.read([&](const engine::Engine& engine, TimestampMs) { return ahead_of(engine, *order); });
  if (ahead.lots + wanted > spec.max_order_size)
    return not_possible("so many orders lie ahead of it that no single order reaches it");
  const auto taking = [&](Lots lots) {
    return limit_order(taker, order->market, engine::opposite(order->side), order->price, lots,
                       engine::TimeInForce::ioc);
  };
  SVC_TRY(judge(venue, taking(wanted)));
  const StateBefore before = look(venue, order->market);
  const Lots goal = order->filled + wanted;
  // A turn fills what is wanted, unless a maker ahead reaches what its margin bears. The next turn drops that one.
  for (std::size_t turn = 0; turn <= ahead.orders; ++turn) {
    const auto lots = venue.sequencer.read([&](const engine::Engine& engine, TimestampMs) -> std::optional<Lots> {
      const auto now = engine.order(order->id);
      if (!now || now->filled >= goal) return std::nullopt;
      return lots_to_send(engine, *now, goal - now->filled);
    });
    if (!lots) break;
    SVC_TRY(place(venue, taking(*lots)));
  }
  return changes_since(venue, before);
}

// The account's position; MarketHalted if its market is.
Result<engine::PositionRow, ApiError> position_of(const ControlledVenue& venue, const control::DistressTerms& terms) {
  std::optional<engine::MarketIndex> wanted;
  if (terms.market_id) wanted = SVC_TRY(market_named(venue.markets, *terms.market_id));
  std::vector<engine::PositionRow> rows =
      venue.sequencer.read([&](const engine::Engine& engine, TimestampMs) { return engine.positions(terms.address); });
  std::erase_if(
      rows, [&](const engine::PositionRow& row) { return row.size == Lots{} || (wanted && row.market != *wanted); });
  if (rows.empty()) return not_found("the account has no position there");
  if (rows.size() > 1) return bad_body("the account has positions in several markets: name one (market_id, --market)");
  SVC_TRY(check_open(venue, rows.front().market));
  return rows.front();
}

// In the same commit, `first` comes before.
Result<void, ApiError> set_mark(const ControlledVenue& venue, engine::MarketIndex market, Ticks mark,
                                std::vector<Unit> first = {}) {
  const engine::MarketSpec& spec = venue.markets.spec(market);
  if (mark <= Ticks{} || mark > spec.price_max)
    return not_possible("no price between 0 and " + engine::format_price(spec, spec.price_max) +
                        " does that to the position");
  SVC_TRY(set_by_hand(venue, {.prices = {{.market = market, .index = mark, .mark = mark}}}, std::move(first)));
  return {};
}

// Moves the mark to where the position is liquidated, one tick beyond its last healthy one.
Answer<control::Liquidate> liquidate(const ControlledVenue& venue, const control::DistressTerms& terms) {
  const auto row = SVC_TRY(position_of(venue, terms));
  if (!row.liquidation_price) return not_possible("no price above 0 liquidates the position");
  const StateBefore before = look(venue, row.market);
  SVC_TRY(set_mark(venue, row.market, Ticks{row.liquidation_price->value + (row.size > Lots{} ? -1 : 1)}));
  return changes_since(venue, before, terms.address);
}

// Likewise, to where its bucket is worth nothing; first cancels the resting orders that would take over a position of
// the bucket.
Answer<control::Deleverage> deleverage(const ControlledVenue& venue, const control::DistressTerms& terms) {
  const auto row = SVC_TRY(position_of(venue, terms));
  const bool is_long = row.size > Lots{};
  // The value of the position's bucket at mark.
  std::vector<Unit> leaving;
  const Usdx worth = venue.sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    const auto clear_takers = [&](const engine::PositionRow& position) {
      const engine::Side takers = position.size > Lots{} ? engine::Side::buy : engine::Side::sell;
      for (const engine::OrderRecord& order : engine.resting_orders(position.market, takers))
        leaving.push_back({.body = CommandBody(engine::CancelOrder{.account = order.account, .order = order.id})});
    };
    if (row.mode == engine::MarginMode::isolated) {
      clear_takers(row);
      return row.isolated + row.unrealized_pnl;
    }
    Usdx sum = engine.account(terms.address).balance;
    for (const engine::PositionRow& other : engine.positions(terms.address)) {
      if (other.mode != engine::MarginMode::cross || other.size == Lots{}) continue;
      clear_takers(other);
      sum = sum + other.unrealized_pnl;
    }
    return sum;
  });
  const engine::MarketSpec& spec = venue.markets.spec(row.market);
  const i128 per_tick = static_cast<i128>(is_long ? row.size.value : -row.size.value) * engine::quote_unit(spec);
  const i128 ticks = worth < Usdx{} ? 1 : worth.value / per_tick + 1;
  if (ticks > spec.price_max.value) return not_possible("no price makes the position's bucket worthless");
  const StateBefore before = look(venue, row.market);
  const std::int64_t distance = narrow(ticks);
  SVC_TRY(set_mark(venue, row.market, Ticks{row.mark.value + (is_long ? -distance : distance)}, std::move(leaving)));
  return changes_since(venue, before, terms.address);
}

}  // namespace

void bind_control_staging(ControlHandlers& handlers) {
  handlers.bind_all(stage_trade, fill_order, liquidate, deleverage);
}

}  // namespace svc::sim
