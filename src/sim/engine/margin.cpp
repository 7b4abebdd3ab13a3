#include "sim/engine/margin.h"

#include <algorithm>

#include "sim/engine/state.h"
#include "sim/engine/step.h"

namespace svc::engine {
namespace {

// Requires 0 < exempt < side.lots().
i128 margin_beyond(const Market& market, std::int64_t leverage, const OpenSide& side, Lots exempt) {
  const OpenSide::Boundary boundary = side.boundary(exempt);
  i128 margin = boundary.reserved_behind + boundary.entry.reserved();
  if (boundary.exempt > Lots{}) {
    const Lots increasing = Lots{boundary.entry.lots()} - boundary.exempt;
    margin = boundary.reserved_behind +
             reservation(market, leverage, {boundary.entry.price()}, increasing, Lots{boundary.entry.lots()});
  }
  side.remember_margin_beyond(exempt, margin);
  return margin;
}

// What the part of a side that is not exempt reserves.
i128 side_margin(const Market& market, std::int64_t leverage, const OpenSide& side, Lots exempt) {
  if (exempt == Lots{}) return side.reserved();
  if (exempt >= side.lots()) return 0;
  if (const i128* known = side.margin_beyond(exempt)) return *known;
  return margin_beyond(market, leverage, side, exempt);
}

// As above with the extra order, which takes its share of the exemption.
i128 side_margin(const Market& market, std::int64_t leverage, const OpenSide& side, Lots exempt,
                 const Projected& with) {
  Lots offset{};
  if (exempt > Lots{}) {
    const auto price = static_cast<std::int32_t>(with.extra_price.value);
    // Nothing of the exemption is left there.
    const bool behind = exempt < side.lots() && !side.better(price, side.boundary(exempt).entry.price());
    if (!behind) offset = std::clamp(exempt - side.lots_before(price), Lots{}, with.extra_lots);
  }
  const i128 others = side_margin(market, leverage, side, exempt - offset);
  if (offset == with.extra_lots) return others;
  return others + reservation(market, leverage, with.extra_price, with.extra_lots - offset, with.extra_lots);
}

Lots projected_remaining(const Order& order, Slot slot, const Projected& projected) {
  for (const auto& change : projected.changes) {
    if (change.slot == slot) return change.remaining;
  }
  return order.remaining();
}

// What a position exempts of the orders of one side, best first.
struct Exemption {
  const Market& market;
  std::int64_t leverage;
  Lots left;

