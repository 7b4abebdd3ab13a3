#include "sim/engine/market_settlement.h"

#include <algorithm>

#include "sim/engine/bucket.h"
#include "sim/engine/execution.h"
#include "sim/engine/order_exit.h"

namespace svc::engine {
namespace {

struct Closing {
  AccountIndex account{};
  Usdx gain{};     // realized by the settlement, if positive
  Usdx deficit{};  // what its bucket lacks afterwards
};

// An isolated position that ends below zero owes by itself; its payout would drag the cross balance down.
Usdx isolated_shortfall(const Exposure& before, const LegEffect& effect, MarginMode mode) {
  if (mode == MarginMode::cross) return {};
  const Usdx payout = before.isolated + effect.realized;
  return payout < Usdx{} ? -payout : Usdx{};
}

std::vector<Closing> close_all(Step& step, Market& market, Ticks price) {
  State& state = step.state;
  std::vector<Closing> closings;
  for (std::uint32_t i = 0; i < state.accounts.size(); ++i) {
    const AccountIndex account{i};
    const Holding& holding = state.holding(account, market.index);
    if (!holding.has_position()) continue;
    const Exposure before = holding.position;
    const Lots lots = magnitude(before.size);
    const LegEffect effect = settle_leg(step, account, market,
                                        {.side = opposite(side_of(before.size)),
                                         .lots = lots,
                                         .quote = market.quote(price, lots),
                                         .settlement = Settlement::forced},
                                        {PositionCause::settlement, BalanceCause::settlement});
    closings.push_back({account, std::max(effect.realized, Usdx{}), isolated_shortfall(before, effect, holding.mode)});
  }
  // A cross bucket owes what its equity is below zero once all is booked, its isolated shortfall aside.
  for (Closing& closing : closings) {
    if (state.holding(closing.account, market.index).mode == MarginMode::isolated) continue;
    const i128 equity = cross_health(state, state.account(closing.account)).equity;
    if (equity < 0) closing.deficit = {narrow(-equity)};
  }
  return closings;
}

// Gives to the insolvent, in proportion if it does not suffice for all; what is left over stays with the fund.
void fill_deficits(Step& step, const Market& market, const std::vector<Closing>& closings, Usdx total, Usdx given) {
  for (const Closing& closing : closings) {
    if (closing.deficit == Usdx{}) continue;
    const Usdx part{mul_div(closing.deficit.value, given.value, total.value, Rounding::down)};
    receive(step, {.account = closing.account}, part, FundCause::settlement_deficit, market.index);
  }
}

}  // namespace

Usdx after_haircut(Usdx gain, Usdx gains, Usdx deficit) {
  if (gains == Usdx{}) return gain;
  return {mul_div(gain.value, (gains - deficit).value, gains.value, Rounding::down)};
}

void settle_at(Step& step, Market& market, Ticks price) {
  State& state = step.state;
  for (std::uint32_t i = 0; i < state.accounts.size(); ++i) {
    cancel_in_market(step, {i}, market.index, CancelReason::market_halt);
  }
  const std::vector<Closing> closings = close_all(step, market, price);
  Usdx gains{};
  Usdx deficits{};
  for (const Closing& closing : closings) {
    gains += closing.gain;
    deficits += closing.deficit;
  }
  // The fund pays first; the winners pay the rest, as far as their gains go.
  const Usdx from_fund = std::min(deficits, state.ledger.insurance);
  const Usdx from_gains = std::min(deficits - from_fund, gains);
  for (const Closing& closing : closings) {
    const Usdx haircut = closing.gain - after_haircut(closing.gain, gains, from_gains);
    if (haircut == Usdx{}) continue;
    state.account(closing.account).supported -= haircut;
    step.add_balance(closing.account, -haircut, BalanceCause::settlement);
    step.add_insurance(haircut, FundCause::settlement_haircut, state.account(closing.account).address, market.index);
  }
  if (deficits > Usdx{}) fill_deficits(step, market, closings, deficits, from_fund + from_gains);
  step.emit(OpenInterestChanged{.market = market.index, .open_interest = market.open_interest});
}

}  // namespace svc::engine
