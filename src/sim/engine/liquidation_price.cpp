#include "sim/engine/liquidation_price.h"

namespace svc::engine {
namespace {

// The notional at which equity meets maintenance on one tier's line, as a fraction:
//   long:  n - V + C = (n * slope - offset) / den      short:  V + C - n = (n * slope - offset) / den
struct Crossing {
  i128 num;
  i128 den;  // 0: the lines never meet
};

Crossing crossing(const MarginSchedule::Line& line, std::int64_t den, bool is_long, i128 value, i128 collateral) {
  if (is_long) return {(value - collateral) * den - line.offset, static_cast<i128>(den) - line.slope};
  return {(value + collateral) * den + line.offset, static_cast<i128>(den) + line.slope};
}

}  // namespace

std::optional<Ticks> liquidation_price(const Market& market, const Exposure& exposure, i128 collateral) {
  if (exposure.size == Lots{}) return std::nullopt;
  const bool is_long = exposure.size > Lots{};
  const i128 value = is_long ? exposure.cost.value : -static_cast<i128>(exposure.cost.value);
  const auto& lines = market.schedule.lines();
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const Crossing n = crossing(lines[k], market.schedule.denominator(), is_long, value, collateral);
    if (n.den == 0 || n.num <= 0) continue;
    const bool above = n.num > lines[k].lower_notional * n.den;
    const bool below = k + 1 == lines.size() || n.num <= lines[k + 1].lower_notional * n.den;
    if (!above || !below) continue;
    const i128 per_tick = n.den * magnitude(exposure.size).value * market.unit;
    const i128 ticks = div_round(n.num, per_tick, is_long ? Rounding::up : Rounding::down);
    if (ticks <= 0) return std::nullopt;
    if (ticks > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return Ticks{narrow(ticks)};
  }
  return std::nullopt;
}

}  // namespace svc::engine
