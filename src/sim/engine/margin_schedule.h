// Initial and maintenance margin of a notional, exactly, from a market's tiers (rules 2.2 and 5.4).
//
// Maintenance is continuous across tiers: MM(n) = ceil(n * mmr_k - ded_k), k the tier with
// lower_k < n <= lower_{k+1}, ded_k = ded_{k-1} + lower_k * (mmr_k - mmr_{k-1}). Rates may be fractions such as
// 1/3, so everything is kept over one common denominator and rounded once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/fixed.h"
#include "sim/engine/market_spec.h"

namespace svc::engine {

class MarginSchedule {
 public:
  // nullopt if the tiers break listing rule (L2) or their denominators are too wild.
  [[nodiscard]] static std::optional<MarginSchedule> build(const MarketSpec& spec);

  // Notional is never negative. 128 bits, because valuations at a wild mark need not fit 64.
  [[nodiscard]] i128 initial(i128 notional, std::int64_t leverage) const {
    // In the first tier it is the leverage that binds, as long as the tier allows it.
    if (notional > first_bound_ || leverage > first_ceiling_) return initial_in_tiers(notional, leverage);
    const auto l = static_cast<std::uint64_t>(leverage);
    return static_cast<i128>((static_cast<std::uint64_t>(notional) + l - 1) / l);
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
  [[nodiscard]] i128 initial_in_tiers(i128 notional, std::int64_t leverage) const;
  [[nodiscard]] i128 maintenance_in_tiers(i128 notional) const;

  std::vector<Line> lines_;
  std::int64_t denominator_ = 1;
  i128 first_bound_ = 0;            // the first tier's upper bound, as far as 64 bits go
  std::int64_t first_ceiling_ = 0;  // floor(1 / imr) of the first tier
  std::int64_t first_slope_ = 0;
  std::int64_t first_maintained_ = 0;  // as far as the first tier's products with its slope fit 64 bits
};

}  // namespace svc::engine
