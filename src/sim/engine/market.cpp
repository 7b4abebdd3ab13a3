#include "sim/engine/market.h"

namespace svc::engine {

Ticks Market::band_limit(Side side) const {
  const Rational& band = spec.price_band;
  const i128 width = side == Side::buy ? static_cast<i128>(band.den) + band.num : static_cast<i128>(band.den) - band.num;
  const Rounding tighter = side == Side::buy ? Rounding::down : Rounding::up;
  return {narrow(div_round(mark.value * width, band.den, tighter))};
}

}  // namespace svc::engine
