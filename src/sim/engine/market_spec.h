// The specification of a market: grid, limits, margin tiers and fees. Constant while the market lives.
//
// Listing rules (check_listing)
//   (L1) tick_size is, and tick_size * lot_size is, a whole number of 1e-6 USDX, so that no price and no
//        price * quantity ever rounds (rule 1.2)
//   (L2) tiers start at notional 0 and ascend; every rate is in (0, 1]; mmr <= imr
//   (L3) maker + taker fee >= 0 (rule 4.6)
//   (L4) price_max in ticks and max_order_size in lots fit 31 bits, and the largest order is worth at most
//        limits::order_value_max
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/decimal.h"
#include "base/result.h"

namespace svc::engine {

// num / den with den > 0: margin rates such as 1/3 have no decimal form.
struct Rational {
  std::int64_t num = 0;
  std::int64_t den = 1;
};

// "1/3" or "0.025", reduced to lowest terms; nullopt for anything else or what does not fit 64 bits.
[[nodiscard]] std::optional<Rational> parse_rational(std::string_view text);

struct MarginTier {
  Usdx lower_notional{};  // the tier holds for notionals above this, up to the next tier's bound
  Rational imr{};
  Rational mmr{};
};

struct MarketSpec {
  std::string id{};           // "BTC-USDX-PERP"
  std::string base_asset{};   // "BTC"
  std::string quote_asset{};  // "USDX"

  Decimal tick_size{};  // USDX per base unit
  Decimal lot_size{};   // base units
  Lots min_order_size{1};
  Lots max_order_size{};
  Usdx min_notional{};
  Ticks price_max{};  // orders and oracle prices above it are refused

  std::int64_t max_leverage = 1;
  std::vector<MarginTier> tiers{};
  Ppm maker_fee{};  // negative is a rebate
  Ppm taker_fee{};
  Usdx open_interest_cap{};  // notional at mark; 0 = none