  // What the rest of an order reserves.
  i128 reserved(Ticks price, Lots lots) {
    const Lots offset = std::min(left, lots);
    left -= offset;
    return lots == offset ? 0 : reservation(market, leverage, price, lots - offset, lots);
  }
};

i128 recomputed_side_margin(const State& state, const Market& market, std::int64_t leverage, const OpenSide& side,
                            Lots size) {
  Exemption exemption{market, leverage, reducible(side.side(), size)};
  i128 total = 0;
  for (const OpenEntry& entry : side.entries()) {
    const Order& order = state.orders[entry.slot()];
    if (!order.reduce_only) total += exemption.reserved({order.price}, order.remaining());
  }
  return total;
}

// Looks at the orders that change and at those that the position exempts; the others reserve what they did.
i128 projected_side_margin(const State& state, const Market& market, std::int64_t leverage, const OpenSide& side,
                           Lots size, const Projected& projected) {
  Exemption exemption{market, leverage, reducible(side.side(), size)};
  bool extra = projected.extra_lots > Lots{} && projected.extra_side == side.side();
  const auto extra_price = static_cast<std::int32_t>(projected.extra_price.value);
  const auto end = side.entries().end();
  auto entry = side.entries().begin();
  i128 total = side.reserved();
  for (; exemption.left > Lots{} && entry != end; ++entry) {
    if (extra && side.better(extra_price, entry->price())) {
      total += exemption.reserved(projected.extra_price, projected.extra_lots);
      extra = false;
    }
    const Order& order = state.orders[entry->slot()];
    if (order.reduce_only) continue;
    total -= entry->reserved();
    total += exemption.reserved({order.price}, projected_remaining(order, entry->slot(), projected));
  }
  if (extra) total += exemption.reserved(projected.extra_price, projected.extra_lots);
  const auto is_behind = [&](const Order& order) {
    if (entry == end) return false;
    if (order.price != entry->price()) return side.better(entry->price(), order.price);
    return order.priority >= state.orders[entry->slot()].priority;
  };
  for (const Projected::Change& change : projected.changes) {
    const Order& order = state.orders[change.slot];
    if (order.waiting || order.reduce_only || order.side != side.side() || !is_behind(order)) continue;
    total -= reservation(market, leverage, {order.price}, order.remaining());
    if (change.remaining > Lots{}) total += reservation(market, leverage, {order.price}, change.remaining);
  }
  return total;
}

}  // namespace

Health cross_health(const Account& account) {
  Health health{.equity = account.balance.value};
  for (const Holding& holding : account.holdings) {
    if (holding.mode != MarginMode::cross || !holding.has_position()) continue;
    health.equity += holding.valuation.unrealized;
    health.maintenance += holding.valuation.maintenance;
    health.has_position = true;
  }
  return health;
}

Health isolated_health(const Exposure& exposure, const Valuation& valuation) {
  return {.equity = exposure.isolated.value + valuation.unrealized,
          .maintenance = valuation.maintenance,
          .has_position = exposure.size != Lots{}};
}

bool any_bucket_under_water(const Account& account) {
  const auto is_under_water = [](const Holding& holding) {
    return holding.mode == MarginMode::isolated && isolated_health(holding.position, holding.valuation).under_water();
  };
  return cross_health(account).under_water() || std::ranges::any_of(account.holdings, is_under_water);
}

bool in_liquidation(const Account& account) {
  if (!account.in_liquidation) account.in_liquidation = any_bucket_under_water(account);
  return *account.in_liquidation;
}

i128 reservation(const Market& market, std::int64_t leverage, Usdx part, Usdx whole) {
  return market.schedule.initial_of_part(part.value, whole.value, leverage) + fee_of(part, market.spec.taker_fee).value;
}

void revalue(const Market& market, Holding& holding) {
  holding.valuation = valuation_of(market, holding.position, market.terms(holding).leverage);
}

i128 order_margin(const Market& market, const Holding& holding) {
  const Lots size = holding.position.size;
  // A position exempts orders of the other side only.
  const OpenSide& increasing = holding.open(side_of(size));
  const OpenSide& reducing = holding.open(opposite(side_of(size)));
  return std::max(increasing.reserved(),
                  side_margin(market, market.terms(holding).leverage, reducing, magnitude(size)));
}

i128 order_margin(const State& state, const Market& market, const Holding& holding, Lots size,
                  const Projected& projected) {
  const std::int64_t leverage = market.terms(holding).leverage;
  if (projected.changes.empty()) {
    const auto side = [&](const OpenSide& open) {
      const Lots exempt = reducible(open.side(), size);
      if (projected.extra_lots == Lots{} || projected.extra_side != open.side()) {
        return side_margin(market, leverage, open, exempt);
      }
      return side_margin(market, leverage, open, exempt, projected);
    };
    return std::max(side(holding.buys), side(holding.sells));
  }
  return std::max(projected_side_margin(state, market, leverage, holding.buys, size, projected),
                  projected_side_margin(state, market, leverage, holding.sells, size, projected));
}

i128 recomputed_order_margin(const State& state, const Market& market, const Holding& holding) {
  const Lots size = holding.position.size;
  const std::int64_t leverage = market.terms(holding).leverage;
  return std::max(recomputed_side_margin(state, market, leverage, holding.buys, size),
                  recomputed_side_margin(state, market, leverage, holding.sells, size));
}

i128 available_elsewhere(const State& state, const Account& account, MarketIndex except) {
  i128 sum = 0;
  for (const Market& market : state.markets) {
    if (market.index == except) continue;
    const Holding& holding = account.holdings[market.index.value];
    if (holding.mode == MarginMode::cross) sum += holding.valuation.unrealized - holding.valuation.initial;
    sum -= order_margin(market, holding);
  }
  return sum;
}

i128 available(const State& state, const Account& account) {
  constexpr MarketIndex no_market{UINT16_MAX};
  return account.balance.value + available_elsewhere(state, account, no_market);
}

Usdx withdrawable(const State& state, const Account& account) {
  return saturated(std::max<i128>(0, available(state, account)));
}

bool belongs(const State& state, const Bucket& bucket, MarketIndex market) {
  if (bucket.isolated) return *bucket.isolated == market;
  return state.holding(bucket.account, market).mode == MarginMode::cross;
}

Bucket bucket_of(const State& state, AccountIndex account, MarketIndex market) {
  if (state.holding(account, market).mode == MarginMode::cross) return {.account = account};
  return {.account = account, .isolated = market};
}

Health health_of(const State& state, const Bucket& bucket) {
  if (!bucket.isolated) return cross_health(state.account(bucket.account));
  const Holding& holding = state.holding(bucket.account, *bucket.isolated);
  return isolated_health(holding.position, holding.valuation);
}

void receive(Step& step, const Bucket& bucket, Usdx amount, FundCause cause, MarketIndex market) {
  if (amount == Usdx{}) return;
  const Address address = step.state.account(bucket.account).address;
  step.state.account(bucket.account).supported += amount.value;
  step.add_insurance(-amount, cause, address, market);
  if (bucket.isolated) {
    Holding& holding = step.state.holding(bucket.account, *bucket.isolated);
    if (holding.has_position()) {
      holding.position.isolated += amount;
      step.report_position(bucket.account, step.state.market(*bucket.isolated), PositionCause::insurance);
      return;
    }
  }
  step.add_balance(bucket.account, amount, BalanceCause::insurance);
}

i128 zero_quote(const State& state, const Bucket& bucket, const Market& market, Lots lots) {
  const Holding& holding = state.holding(bucket.account, market.index);
  const Position& position = holding.position;
  const Health health = health_of(state, bucket);
  SVC_ASSERT(health.maintenance > 0 && lots <= magnitude(position.size));
  const Lots left = magnitude(position.size) - lots;
  const i128 released = holding.valuation.maintenance - market.schedule.maintenance(market.value(market.mark, left));
  // equity * released / maintenance, rounded down, without exceeding 128 bits.
  const i128 whole = health.equity / health.maintenance;
  const i128 part = health.equity % health.maintenance;
  const i128 share = whole * released + div_round(part * released, health.maintenance, Rounding::down);
  const i128 at_mark = market.value(market.mark, lots);
  return position.size > Lots{} ? at_mark - share : at_mark + share;
}

}  // namespace svc::engine
