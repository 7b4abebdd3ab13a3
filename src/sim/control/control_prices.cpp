#include "sim/control/control_prices.h"

#include "base/decimal.h"

namespace svc::sim {

using api::ApiError;
using api::ErrorCode;

Result<Ticks, ApiError> price_of(const engine::MarketSpec& spec, const std::string& text) {
  const auto decimal = parse_decimal(text);
  const auto price = decimal ? engine::measure_price(spec, *decimal) : engine::MeasuredPrice{};
  if (price.grid == engine::Grid::off)
    return unexpected(ApiError(
        ErrorCode::invalid_tick_size,
        "price " + text + " of " + spec.id + " is not a multiple of the tick " + format_decimal(spec.tick_size)));
  if (price.grid != engine::Grid::on || price.value <= Ticks{} || price.value > spec.price_max)
    return unexpected(ApiError(ErrorCode::invalid_price, "price " + text + " of " + spec.id + " is not between 0 and " +
                                                             engine::format_price(spec, spec.price_max)));
  return price.value;
}

}  // namespace svc::sim
