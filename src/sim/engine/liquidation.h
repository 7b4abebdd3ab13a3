// Liquidation of buckets under water, deleveraging and halts (docs/trading.md, section 9).
//
// The ladder, in order: cancel the bucket's orders; sell into the book no worse than the zero price; sweep beyond
// it at the expense of the insurance fund; deleverage. A bucket that is not bankrupt waits when the book is
// exhausted.
#pragma once

#include "sim/engine/margin.h"
#include "sim/engine/market.h"
#include "sim/engine/step.h"

namespace svc::engine {

// Checks every bucket that may have changed, worst first, until nothing more can be done.
void run_liquidations(Step& step);

// When the first cool-down of a waiting bucket ends.
[[nodiscard]] std::optional<TimestampMs> next_cooldown_ms(const State& state);

// The last tick at which a bucket is still healthy, if only this market's mark moves (rule 9.1); nullopt if no price
// above zero liquidates. collateral: the isolated margin, or the cross balance plus the PnL and minus the maintenance
// of the other positions.
[[nodiscard]] std::optional<Ticks> liquidation_price(const Market& market, const Exposure& exposure, i128 collateral);

// Accounts with a position of the given side and a solvent bucket, first to be deleveraged first. The same until the
// next call, whatever happens to them.
[[nodiscard]] const Ranking::Rows& adl_ranking(Step& step, const Market& market, Side side);

// pnl% * leverage if the position gains, pnl% / leverage if it loses, floored at 1e-9.
[[nodiscard]] i128 adl_score(i128 unrealized, i128 cost, i128 notional, i128 equity);

// Numbers the event and emits it.
void report_deleveraged(Step& step, Deleveraged event);

// What the two sides of a transfer realized.
struct Realized {
  Usdx from{};
  Usdx to{};
};

// Moves lots of a position from its bankrupt holder to a counterparty at a quote, outside the book and free of
// fees. The counterparty is paid out as for any fill that reduces (rule 5.6).
Realized transfer_position(Step& step, Market& market, AccountIndex from, AccountIndex to, Lots lots, Usdx quote);

// Halting a market (rules 9.6 and 9.7).
struct Halt {
  HaltReason reason = HaltReason::operator_halt;
  std::string operator_reason{};
  Lots residual{};  // what deleveraging could not place
};
void halt(Step& step, Market& market, const Halt& why);

// A gain after the haircut of a delisting: floor(gain * (gains - deficit) / gains), deficit <= gains.
[[nodiscard]] Usdx after_haircut(Usdx gain, Usdx gains, Usdx deficit);

}  // namespace svc::engine