  Rational price_band{1, 10};        // of orders around the mark (rule 3.9)
  Rational mark_band{1, 10};         // of the mark around the index (rule 7.3)
  Rational liquidation_band{1, 10};  // of fund-backed sweeps (rule 9.4)
  Ppm liquidation_fee{5'000};        // rule 9.3
  Usdx partial_threshold{100'000'000'000};
  Rational partial_fraction{1, 5};
  std::int64_t partial_cooldown_ms = 30'000;
  Rational backstop_fraction{2, 3};
  Rational withdrawal_floor_rate{1, 10};  // rule 5.7

  std::int64_t oracle_stale_after_ms = 10'000;  // 0 = never (rule 7.1)
  std::int64_t basis_tau_ms = 150'000;          // rule 7.2

  std::int64_t funding_interval_ms = hour_ms;
  std::int64_t funding_sample_ms = minute_ms;
  Ppb funding_base_rate{100'000};   // r, per 8 hours
  Ppb funding_clamp{500'000};       // d
  Ppb funding_rate_cap{1'000'000};  // per hour
  Usdx impact_notional{20'000'000'000};
};

enum class ListingError : std::uint8_t { grid, tiers, fees, bounds };

// The first listing rule that the market breaks.
[[nodiscard]] Result<void, ListingError> check_listing(const MarketSpec& spec);

// 1e-6 USDX per tick and lot. Requires a listed market.
[[nodiscard]] std::int64_t quote_unit(const MarketSpec& spec);
// What a settlement pays to a position of this value at the index: a long pays a positive rate. Rounded up if paid,
// down if received (rule 8.3).
[[nodiscard]] Usdx funding_of(i128 value, Ppb rate);

// 1e-6 USDX per tick. Requires a listed market.
[[nodiscard]] std::int64_t tick_unit(const MarketSpec& spec);

// Highest leverage an account may set: min(max_leverage, floor(1 / imr of tier 0)).
[[nodiscard]] std::int64_t leverage_ceiling(const MarketSpec& spec);

// How a decimal from outside fits a market's grid. A value off the grid is passed into the engine, because it must
// be refused in the engine's order of checks (rules 1.4 and 3.16).
enum class Grid : std::uint8_t { absent, on, off, beyond };  // beyond: too large for any market

template <class Unit>
struct Measured {
  Unit value{};  // off the grid: rounded down to it
  Grid grid = Grid::absent;
  bool operator==(const Measured&) const = default;
};
using MeasuredPrice = Measured<Ticks>;
using MeasuredLots = Measured<Lots>;

[[nodiscard]] MeasuredPrice measure_price(const MarketSpec& spec, const Decimal& price);
[[nodiscard]] MeasuredLots measure_lots(const MarketSpec& spec, const Decimal& quantity);

// A price and a quantity as decimals, which may end with zeros, and as their text, which does not.
[[nodiscard]] inline Decimal price_of(const MarketSpec& spec, Ticks price) {
  return {static_cast<i128>(price.value) * spec.tick_size.coefficient, spec.tick_size.scale};
}
[[nodiscard]] inline Decimal size_of(const MarketSpec& spec, Lots quantity) {
  return {static_cast<i128>(quantity.value) * spec.lot_size.coefficient, spec.lot_size.scale};
}
[[nodiscard]] std::string format_price(const MarketSpec& spec, Ticks price);
[[nodiscard]] std::string format_lots(const MarketSpec& spec, Lots quantity);

// The three markets of the sandbox: BTC-, ETH- and SOL-USDX-PERP.
[[nodiscard]] std::vector<MarketSpec> standard_markets();

// Initial and maintenance margin of a notional, exactly, from a market's tiers (rules 2.2 and 5.4).
//
// Maintenance is continuous across tiers: MM(n) = ceil(n * mmr_k - ded_k), k the tier with
// lower_k < n <= lower_{k+1}, ded_k = ded_{k-1} + lower_k * (mmr_k - mmr_{k-1}). Rates may be fractions such as
// 1/3, so everything is kept over one common denominator and rounded once.
class MarginSchedule {
 public:
  // nullopt if the tiers break listing rule (L2) or their denominators are too large.
  [[nodiscard]] static std::optional<MarginSchedule> build(const MarketSpec& spec);

  // Notional is never negative. 128 bits, because valuations at an extreme mark need not fit 64.
  [[nodiscard]] i128 initial(i128 notional, std::int64_t leverage) const {
    return initial_of_part(notional, notional, leverage);
  }
  // The margin of a part of an order, at the rate of the whole order's tier.
  [[nodiscard]] i128 initial_of_part(i128 part, i128 whole, std::int64_t leverage) const {
    // In the first tier the leverage determines the margin, up to the tier's own ceiling.
    if (whole > first_bound_ || leverage > first_ceiling_) return initial_in_tiers(part, whole, leverage);
    const auto l = static_cast<std::uint64_t>(leverage);
    return static_cast<i128>((static_cast<std::uint64_t>(part) + l - 1) / l);
  }
  [[nodiscard]] i128 maintenance(i128 notional) const {
    if (notional > first_maintained_) return maintenance_in_tiers(notional);
    const std::uint64_t product = static_cast<std::uint64_t>(notional) * static_cast<std::uint64_t>(first_slope_);
    const auto denominator = static_cast<std::uint64_t>(denominator_);
    return static_cast<i128>((product + denominator - 1) / denominator);
  }

  // The exact line of a tier, for solving equations: MM(n) = ceil((n * slope - offset) / denominator).
  struct Line {
    i128 lower_notional;
    std::int64_t imr_num, imr_den;
    std::int64_t slope;
    i128 offset;
  };
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
  [[nodiscard]] std::int64_t denominator() const { return denominator_; }

 private:
  [[nodiscard]] const Line& line_of(i128 notional) const;
  [[nodiscard]] i128 initial_in_tiers(i128 part, i128 whole, std::int64_t leverage) const;
  [[nodiscard]] i128 maintenance_in_tiers(i128 notional) const;

  std::vector<Line> lines_;
  std::int64_t denominator_ = 1;
  i128 first_bound_ = 0;            // the first tier's upper bound, capped to 64 bits
  std::int64_t first_ceiling_ = 0;  // floor(1 / imr) of the first tier
  std::int64_t first_slope_ = 0;
  std::int64_t first_maintained_ = 0;  // up to here notional times the first tier's slope fits 64 bits
};

}  // namespace svc::engine
