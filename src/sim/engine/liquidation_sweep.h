// A bucket's position against the book: steps 2 and 3 of the ladder (rules 9.3 and 9.4).
#pragma once

#include "sim/engine/bucket.h"
#include "sim/engine/step.h"

namespace svc::engine {

// Step 2: sells (or buys back) no worse than the zero price of the whole attempt, which its own fills do not move, and
// not worse than its own zero price in any fill; the surplus over that pays the liquidation fee. Large positions go in
// two attempts with a cool-down between. True if anything was filled.
bool sell_at_zero_price(Step& step, const Bucket& bucket, Market& market);

// Step 3: beyond the zero price, as far as the band and the insurance fund reach; the fund pays the shortfall.
bool sweep_on_the_fund(Step& step, const Bucket& bucket, Market& market);

// E < backstop fraction * MM.
[[nodiscard]] bool below_backstop(const Market& market, const Health& health);

}  // namespace svc::engine
