// Amounts, prices and sizes as decimal text, and back. Shared by the handlers of every area.
#pragma once

#include <string>

#include "api/error_catalog.h"
#include "api/values.h"
#include "base/decimal.h"
#include "base/result.h"
#include "sim/engine/market_spec.h"

namespace svc::sim {

// coefficient * 10^-scale, without trailing zeros.
[[nodiscard]] std::string decimal_text(i128 coefficient, int scale);

[[nodiscard]] api::DecimalText usdx_text(Usdx amount);
[[nodiscard]] api::DecimalText usdx_text(i128 amount);
[[nodiscard]] api::DecimalText price_text(const engine::MarketSpec& spec, Ticks price);
[[nodiscard]] api::DecimalText lots_text(const engine::MarketSpec& spec, Lots quantity);
// A premium or funding rate: 1e-9.
[[nodiscard]] api::DecimalText ppb_text(Ppb rate);
// A margin rate; one without a decimal form is rounded up at 1e-9, so that no client expects too little margin.
[[nodiscard]] api::DecimalText rate_text(const engine::Rational& rate);
// quote / (lots * lot size): an average price, half up at 1e-6 (display only). Requires lots != 0.
[[nodiscard]] api::DecimalText average_price_text(const engine::MarketSpec& spec, Usdx quote, Lots lots);
// numerator / denominator, truncated at 1e-6. Requires denominator != 0.
[[nodiscard]] std::string ratio_text(Usdx numerator, Usdx denominator);

// A positive amount of USDX; refused as InvalidAmount if it is not positive or is finer than 0.000001. The engine
// checks how much the venue can hold.
[[nodiscard]] Result<Usdx, api::ApiError> positive_amount(const api::DecimalText& text);

}  // namespace svc::sim
