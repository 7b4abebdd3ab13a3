// Automatic deleveraging: positions of a bankrupt bucket are closed against ranked counterparties (rule 9.5).
#pragma once

#include <vector>

#include "sim/engine/margin.h"
#include "sim/engine/step.h"

namespace svc::engine {

// Step 4 of the ladder: the fund absorbs what it can, the rest is charged to counterparties. If no counterparty is
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
