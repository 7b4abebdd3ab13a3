// Halting a market, and delisting it (rules 9.6 to 9.8).
#pragma once

#include "sim/engine/step.h"

namespace svc::engine {

struct Halt {
  HaltReason reason = HaltReason::operator_halt;
  std::string operator_reason{};
  Lots residual{};  // what deleveraging could not place
};
void halt(Step& step, Market& market, const Halt& why);

// Delisting a market: every position is closed at one price. What bankrupt buckets owe beyond the insurance fund is
// taken from the winners, in proportion to their gains (rule 9.8).

// Cancels all orders of the market and closes all its positions.
void settle_at(Step& step, Market& market, Ticks price);

// A gain after the haircut: floor(gain * (gains - deficit) / gains), deficit <= gains.
[[nodiscard]] Usdx after_haircut(Usdx gain, Usdx gains, Usdx deficit);

}  // namespace svc::engine
