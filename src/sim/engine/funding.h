// Premium samples and the hourly settlement (docs/trading.md, section 8).
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/step.h"

namespace svc::engine {

void sample_funding(Step& step);
void settle_funding(Step& step);
[[nodiscard]] Reject inject_funding(Step& step, const InjectFunding& command);

// (max(0, IB - I) - max(0, I - IA)) / I, truncated to 1e-9; a side too thin for the impact notional counts as 0.
[[nodiscard]] Ppb premium_of(const Market& market);

// Average premium, and the rate of an interval: r pulled towards the premium by at most the clamp, scaled from
// 8 hours to the interval, within the cap (rule 8.2).
struct FundingRate {
  Ppb average_premium{};
  Ppb rate{};
};
[[nodiscard]] FundingRate funding_rate(const MarketSpec& spec, std::int64_t premium_sum, std::int64_t samples);

}  // namespace svc::engine
