// Drills: named, always identical sequences of a bad day. Index moves are glides of the price's logarithm;
// everything else is a set of market conditions, by the time since the drill began. (D-396)
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/decimal.h"

namespace svc::sim {

// Market conditions during a drill: how much makers quote, at which distance, and who takes part.
struct MarketConditions {
  std::int64_t maker_size_ppm = ppm_one;
  std::int64_t maker_width_ppm = ppm_one;
  std::int64_t fair_shift_ppb = 0;  // makers place the fair price this far above the index
  std::int64_t taker_rate_ppm = ppm_one;
  std::int64_t volatility_ppm = ppm_one;
  bool speculators = true;  // momentum, value, arbitrage, retail, noise, meta-orders
  bool quotes = true;       // false: nobody quotes
  bool oracle = true;       // false: no index prices
};

// The index of a market (its place in the list; all if nullopt) moves by this much of its logarithm.
struct Glide {
  std::optional<std::size_t> market;
  std::int64_t begin_ms = 0;  // since the drill began
  std::int64_t over_ms = 0;   // 0: at once
  std::int64_t log_ppb = 0;
};

struct Drill {
  std::string_view name;
  std::string_view summary;
  std::int64_t lasts_ms = 0;
  std::span<const Glide> glides{};
  MarketConditions conditions{};
  std::int64_t conditions_last_ms = 0;  // since the drill began; 0: until its end
  bool has_cast = false;                // has accounts of its own (flow.cpp)

  [[nodiscard]] MarketConditions conditions_at(std::int64_t elapsed_ms) const {
    return conditions_last_ms == 0 || elapsed_ms < conditions_last_ms ? conditions : MarketConditions{};
  }
};

[[nodiscard]] std::span<const Drill> drills();
[[nodiscard]] const Drill* find_drill(std::string_view name);
// "flash-crash, two-market-gap, ..."
[[nodiscard]] std::string drill_list();

}  // namespace svc::sim
