#include "sim/engine/margin_schedule.h"

#include <algorithm>
#include <numeric>

#include "base/limits.h"

namespace svc::engine {
namespace {

bool is_rate(const Rational& rate) {
  return rate.den > 0 && rate.den <= limits::margin_denominator_max && rate.num > 0 && rate.num <= rate.den;
}

bool at_most(const Rational& a, const Rational& b) {
  return static_cast<i128>(a.num) * b.den <= static_cast<i128>(b.num) * a.den;
}

// ceil(n / d) for n >= 0; 64-bit division when it suffices, which is several times faster.
i128 ceil_div(i128 n, std::int64_t d) {
  SVC_ASSERT(n >= 0 && d > 0);
  const auto divisor = static_cast<std::uint64_t>(d);
  if (n <= std::numeric_limits<std::int64_t>::max()) {
    const auto dividend = static_cast<std::uint64_t>(n);
    return static_cast<i128>((dividend + divisor - 1) / divisor);
  }
  return (n + d - 1) / d;
}

}  // namespace

std::optional<MarginSchedule> MarginSchedule::build(const MarketSpec& spec) {
  if (spec.tiers.empty() || spec.tiers.size() > limits::margin_tiers_max) return std::nullopt;
  if (spec.tiers.front().lower_notional != Usdx{}) return std::nullopt;

  MarginSchedule schedule;
  for (const MarginTier& tier : spec.tiers) {
    if (!is_rate(tier.imr) || !is_rate(tier.mmr) || !at_most(tier.mmr, tier.imr)) return std::nullopt;
    schedule.denominator_ = std::lcm(schedule.denominator_, tier.mmr.den);
    if (schedule.denominator_ > limits::margin_denominator_max) return std::nullopt;
  }
  const MarginTier* previous = nullptr;
  for (const MarginTier& tier : spec.tiers) {
    const std::int64_t slope = tier.mmr.num * (schedule.denominator_ / tier.mmr.den);
    i128 offset = 0;
    if (previous != nullptr) {
      if (tier.lower_notional <= previous->lower_notional || !at_most(previous->mmr, tier.mmr) ||
          !at_most(previous->imr, tier.imr)) {
        return std::nullopt;
      }
      const Line& below = schedule.lines_.back();
      offset = below.offset + static_cast<i128>(tier.lower_notional.value) * (slope - below.slope);
    }
    schedule.lines_.push_back({tier.lower_notional.value, tier.imr.num, tier.imr.den, slope, offset});
    previous = &tier;
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

i128 MarginSchedule::initial_in_tiers(i128 notional, std::int64_t leverage) const {
  const Line& line = line_of(notional);
  // max(1 / leverage, imr): the larger fraction, compared without dividing.
  const bool tier_binds = static_cast<i128>(line.imr_num) * leverage > line.imr_den;
  return tier_binds ? ceil_div(notional * line.imr_num, line.imr_den) : ceil_div(notional, leverage);
}

i128 MarginSchedule::maintenance_in_tiers(i128 notional) const {
  const Line& line = line_of(notional);
  return ceil_div(notional * line.slope - line.offset, denominator_);
}

}  // namespace svc::engine
