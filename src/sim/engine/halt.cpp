#include <algorithm>

#include "sim/engine/execution.h"
#include "sim/engine/liquidation.h"
#include "sim/engine/order_entry.h"

namespace svc::engine {
namespace {

struct Insolvent {
  Bucket bucket;
  Usdx deficit;
  Lots size;  // before the resume
  std::vector<AdlClosure> closures{};
  Usdx quote{};     // of the closures
  Usdx realized{};  // realized by the closures
};

Lots held(const State& state, const Market& market, AccountIndex account) {
  return state.holding(account, market.index).position.size;
}

// Buckets below zero that hold a position in the market, by account id.
std::vector<Insolvent> insolvent_buckets(const State& state, const Market& market) {
  std::vector<Insolvent> found;
  market.holders.each([&](AccountIndex account) {
    const Bucket bucket = bucket_of(state, account, market.index);
    const i128 equity = health_of(state, bucket).equity;
    if (equity < 0) found.push_back({bucket, {narrow(-equity)}, held(state, market, account)});
  });
  std::sort(found.begin(), found.end(), [&](const Insolvent& a, const Insolvent& b) {
    return state.account(a.bucket.account).address < state.account(b.bucket.account).address;
  });
  return found;
}

// At mark, so that neither side loses anything.
void close_between(Step& step, Market& market, Insolvent& target, AccountIndex counterparty) {
  const Lots lots = std::min(magnitude(held(step.state, market, target.bucket.account)),
                             magnitude(held(step.state, market, counterparty)));
  if (lots == Lots{}) return;
  const Usdx quote = market.quote(market.mark, lots);
  const Realized realized = transfer_position(step, market, target.bucket.account, counterparty, lots, quote);
  target.closures.push_back({step.state.account(counterparty).address, lots, {}, realized.to});
  target.quote += quote;
  target.realized += realized.from;
}

void close_insolvent(Step& step, Market& market, std::vector<Insolvent>& insolvent) {
  State& state = step.state;
  for (std::size_t i = 0; i < insolvent.size(); ++i) {
    for (std::size_t j = i + 1; j < insolvent.size(); ++j) {
      const Lots mine = held(state, market, insolvent[i].bucket.account);
      const Lots theirs = held(state, market, insolvent[j].bucket.account);
      if (opposes(side_of(mine), theirs)) close_between(step, market, insolvent[i], insolvent[j].bucket.account);
    }
  }
  for (Insolvent& target : insolvent) {
    const Lots size = held(state, market, target.bucket.account);
    if (size == Lots{}) continue;
    for (const Ranked& ranked : adl_ranking(step, market, opposite(side_of(size)))) {
      if (held(state, market, target.bucket.account) == Lots{}) break;
      close_between(step, market, target, ranked.account);
    }
  }
}

// Also if its position was already closed as the counterparty of another one: the absorbed debt is its own. (D-705)
void report_resumed(Step& step, const Market& market, const Insolvent& target) {
  const Lots lots = magnitude(target.size);
  report_deleveraged(step, {.market = market.index,
                            .target = step.state.account(target.bucket.account).address,
                            .target_side = side_of(target.size),
                            .bankruptcy_quote = market.quote(market.mark, lots),
                            .bankruptcy_lots = lots,
                            .absorbed_by_fund = target.deficit,
                            .closures = target.closures,
                            .quote = target.quote,
                            .realized = target.realized,
                            .by_resume = true});
}

void reopen(Step& step, Market& market) {
  market.status = MarketStatus::active;
  market.halt_reason = HaltReason::none;
  market.operator_reason.clear();
  market.halted_ms = 0;
  market.premium_sum = market.premium_samples = 0;
  step.emit(MarketStatusChanged{.market = market.index, .status = market.status});
}

struct Closing {
  AccountIndex account{};
  Usdx gain{};     // realized by the settlement, if positive
  Usdx deficit{};  // what its bucket lacks afterwards
};

// An isolated position that ends below zero owes for itself; its payout would reduce the cross balance.
Usdx isolated_shortfall(const Exposure& before, const LegEffect& effect, MarginMode mode) {
  if (mode == MarginMode::cross) return {};
  const Usdx payout = before.isolated + effect.realized;
  return payout < Usdx{} ? -payout : Usdx{};
}

std::vector<Closing> close_all(Step& step, Market& market, Ticks price) {
  State& state = step.state;
  std::vector<Closing> closings;
  market.holders.each([&](AccountIndex account) {
    const Holding& holding = state.holding(account, market.index);
    const Exposure before = holding.position;
    const Lots lots = magnitude(before.size);
    const LegEffect effect = settle_leg(step, account, market,
                                        {.side = opposite(side_of(before.size)),
                                         .lots = lots,
                                         .quote = market.quote(price, lots),
                                         .settlement = Settlement::forced},
                                        {PositionCause::settlement, BalanceCause::settlement});
    closings.push_back({account, std::max(effect.realized, Usdx{}), isolated_shortfall(before, effect, holding.mode)});
  });
  // A cross bucket owes the amount by which its equity is below zero after booking, without its isolated shortfall.
  for (Closing& closing : closings) {
    if (state.holding(closing.account, market.index).mode == MarginMode::isolated) continue;
    const i128 equity = cross_health(state.account(closing.account)).equity;
    if (equity < 0) closing.deficit = {narrow(-equity)};
  }
  return closings;
}

// Pays the insolvent accounts, in proportion if the money does not suffice; the rest stays with the fund.
void fill_deficits(Step& step, const Market& market, const std::vector<Closing>& closings, Usdx total, Usdx given) {
  for (const Closing& closing : closings) {
    if (closing.deficit == Usdx{}) continue;
    const Usdx part{mul_div(closing.deficit.value, given.value, total.value, Rounding::down)};
    receive(step, {.account = closing.account}, part, FundCause::settlement_deficit, market.index);
  }
}

// Cancels all orders of the market and closes all its positions at one price. What bankrupt buckets owe beyond the
// insurance fund is taken from the winners, in proportion to their gains (rule 9.8).
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
  // The fund pays first; the winners pay the rest, up to their gains.
  const Usdx from_fund = std::min(deficits, state.ledger.insurance);
  const Usdx from_gains = std::min(deficits - from_fund, gains);
  for (const Closing& closing : closings) {
    const Usdx haircut = closing.gain - after_haircut(closing.gain, gains, from_gains);
    if (haircut == Usdx{}) continue;
    state.account(closing.account).supported -= haircut.value;
    step.add_balance(closing.account, -haircut, BalanceCause::settlement);
    step.add_insurance(haircut, FundCause::settlement_haircut, state.account(closing.account).address, market.index);
  }
  if (deficits > Usdx{}) fill_deficits(step, market, closings, deficits, from_fund + from_gains);
  step.emit(OpenInterestChanged{.market = market.index, .open_interest = market.open_interest});
}

}  // namespace

