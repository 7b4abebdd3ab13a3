// The last tick at which a bucket is still healthy, if only this market's mark moves (rule 9.1).
#pragma once

#include <optional>

#include "sim/engine/market.h"

namespace svc::engine {

// collateral: the isolated margin, or the cross balance plus the PnL and minus the maintenance of the other
// positions. nullopt if no price above zero liquidates.
[[nodiscard]] std::optional<Ticks> liquidation_price(const Market& market, const Exposure& exposure, i128 collateral);

}  // namespace svc::engine
