// Buckets under water, and what is done about them (docs/trading.md, section 9).
//
// The ladder, in order: cancel the bucket's orders; sell into the book no worse than the zero price; sweep beyond it
// on the insurance fund's account; deleverage. A bucket that is not bankrupt waits when the book is exhausted.
#pragma once

#include "sim/engine/bucket.h"
#include "sim/engine/step.h"

namespace svc::engine {

// Looks at every bucket that may have changed, worst first, until nothing more can be done.
void run_liquidations(Step& step);

// When the first cool-down of a waiting bucket ends.
[[nodiscard]] std::optional<TimestampMs> next_cooldown_ms(const State& state);

}  // namespace svc::engine