void halt(Step& step, Market& market, const Halt& why) {
  market.status = MarketStatus::halted;
  market.halt_reason = why.reason;
  market.operator_reason = why.operator_reason;
  market.halted_ms = step.state.now_ms;
  market.premium_sum = market.premium_samples = 0;
  step.emit(MarketStatusChanged{.market = market.index,
                                .status = market.status,
                                .reason = why.reason,
                                .operator_reason = why.operator_reason,
                                .halted_ms = market.halted_ms,
                                .residual = why.residual});
}

Reject perform(Step& step, const HaltMarket& command) {
  Market& market = step.state.market(command.market);
  if (!market.active()) return Reject::market_halted;
  halt(step, market, {.reason = HaltReason::operator_halt, .operator_reason = command.reason});
  return Reject::none;
}

Reject perform(Step& step, const ResumeMarket& command) {
  State& state = step.state;
  Market& market = state.market(command.market);
  if (market.status != MarketStatus::halted) return Reject::market_not_halted;
  if (command.inject < Usdx{}) return Reject::invalid_amount;
  // It stays in the fund even if it does not suffice.
  if (command.inject > Usdx{}) {
    if (const Reject reject = perform(step, FundInsurance{command.inject}); reject != Reject::none) return reject;
  }
  market.holders.each([&](AccountIndex account) { step.touch_health(account); });

  std::vector<Insolvent> insolvent = insolvent_buckets(state, market);
  i128 deficit = 0;
  for (const Insolvent& target : insolvent) deficit += target.deficit.value;
  if (deficit > state.ledger.insurance.value) return Reject::insufficient_recapitalization;
  for (const Insolvent& target : insolvent) {
    receive(step, target.bucket, target.deficit, FundCause::bad_debt, market.index);
  }
  close_insolvent(step, market, insolvent);
  for (const Insolvent& target : insolvent) report_resumed(step, market, target);
  reopen(step, market);
  return Reject::none;
}

Usdx after_haircut(Usdx gain, Usdx gains, Usdx deficit) {
  if (gains == Usdx{}) return gain;
  return {mul_div(gain.value, (gains - deficit).value, gains.value, Rounding::down)};
}

Reject perform(Step& step, const SettleMarket& command) {
  State& state = step.state;
  Market& market = state.market(command.market);
  if (market.status != MarketStatus::halted) return Reject::market_not_halted;
  if (command.price <= Ticks{} || command.price > market.spec.price_max) return Reject::invalid_price;
  settle_at(step, market, command.price);
  market.status = MarketStatus::delisted;
  step.emit(MarketStatusChanged{.market = market.index, .status = market.status, .halted_ms = market.halted_ms});
  return Reject::none;
}

}  // namespace svc::engine
