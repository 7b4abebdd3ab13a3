#include "sim/engine/position.h"

#include <algorithm>

namespace svc::engine {
namespace {

constexpr Usdx zero{};

// The cost basis released by closing part of a position (rule 6.1).
Usdx released_cost(const Exposure& exposure, Lots closed) {
  const Lots held = magnitude(exposure.size);
  SVC_ASSERT(closed <= held && closed > Lots{});
  if (closed == held) return exposure.cost;
  return {mul_div(exposure.cost.value, closed.value, held.value, Rounding::toward_zero)};
}

// Closes part or all of an isolated position. Returns what the cross balance gains (rule 5.6).
Usdx pay_out(Exposure& exposure, Lots closed, Usdx result, Settlement settlement, LegEffect& effect) {
  if (closed == magnitude(exposure.size)) {
    const Usdx payout = exposure.isolated + result;
    exposure.isolated = zero;
    effect.negative_payout = settlement == Settlement::voluntary && payout < zero;
    return payout;
  }
  if (settlement == Settlement::forced) {
    exposure.isolated += result;
    return zero;
  }
  const Usdx part{mul_div(exposure.isolated.value, closed.value, magnitude(exposure.size).value, Rounding::down)};
  const Usdx payout = part + result;
  exposure.isolated -= part;
  if (payout >= zero) return payout;
  exposure.isolated += payout;
  return zero;
}

}  // namespace

void book_leg(Exposure& exposure, const Leg& leg, const MarginTerms& terms, const MarginSchedule& schedule,
              LegEffect& effect) {
  SVC_ASSERT(leg.lots > Lots{});
  const bool isolated = terms.mode == MarginMode::isolated;
  effect = {};
  effect.closed = std::min(leg.lots, reducible(leg.side, exposure.size));
  effect.opened = leg.lots - effect.closed;
  effect.closed_quote = leg.quote;
  effect.closing_fee = leg.fee;
  if (effect.opened > Lots{}) {
    effect.closed_quote = {leg.quote.value / leg.lots.value * effect.closed.value};
    effect.closing_fee = {mul_div(leg.fee.value, effect.closed.value, leg.lots.value, Rounding::up)};
  }
  effect.opened_quote = leg.quote - effect.closed_quote;
  const Usdx opening_fee = leg.fee - effect.closing_fee;

  if (effect.closed > Lots{}) {
    const Usdx released = released_cost(exposure, effect.closed);
    // A sell that closes a long receives the quote; a buy that closes a short pays it.
    effect.realized = (leg.side == Side::sell ? effect.closed_quote : -effect.closed_quote) - released;
    effect.ended = effect.closed == magnitude(exposure.size);
    const Usdx result = effect.realized - effect.closing_fee;
    effect.balance += isolated ? pay_out(exposure, effect.closed, result, leg.settlement, effect) : result;
    exposure.cost -= released;
    exposure.size += Lots{sign(leg.side) * effect.closed.value};
  }
  if (effect.opened > Lots{}) {
    effect.balance -= opening_fee;
    if (isolated) {
      const Usdx margin{narrow(schedule.initial(effect.opened_quote.value, terms.leverage))};
      effect.balance -= margin;
      exposure.isolated += margin;
    }
    exposure.cost += Usdx{sign(leg.side) * effect.opened_quote.value};
    exposure.size += Lots{sign(leg.side) * effect.opened.value};
  }
}

}  // namespace svc::engine
