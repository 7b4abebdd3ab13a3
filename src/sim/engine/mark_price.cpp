#include "sim/engine/mark_price.h"

#include <algorithm>

#include "sim/engine/margin.h"

namespace svc::engine {
namespace {

template <class T>
T median(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

void update_basis(Market& market, Ticks index, TimestampMs now_ms) {
  const auto bid = market.book.best(Side::buy);
  const auto ask = market.book.best(Side::sell);
  if (!bid || !ask || market.index_price == Ticks{}) return;
  const std::int64_t twice_mid = (bid->value + ask->value) * market.tick_unit;
  const std::int64_t x = (twice_mid - 2 * index.value * market.tick_unit) / 2;
  market.basis = basis_step(market.basis, x, now_ms - market.oracle_ms, market.spec.basis_tau_ms);
}

Ticks median_mark(const Market& market, Ticks index) {
  const std::int64_t index_price = index.value * market.tick_unit;
  const std::int64_t with_basis = index_price + market.basis;
  std::int64_t price = with_basis;
  const auto bid = market.book.best(Side::buy);
  const auto ask = market.book.best(Side::sell);
  if (bid && ask && market.last_ordinary != Ticks{}) {
    const std::int64_t book = median(bid->value, ask->value, market.last_ordinary.value) * market.tick_unit;
    price = median(index_price, with_basis, book);
  }
  // Clamped to index * (1 +- band), with the band's denominator kept until the single rounding to a tick.
  const Rational& band = market.spec.mark_band;
  const i128 low = static_cast<i128>(index_price) * (band.den - band.num);
  const i128 high = static_cast<i128>(index_price) * (band.den + band.num);
  const i128 clamped = std::clamp(static_cast<i128>(price) * band.den, low, high);
  const std::int64_t ticks =
      narrow(div_round(clamped, static_cast<i128>(band.den) * market.tick_unit, Rounding::half_up));
  return {std::clamp(ticks, std::int64_t{1}, market.spec.price_max.value)};
}

Ticks mark_of(const Market& market, Ticks index) {
  switch (market.price_mode) {
    case PriceMode::median: return median_mark(market, index);
    case PriceMode::index_only:
    case PriceMode::manual: return index;
  }
  SVC_ASSERT(false);
}

Reject check(const State& state, const OracleTick& tick) {
  for (std::size_t i = 0; i < tick.prices.size(); ++i) {
    const OracleTick::Price& price = tick.prices[i];
    if (price.market.value >= state.markets.size()) return Reject::unknown_market;
    const auto in_range = [&](Ticks ticks) {
      return ticks > Ticks{} && ticks <= state.market(price.market).spec.price_max;
    };
    if (!in_range(price.index) || (price.mark && !in_range(*price.mark))) return Reject::invalid_price;
    for (std::size_t j = 0; j < i; ++j) {
      if (tick.prices[j].market == price.market) return Reject::duplicate_market;
    }
  }
  return Reject::none;
}

}  // namespace

std::int64_t basis_step(std::int64_t basis, std::int64_t x, std::int64_t dt_ms, std::int64_t tau_ms) {
  return basis + mul_div(x - basis, dt_ms, tau_ms + dt_ms, Rounding::toward_zero);
}

Reject apply_prices(Step& step, const OracleTick& tick) {
  State& state = step.state;
  if (const Reject reject = check(state, tick); reject != Reject::none) return reject;
  for (const OracleTick::Price& price : tick.prices) {
    Market& market = state.market(price.market);
    if (!market.active()) continue;
    update_basis(market, price.index, state.now_ms);
    if (price.mark) market.price_mode = PriceMode::manual;
    market.set_mark(price.mark ? *price.mark : mark_of(market, price.index));
    market.index_price = price.index;
    market.oracle_ms = state.now_ms;
    for (Account& account : state.accounts) revalue(market, account);
    step.touch_everyone();
    step.emit(MarkChanged{
        .market = price.market, .index = market.index_price, .mark = market.mark, .mode = market.price_mode});
  }
  return Reject::none;
}

Reject set_price_mode(Step& step, const SetPriceMode& command) {
  if (command.market.value >= step.state.markets.size()) return Reject::unknown_market;
  Market& market = step.state.market(command.market);
  market.price_mode = command.mode;
  step.emit(MarkChanged{
      .market = command.market, .index = market.index_price, .mark = market.mark, .mode = market.price_mode});
  return Reject::none;
}

}  // namespace svc::engine
