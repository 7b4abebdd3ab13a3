#include "sim/engine/plan.h"

#include <algorithm>

#include "sim/engine/state.h"

namespace svc::engine {
namespace {

class Walk {
 public:
  Walk(const State& state, const Market& market, const Taker& taker, Plan& plan)
      : state_(state), market_(market), taker_(taker), plan_(plan), left_(taker.lots) {}

  void run() {
    (void)shadow_at(taker_.account);  // the first one
    const OrderBook& book = market_.book;
    for (Slot slot = book.first(opposite(taker_.side)); slot != no_slot && left_ > Lots{}; slot = book.after(slot)) {
      if (!meet(slot, state_.orders[slot])) return;
    }
  }

 private:
  // One maker; false ends the matching. The order of the checks is rule 4.2.
  bool meet(Slot slot, const Order& maker) {
    const Ticks price{maker.price};
    if (beyond(taker_.side, price, taker_.limit)) {
      if (taker_.limit_is_band) plan_.stop = CancelReason::price_band_exceeded;
      return false;
    }
    const bool own = maker.account == taker_.account;
    if (own && taker_.stp != StpMode::none) return prevent_self_trade(slot, maker);

    const std::size_t shadow = shadow_at(maker.account);
    Lots lots = std::min(left_, maker.remaining());
    if (maker.reduce_only) {
      lots = std::min(lots, reducible(maker.side, plan_.shadows[shadow].position.size));
      if (lots == Lots{}) return drop(slot, maker, CancelReason::reduce_only);
    }
    const i128 ticks_lots = ticks_lots_ + static_cast<i128>(price.value) * lots.value;
    if (taker_.cap && !taker_.cap->allows(taker_.side, ticks_lots, plan_.filled + lots)) {
      plan_.stop = CancelReason::slippage_cap;
      return false;
    }
    if (!trade(slot, maker, shadow, price, lots)) return drop(slot, maker, CancelReason::margin_breach);
    ticks_lots_ = ticks_lots;
    return true;
  }

  bool prevent_self_trade(Slot slot, const Order& maker) {
    switch (taker_.stp) {
      case StpMode::none: break;
      case StpMode::cancel_newest: plan_.stop = CancelReason::stp_cancel_newest; return false;
      case StpMode::cancel_oldest: return drop(slot, maker, CancelReason::stp_cancel_oldest);
      case StpMode::decrement_and_cancel: {
        const Lots lots = std::min(left_, maker.remaining());
        plan_.steps.push_back({.kind = PlanStep::Kind::decrement,
                               .maker = slot,
                               .maker_id = maker.id,
                               .lots = lots,
                               .reason = CancelReason::stp_decrement_and_cancel});
        plan_.decremented += lots;
        left_ -= lots;
        if (left_ == Lots{}) plan_.stop = CancelReason::stp_decrement_and_cancel;
        return true;
      }
    }
    SVC_ASSERT(false);
  }

  bool drop(Slot slot, const Order& maker, CancelReason reason) {
    plan_.steps.push_back({.kind = PlanStep::Kind::drop, .maker = slot, .maker_id = maker.id, .reason = reason});
    forget_if_unneeded(maker);
    return true;
  }

  // The last step: all of a deep book take tens of megabytes.
  void forget_if_unneeded(const Order& maker) {
    if (taker_.own_steps_only && maker.account != taker_.account) plan_.steps.pop_back();
  }

  // Books both legs on the shadows, the taker's first; false if the maker's margin is insufficient.
  bool trade(Slot slot, const Order& maker, std::size_t maker_shadow, Ticks price, Lots lots) {
    const Usdx quote = market_.quote(price, lots);
    const Usdx taker_fee = fee_of(quote, market_.spec.taker_fee);
    const Usdx maker_fee = fee_of(quote, market_.spec.maker_fee);

    Shadow& on_taker = plan_.shadows.front();
    Shadow& on_maker = plan_.shadows[maker_shadow];
    const Standing taker_before = on_taker;
    PlanStep& step = plan_.steps.emplace_back();
    step.taker.leg = {.side = taker_.side, .lots = lots, .quote = quote, .fee = taker_fee};
    on_taker.book(step.taker, market_);
    const Standing maker_before = on_maker;
    step.maker_leg.leg = {.side = maker.side, .lots = lots, .quote = quote, .fee = maker_fee};
    on_maker.book(step.maker_leg, market_);
    if (!maker_may_fill(maker_before, on_maker, maker.side, lots)) {
      static_cast<Standing&>(on_maker) = maker_before;
      static_cast<Standing&>(on_taker) = taker_before;
      plan_.steps.pop_back();
      return false;
    }
    step.maker = slot;
    step.maker_id = maker.id;
    step.lots = lots;
    plan_.filled += lots;
    plan_.quote += quote;
    plan_.fees += taker_fee;
    left_ -= lots;
    forget_if_unneeded(maker);
    return true;
  }

