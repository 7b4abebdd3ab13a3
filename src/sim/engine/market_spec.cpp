#include "sim/engine/market_spec.h"

#include <algorithm>

#include "base/limits.h"
#include "sim/engine/margin_schedule.h"

namespace svc::engine {
namespace {

// tick * lot in 1e-6 USDX; nullopt if that is not a whole, positive number.
Result<std::int64_t, ListingError> exact_quote_unit(const Decimal& tick, const Decimal& lot) {
  if (tick.coefficient <= 0 || lot.coefficient <= 0) return unexpected(ListingError::grid);
  if (tick.coefficient > limits::grid_units_max || lot.coefficient > limits::grid_units_max) {
    return unexpected(ListingError::grid);
  }
  Decimal product{tick.coefficient * lot.coefficient, tick.scale + lot.scale};
  while (product.scale > usdx_decimals && product.coefficient % 10 == 0) {
    product.coefficient /= 10;
    --product.scale;
  }
  const auto unit = to_scaled(product, usdx_decimals);
  if (!unit) return unexpected(ListingError::grid);
  return *unit;
}

bool fraction(const Rational& rate) {
  return rate.den > 0 && rate.num > 0 && rate.num <= rate.den;
}

bool sound_bounds(const MarketSpec& spec) {
  const auto in_grid = [](std::int64_t units) { return units > 0 && units <= limits::grid_units_max; };
  return !spec.id.empty() && spec.id.size() <= limits::market_id_chars_max && in_grid(spec.price_max.value) &&
         in_grid(spec.max_order_size.value) && in_grid(spec.min_order_size.value) &&
         spec.min_order_size <= spec.max_order_size && spec.min_notional >= Usdx{} &&
         spec.open_interest_cap >= Usdx{} && spec.max_leverage >= 1 && spec.max_leverage <= limits::leverage_max &&
         spec.impact_notional > Usdx{} && spec.partial_threshold >= Usdx{} && spec.partial_cooldown_ms >= 0 &&
         spec.oracle_stale_after_ms >= 0 && spec.basis_tau_ms > 0 && spec.funding_sample_ms > 0 &&
         spec.funding_interval_ms >= spec.funding_sample_ms && spec.funding_clamp >= Ppb{} &&
         spec.funding_rate_cap >= Ppb{} && spec.liquidation_fee >= Ppm{} && spec.liquidation_fee.value <= ppm_one &&
         fraction(spec.price_band) && fraction(spec.mark_band) && fraction(spec.liquidation_band) &&
         fraction(spec.partial_fraction) && fraction(spec.backstop_fraction) && fraction(spec.withdrawal_floor_rate);
}

// The largest whole number of units that the value is not below.
std::int64_t whole_units(const Decimal& value, const Decimal& unit) {
  i128 whole = value.coefficient;
  for (int scale = value.scale; scale < unit.scale; ++scale) whole *= 10;
  for (int scale = unit.scale; scale < value.scale; ++scale) whole = div_round(whole, 10, Rounding::down);
  constexpr i128 most = limits::grid_units_max;
  return narrow(std::clamp(div_round(whole, unit.coefficient, Rounding::down), -most, most));
}

template <class Unit>
Measured<Unit> measure(const Decimal& value, const Decimal& unit) {
  const auto multiple = to_multiple(value, unit);
  if (multiple) return {Unit{*multiple}, Grid::on};
  if (multiple.error() != DecimalError::too_fine) return {Unit{}, Grid::beyond};
  return {Unit{whole_units(value, unit)}, Grid::off};
}

}  // namespace

Result<void, ListingError> check_listing(const MarketSpec& spec) {
  const auto unit = exact_quote_unit(spec.tick_size, spec.lot_size);
  if (!to_scaled(spec.tick_size, usdx_decimals)) return unexpected(ListingError::grid);
  if (!unit) return unexpected(unit.error());
  if (!sound_bounds(spec)) return unexpected(ListingError::bounds);
  const i128 largest = static_cast<i128>(spec.price_max.value) * spec.max_order_size.value * *unit;
  if (largest > limits::order_value_max) return unexpected(ListingError::bounds);
  if (!MarginSchedule::build(spec)) return unexpected(ListingError::tiers);
  const bool in_range = spec.maker_fee.value > -ppm_one && spec.taker_fee.value < ppm_one;
  if (!in_range || spec.maker_fee + spec.taker_fee < Ppm{}) return unexpected(ListingError::fees);
  return {};
}

std::int64_t quote_unit(const MarketSpec& spec) {
  return exact_quote_unit(spec.tick_size, spec.lot_size).value();
}

std::int64_t tick_unit(const MarketSpec& spec) {
  return to_scaled(spec.tick_size, usdx_decimals).value();
}

std::int64_t leverage_ceiling(const MarketSpec& spec) {
  const Rational& imr = spec.tiers.front().imr;
  return std::min(spec.max_leverage, imr.den / imr.num);
}

MeasuredPrice measure_price(const MarketSpec& spec, const Decimal& price) {
  return measure<Ticks>(price, spec.tick_size);
}

MeasuredLots measure_lots(const MarketSpec& spec, const Decimal& quantity) {
  return measure<Lots>(quantity, spec.lot_size);
}

std::string format_price(const MarketSpec& spec, Ticks price) {
  return format_decimal(multiply(price.value, spec.tick_size));
}

std::string format_lots(const MarketSpec& spec, Lots quantity) {
  return format_decimal(multiply(quantity.value, spec.lot_size));
}

}  // namespace svc::engine
