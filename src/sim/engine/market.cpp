#include "sim/engine/market.h"

namespace svc::engine {

void Market::set_mark(Ticks price) {
  const Rational& band = spec.price_band;
  const auto around = [&](std::int64_t width, Rounding tighter) {
    return Ticks{narrow(div_round(static_cast<i128>(price.value) * width, band.den, tighter))};
  };
  mark = price;
  highest_buy = around(band.den + band.num, Rounding::down);
  lowest_sell = around(band.den - band.num, Rounding::up);
}

}  // namespace svc::engine
