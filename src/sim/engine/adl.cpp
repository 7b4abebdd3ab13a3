#include "sim/engine/adl.h"

#include <algorithm>

#include "sim/engine/execution.h"
#include "sim/engine/halt.h"
#include "sim/engine/order_entry.h"

namespace svc::engine {
namespace {

constexpr int score_digits = 9;
// Bounds the factors of a score so that their products, times ten, fit 128 bits.
constexpr i128 factor_max = static_cast<i128>(1) << 61;

i128 bounded(i128 value) {
  return std::clamp(value, -factor_max, factor_max);
}

// floor(a * b * 10^9 / (c * d)) by long division, one decimal digit at a time.
i128 scaled_ratio(i128 a, i128 b, i128 c, i128 d) {
  const bool negative = a < 0;
  const i128 divisor = bounded(c) * bounded(d);
  const i128 dividend = bounded(negative ? -a : a) * bounded(b);
  i128 quotient = dividend / divisor;
  i128 remainder = dividend % divisor;
  for (int digit = 0; digit < score_digits; ++digit) {
    remainder *= 10;
    quotient = quotient * 10 + remainder / divisor;
    remainder %= divisor;
  }
  if (!negative) return quotient;
  return remainder == 0 ? -quotient : -quotient - 1;
}

// The counterparty's loss against the mark if it takes over this much at the zero price.
i128 charge(const State& state, const Bucket& target, const Market& market, Lots lots) {
  const i128 zero = zero_quote(state, target, market, lots);
  const i128 at_mark = market.value(market.mark, lots);
  return state.holding(target.account, market.index).position.size > Lots{} ? zero - at_mark : at_mark - zero;
}

// The largest quantity whose charge the counterparty's bucket can bear.
Lots bearable(const State& state, const Bucket& target, const Market& market, i128 equity, Lots wanted) {
  Lots low{};
  Lots high = wanted;
  while (low < high) {
    const Lots middle{low.value + (high.value - low.value + 1) / 2};
    if (charge(state, target, market, middle) <= equity) {
      low = middle;
    } else {
      high = middle - Lots{1};
    }
  }
  return low;
}

// Closes one position of the target against its ranking. Returns what nobody could take.
Lots deleverage_position(Step& step, const Bucket& target, Market& market, Usdx absorbed) {
  State& state = step.state;
  const Lots size = state.holding(target.account, market.index).position.size;
  const Side side = side_of(size);
  Lots left = magnitude(size);
  Deleveraged event{.market = market.index,
                    .target = state.account(target.account).address,
                    .target_side = side,
                    .bankruptcy_quote = saturated(zero_quote(state, target, market, left)),
                    .bankruptcy_lots = left,
                    .absorbed_by_fund = absorbed};
  for (const Ranked& ranked : adl_ranking(state, market, opposite(side))) {
    if (left == Lots{}) break;
    const Bucket bucket = bucket_of(state, ranked.account, market.index);
    const Lots held = magnitude(state.holding(ranked.account, market.index).position.size);
    const Lots lots = bearable(state, target, market, health_of(state, bucket).equity, std::min(left, held));
    if (lots == Lots{}) continue;
    const i128 given_up = charge(state, target, market, lots);
    const Usdx quote{narrow(zero_quote(state, target, market, lots))};
    const Realized realized = transfer_position(step, market, target.account, ranked.account, lots, quote);
    event.closures.push_back({state.account(ranked.account).address, lots, {narrow(given_up)}, realized.to});
    event.realized += realized.from;
    left -= lots;
  }
  report_deleveraged(step, std::move(event));
  return left;
}

}  // namespace

i128 adl_score(i128 unrealized, i128 cost, i128 notional, i128 equity) {
  const i128 value = std::max<i128>(1, cost < 0 ? -cost : cost);
  const i128 at_mark = std::max<i128>(1, notional);
  return unrealized > 0 ? scaled_ratio(unrealized, at_mark, value, equity)
                        : scaled_ratio(unrealized, equity, value, at_mark);
}

std::vector<Ranked> adl_ranking(const State& state, const Market& market, Side side) {
  std::vector<Ranked> ranking;
  for (std::uint32_t i = 0; i < state.accounts.size(); ++i) {
    const AccountIndex account{i};
    const Holding& holding = state.holding(account, market.index);
    const Position& position = holding.position;
    if (position.size == Lots{} || side_of(position.size) != side) continue;
    const i128 equity = health_of(state, bucket_of(state, account, market.index)).equity;
    if (equity <= 0) continue;
    const i128 notional = market.notional(position);
    ranking.push_back(
        {account, adl_score(holding.valuation.unrealized, position.cost.value, notional, equity), notional});
  }
  std::sort(ranking.begin(), ranking.end(), [&](const Ranked& a, const Ranked& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.notional != b.notional) return a.notional > b.notional;
    return state.account(a.account).address < state.account(b.account).address;
  });
  return ranking;
}

void report_deleveraged(Step& step, Deleveraged event) {
  step.state.market(event.market).adl_events += 1;
  for (const Market& market : step.state.markets) event.number += market.adl_events;
  step.emit(std::move(event));
}

Realized transfer_position(Step& step, Market& market, AccountIndex from, AccountIndex to, Lots lots, Usdx quote) {
  const Lots from_before = step.state.holding(from, market.index).position.size;
  const Lots to_before = step.state.holding(to, market.index).position.size;
  const Side closing = opposite(side_of(from_before));
  const LegCause cause{PositionCause::adl, BalanceCause::adl};
  cancel_in_market(step, to, market.index, CancelReason::adl);
  const LegEffect taken = settle_leg(
      step, from, market, {.side = closing, .lots = lots, .quote = quote, .settlement = Settlement::forced}, cause);
  const LegEffect taken_over =
      settle_leg(step, to, market, {.side = opposite(closing), .lots = lots, .quote = quote}, cause);
  follow_position(step, from, market, from_before);
  follow_position(step, to, market, to_before);
  step.emit(OpenInterestChanged{.market = market.index, .open_interest = market.open_interest});
  return {taken.realized, taken_over.realized};
}

void deleverage(Step& step, const Bucket& bucket) {
  State& state = step.state;
  const std::vector<MarketIndex> markets = open_markets(state, bucket);
  SVC_ASSERT(!markets.empty());
  const i128 deficit = -health_of(state, bucket).equity;
  Usdx absorbed{narrow(std::min<i128>(state.ledger.insurance.value, deficit))};
  receive(step, bucket, absorbed, FundCause::bad_debt, markets.front());
  for (const MarketIndex index : markets) {
    Market& market = state.market(index);
    const Lots left = deleverage_position(step, bucket, market, absorbed);
    absorbed = {};
    if (left > Lots{}) halt(step, market, {.reason = HaltReason::adl_exhausted, .residual = left});
  }
}

}  // namespace svc::engine
