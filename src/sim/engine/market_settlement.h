// The end of a market: every position is closed at one price, and what bankrupt buckets owe beyond the insurance
// fund is taken from the winners, in proportion to their gains (rule 9.8).
#pragma once

#include "sim/engine/step.h"

namespace svc::engine {

// Cancels all orders of the market and closes all its positions. The market has no position afterwards.
void settle_at(Step& step, Market& market, Ticks price);

// What is left of a gain after the haircut: floor(gain * (gains - deficit) / gains), deficit <= gains.
[[nodiscard]] Usdx after_haircut(Usdx gain, Usdx gains, Usdx deficit);

}  // namespace svc::engine
