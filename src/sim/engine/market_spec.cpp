#include "sim/engine/market_spec.h"

#include <algorithm>
#include <numeric>

#include "base/limits.h"

namespace svc::engine {
namespace {

// tick * lot in 1e-6 USDX; an error if that is not a whole, positive number.
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

// The value in whole units, rounded down.
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

constexpr Usdx usdx(std::int64_t whole) {
  return {whole * usdx_one};
}

// Common to all three: fees of -2 and 5 bps, maintenance at half the initial rate.
MarketSpec perpetual(std::string base, Decimal tick, Decimal lot) {
  MarketSpec spec;
  spec.id = base + "-USDX-PERP";
  spec.base_asset = std::move(base);
  spec.quote_asset = "USDX";
  spec.tick_size = tick;
  spec.lot_size = lot;
  spec.min_notional = usdx(10);
  spec.maker_fee = Ppm{-200};
  spec.taker_fee = Ppm{500};
  return spec;
}

MarginTier tier(Usdx lower, std::int64_t leverage) {
  return {.lower_notional = lower, .imr = {1, leverage}, .mmr = {1, 2 * leverage}};
}

bool at_most(const Rational& a, const Rational& b) {
  return static_cast<i128>(a.num) * b.den <= static_cast<i128>(b.num) * a.den;
}

// ceil(n / d) for n >= 0; uses 64-bit division if possible, which is several times faster.
i128 ceil_div(i128 n, std::int64_t d) {
  SVC_ASSERT(n >= 0 && d > 0);
  const auto divisor = static_cast<std::uint64_t>(d);
  if (n <= std::numeric_limits<std::int64_t>::max()) {
    const auto dividend = static_cast<std::uint64_t>(n);
    return static_cast<i128>((dividend + divisor - 1) / divisor);
  }
  return (n + d - 1) / d;
}

// To lowest terms.
Rational reduced(Rational value) {
  SVC_ASSERT(value.den > 0);
  const std::int64_t divisor = std::gcd(value.num, value.den);
  return divisor == 0 ? value : Rational{value.num / divisor, value.den / divisor};
}

}  // namespace

Result<void, ListingError> check_listing(const MarketSpec& spec) {
  if (!to_scaled(spec.tick_size, usdx_decimals)) return unexpected(ListingError::grid);
  const auto unit = SVC_TRY(exact_quote_unit(spec.tick_size, spec.lot_size));
  if (!sound_bounds(spec)) return unexpected(ListingError::bounds);
  const i128 largest = static_cast<i128>(spec.price_max.value) * spec.max_order_size.value * unit;
  if (largest > limits::order_value_max) return unexpected(ListingError::bounds);
  if (!MarginSchedule::build(spec)) return unexpected(ListingError::tiers);
  const auto is_share = [](Ppm fee) { return fee.value > -ppm_one && fee.value < ppm_one; };
  const bool in_range = is_share(spec.maker_fee) && is_share(spec.taker_fee);
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
  return format_decimal(price_of(spec, price));
}

std::string format_lots(const MarketSpec& spec, Lots quantity) {
  return format_decimal(size_of(spec, quantity));
}

std::vector<MarketSpec> standard_markets() {
  MarketSpec btc = perpetual("BTC", {5, 1}, {1, 3});
  btc.max_order_size = Lots{100'000};  // 100 BTC
  btc.price_max = Ticks{20'000'000};   // 10,000,000 USDX
  btc.max_leverage = 40;
  btc.tiers = {tier({}, 40), tier(usdx(150'000'000), 20)};
  btc.open_interest_cap = usdx(500'000'000);

  MarketSpec eth = perpetual("ETH", {1, 2}, {1, 4});
  eth.max_order_size = Lots{100'000'000};  // 10,000 ETH
  eth.price_max = Ticks{100'000'000};      // 1,000,000 USDX
  eth.max_leverage = 25;
  eth.tiers = {tier({}, 25), tier(usdx(100'000'000), 15)};
  eth.open_interest_cap = usdx(300'000'000);

  MarketSpec sol = perpetual("SOL", {1, 3}, {1, 3});
  sol.max_order_size = Lots{100'000'000};  // 100,000 SOL
  sol.price_max = Ticks{100'000'000};      // 100,000 USDX
  sol.max_leverage = 20;
  sol.tiers = {tier({}, 20), tier(usdx(70'000'000), 10)};
  sol.open_interest_cap = usdx(100'000'000);
  sol.impact_notional = usdx(6'000);

  return {btc, eth, sol};
}

std::optional<MarginSchedule> MarginSchedule::build(const MarketSpec& spec) {
  if (spec.tiers.empty() || spec.tiers.size() > limits::margin_tiers_max) return std::nullopt;
  if (spec.tiers.front().lower_notional != Usdx{}) return std::nullopt;

  MarginSchedule schedule;
  for (const MarginTier& tier : spec.tiers) {
    for (const Rational& rate : {tier.imr, tier.mmr})
      if (!fraction(rate) || rate.den > limits::margin_denominator_max) return std::nullopt;
    if (!at_most(tier.mmr, tier.imr)) return std::nullopt;
    schedule.denominator_ = std::lcm(schedule.denominator_, tier.mmr.den);
    if (schedule.denominator_ > limits::margin_denominator_max) return std::nullopt;
  }
  for (std::size_t k = 0; k < spec.tiers.size(); ++k) {
    const MarginTier& tier = spec.tiers[k];
    const std::int64_t slope = tier.mmr.num * (schedule.denominator_ / tier.mmr.den);
    i128 offset = 0;
    if (k > 0) {
      const MarginTier& previous = spec.tiers[k - 1];
      const bool ascends = tier.lower_notional > previous.lower_notional && at_most(previous.mmr, tier.mmr) &&
                           at_most(previous.imr, tier.imr);
      if (!ascends) return std::nullopt;
      const Line& below = schedule.lines_.back();
      offset = below.offset + static_cast<i128>(tier.lower_notional.value) * (slope - below.slope);
    }
    schedule.lines_.push_back({tier.lower_notional.value, tier.imr.num, tier.imr.den, slope, offset});
  }
  constexpr i128 half_of_64_bits = std::numeric_limits<std::int64_t>::max() / 2;
  const bool single = schedule.lines_.size() == 1;
  schedule.first_bound_ = single ? half_of_64_bits : std::min(half_of_64_bits, schedule.lines_[1].lower_notional);
  schedule.first_ceiling_ = schedule.lines_[0].imr_den / schedule.lines_[0].imr_num;
  schedule.first_slope_ = schedule.lines_[0].slope;
  schedule.first_maintained_ = narrow(std::min(schedule.first_bound_, half_of_64_bits / schedule.first_slope_));
  return schedule;
}

const MarginSchedule::Line& MarginSchedule::line_of(i128 notional) const {
  std::size_t k = lines_.size() - 1;
  while (k > 0 && notional <= lines_[k].lower_notional) --k;
  return lines_[k];
}

i128 MarginSchedule::initial_in_tiers(i128 part, i128 whole, std::int64_t leverage) const {
  const Line& line = line_of(whole);
  // max(1 / leverage, imr): the larger fraction, compared without dividing.
  const bool tier_binds = static_cast<i128>(line.imr_num) * leverage > line.imr_den;
  return tier_binds ? ceil_div(part * line.imr_num, line.imr_den) : ceil_div(part, leverage);
}

i128 MarginSchedule::maintenance_in_tiers(i128 notional) const {
  const Line& line = line_of(notional);
  return ceil_div(notional * line.slope - line.offset, denominator_);
}

std::optional<Rational> parse_rational(std::string_view text) {
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    const auto num = parse_scaled(text.substr(0, slash), 0);
    const auto den = parse_scaled(text.substr(slash + 1), 0);
    if (!num || !den || *den <= 0) return std::nullopt;
    return reduced({*num, *den});
  }
  const auto decimal = parse_decimal(text);
  constexpr int scale_max = 18;  // 10^18 is the largest power of ten in 64 bits
  if (!decimal || decimal->scale > scale_max) return std::nullopt;
  const auto coefficient = to_scaled(*decimal, decimal->scale);
  if (!coefficient) return std::nullopt;
  std::int64_t den = 1;
  for (int i = 0; i < decimal->scale; ++i) den *= 10;
  return reduced({*coefficient, den});
}

Usdx funding_of(i128 value, Ppb rate) {
  return {-narrow(div_round(value * rate.value, ppb_one, Rounding::up))};
}

}  // namespace svc::engine
