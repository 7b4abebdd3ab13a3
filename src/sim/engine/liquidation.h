// Liquidation of buckets under water (docs/trading.md, section 9).
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

// The last tick at which a bucket is still healthy, if only this market's mark moves (rule 9.1).

// collateral: the isolated margin, or the cross balance plus the PnL and minus the maintenance of the other
// positions. nullopt if no price above zero liquidates.
[[nodiscard]] std::optional<Ticks> liquidation_price(const Market& market, const Exposure& exposure, i128 collateral);

// Closing a bucket's position against the book: steps 2 and 3 of the ladder (rules 9.3 and 9.4).

// Step 2: sells (or buys back) no worse than the zero price of the whole attempt, which its own fills do not move.
// No fill may be worse than its own zero price; the surplus over that pays the liquidation fee. Large positions are
// closed in two attempts with a cool-down between. True if anything was filled.
bool sell_at_zero_price(Step& step, const Bucket& bucket, Market& market);

// Step 3: fills beyond the zero price, within the band and the insurance fund; the fund pays the shortfall.
bool sweep_on_the_fund(Step& step, const Bucket& bucket, Market& market);

// E < backstop fraction * MM.
[[nodiscard]] bool below_backstop(const Market& market, const Health& health);

// Step 4 of the ladder, automatic deleveraging: positions of a bankrupt bucket are closed against ranked counterparties
// (rule 9.5). The fund absorbs what it can, the rest is charged to counterparties. If no counterparty is
// left for the position, the market is halted.
void deleverage(Step& step, const Bucket& bucket);

struct Ranked {
  AccountIndex account{};
  i128 score = 0;  // 1e-9
  i128 notional = 0;
};
// Accounts with a position of the given side and a solvent bucket, first to be deleveraged first.
[[nodiscard]] std::vector<Ranked> adl_ranking(const State& state, const Market& market, Side side);

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

}  // namespace svc::engine
