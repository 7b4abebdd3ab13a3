// What a market is: its grid, its limits, its margin tiers and its fees. Constant while the market lives.
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
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/decimal.h"
#include "base/fixed.h"
#include "base/result.h"
#include "sim/engine/rational.h"

namespace svc::engine {

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

// 1e-6 USDX per tick. Requires a listed market.
[[nodiscard]] std::int64_t tick_unit(const MarketSpec& spec);

// Highest leverage an account may set: min(max_leverage, floor(1 / imr of tier 0)).
[[nodiscard]] std::int64_t leverage_ceiling(const MarketSpec& spec);

// How a decimal from outside sits on a market's grid. What is off the grid travels into the engine, because
// it is refused in the engine's order of checks (rules 1.4 and 3.16).
enum class Grid : std::uint8_t { absent, on, off, beyond };  // beyond: too large for any market

template <class Unit>
struct Measured {
  Unit value{};  // off the grid: what lies below it there
  Grid grid = Grid::absent;
  bool operator==(const Measured&) const = default;
};
using MeasuredPrice = Measured<Ticks>;
using MeasuredLots = Measured<Lots>;

[[nodiscard]] MeasuredPrice measure_price(const MarketSpec& spec, const Decimal& price);
[[nodiscard]] MeasuredLots measure_lots(const MarketSpec& spec, const Decimal& quantity);

// Decimal text of a price and of a quantity.
[[nodiscard]] std::string format_price(const MarketSpec& spec, Ticks price);
[[nodiscard]] std::string format_lots(const MarketSpec& spec, Lots quantity);

// The three markets of the sandbox: BTC-, ETH- and SOL-USDX-PERP.
[[nodiscard]] std::vector<MarketSpec> standard_markets();

}  // namespace svc::engine
