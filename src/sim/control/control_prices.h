// Prices in bodies of control requests.
#pragma once

#include <string>

#include "api/error_catalog.h"
#include "base/fixed.h"
#include "base/result.h"
#include "sim/engine/market_spec.h"

namespace svc::sim {

// A price of the market; refused with what was expected.
[[nodiscard]] Result<Ticks, api::ApiError> price_of(const engine::MarketSpec& spec, const std::string& text);

}  // namespace svc::sim
