// From the index to the mark (rules 7.2 to 7.4), and from the book's premium to funding (rules 8.1 and 8.2). The mark
// moves only at oracle ticks, never with a trade.
#pragma once

#include <limits>

#include "sim/engine/market.h"

namespace svc::engine {

// One step of the basis average over dt: e + trunc((x - e) * dt / (tau + dt)).
[[nodiscard]] std::int64_t basis_step(std::int64_t basis, std::int64_t x, std::int64_t dt_ms, std::int64_t tau_ms);

// Average premium, and the rate of an interval: r pulled towards the premium by at most the clamp, scaled from
// 8 hours to the interval, within the cap (rule 8.2).
struct FundingRate {
  Ppb average_premium{};
  Ppb rate{};
};
// Samples of this sum or beyond, which no market in use reaches, count no more: the rate is capped long before.
inline constexpr std::int64_t premium_sum_max = std::numeric_limits<std::int64_t>::max() - (std::int64_t{1} << 61);

[[nodiscard]] FundingRate funding_rate(const MarketSpec& spec, std::int64_t premium_sum, std::int64_t samples);

}  // namespace svc::engine