  std::size_t shadow_at(AccountIndex account) {
    std::uint32_t& at = state_.account(account).shadow;
    // It may be where an earlier plan had it.
    if (at >= plan_.shadows.size() || plan_.shadows[at].account != account) {
      at = static_cast<std::uint32_t>(plan_.shadows.size());
      plan_.shadows.push_back(shadow_of(state_, market_, account));
    }
    return at;
  }

  const State& state_;
  const Market& market_;
  const Taker& taker_;
  Plan& plan_;
  Lots left_;
  i128 ticks_lots_ = 0;
};

}  // namespace

bool SlippageCap::allows(Side side, i128 ticks_lots, Lots lots) const {
  // vwap <= mid * (1 + bps/10^4) for a buy, with vwap = ticks_lots / lots and mid = (bid + ask) / 2.
  const i128 twice_mid = static_cast<i128>(best_bid.value) + best_ask.value;
  const i128 vwap = 2 * ticks_lots * limits::basis_points;
  const i128 bound = twice_mid * lots.value;
  return side == Side::buy ? vwap <= bound * (limits::basis_points + bps)
                           : vwap >= bound * (limits::basis_points - bps);
}

Health Shadow::cross() const {
  const bool here = terms.mode == MarginMode::cross && position.size != Lots{};
  return {.equity = balance.value + other_equity + (here ? at_mark.unrealized : 0),
          .maintenance = other_maintenance + (here ? at_mark.maintenance : 0),
          .has_position = other_positions || here};
}

void Shadow::book(Booking& booking, const Market& market) {
  book_leg(position, booking.leg, terms, market.schedule, booking.effect);
  at_mark = valuation_of(market, position, terms.leverage);
  booking.after = position;
  booking.at_mark = at_mark;
  balance += booking.effect.balance;
  negative_payout |= booking.effect.negative_payout;
}

Shadow shadow_of(const State& state, const Market& market, AccountIndex account) {
  const Account& owner = state.account(account);
  const Holding& holding = owner.holdings[market.index.value];
  Shadow shadow{{.balance = owner.balance, .position = holding.position, .at_mark = holding.valuation},
                account,
                market.terms(holding)};
  for (const Market& other : state.markets) {
    const Holding& elsewhere = owner.holdings[other.index.value];
    if (other.index == market.index || elsewhere.mode != MarginMode::cross || !elsewhere.has_position()) continue;
    shadow.other_equity += elsewhere.valuation.unrealized;
    shadow.other_maintenance += elsewhere.valuation.maintenance;
    shadow.other_positions = true;
  }
  return shadow;
}

bool maker_may_fill(const Standing& before, const Shadow& after, Side maker_side, Lots lots) {
  if (after.negative_payout && !before.negative_payout) return false;
  const bool isolated = after.terms.mode == MarginMode::isolated;
  const Health bucket = isolated ? after.isolated() : after.cross();
  if (strictly_reduces(maker_side, lots, before.position.size)) return bucket.equity >= 0;
  if (bucket.equity < bucket.maintenance) return false;
  if (!isolated) return true;
  const Health cross = after.cross();  // it provided the margin and paid the fee
  return cross.equity >= cross.maintenance;
}

void Plan::clear() {
  steps.clear();
  shadows.clear();
  filled = decremented = open_interest_change = {};
  quote = fees = {};
  stop = CancelReason::none;
}

void make_plan(const State& state, const Market& market, const Taker& taker, Plan& plan) {
  plan.clear();
  if (!market.book.crosses(taker.side, taker.limit)) {
    const bool blocked = taker.limit_is_band && !market.book.empty(opposite(taker.side));
    if (blocked) plan.stop = CancelReason::price_band_exceeded;
    return;
  }
  Walk(state, market, taker, plan).run();
  for (const Shadow& shadow : plan.shadows) {
    const Lots before = state.holding(shadow.account, market.index).position.size;
    plan.open_interest_change += std::max(shadow.position.size, Lots{}) - std::max(before, Lots{});
  }
}

}  // namespace svc::engine
