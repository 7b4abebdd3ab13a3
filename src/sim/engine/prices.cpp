#include "sim/engine/prices.h"

#include <algorithm>

#include "sim/engine/liquidation.h"
#include "sim/engine/order_entry.h"

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
  return market.price_mode == PriceMode::median ? median_mark(market, index) : index;
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

// Average price, in ticks, of trading the impact notional against a side: num / den. nullopt if it is too thin.
struct ImpactPrice {
  i128 num;
  i128 den;
};

std::optional<ImpactPrice> impact_price(const Market& market, Side side) {
  const i128 wanted = market.spec.impact_notional.value;
  i128 quote = 0;
  i128 lots = 0;
  for (auto price = market.book.best(side); price; price = market.book.worse(side, *price)) {
    const Level& level = market.book.level(*price);
    const i128 here = market.value(*price, {level.lots});
    if (quote + here >= wanted) {
      // The last level is used in part: lots + (wanted - quote) / (price * unit) in all.
      const i128 per_lot = static_cast<i128>(price->value) * market.unit;
      return ImpactPrice{wanted * price->value, lots * per_lot + (wanted - quote)};
    }
    quote += here;
    lots += level.lots;
  }
  return std::nullopt;
}

// (max(0, IB - I) - max(0, I - IA)) / I, truncated to 1e-9; a side too thin for the impact notional counts as 0.
Ppb premium_of(const Market& market) {
  if (market.trade_count == 0) return {};
  // IB <= IA, so at most one of the two terms is not zero.
  const i128 index = market.index_price.value;
  if (const auto bid = impact_price(market, Side::buy)) {
    const i128 above = bid->num - bid->den * index;
    if (above > 0) return {narrow(div_round(above * ppb_one, bid->den * index, Rounding::toward_zero))};
  }
  if (const auto ask = impact_price(market, Side::sell)) {
    const i128 below = ask->num - ask->den * index;
    if (below < 0) return {narrow(div_round(below * ppb_one, ask->den * index, Rounding::toward_zero))};
  }
  return {};
}

void pay(Step& step, Market& market, Ticks index, Ppb rate) {
  State& state = step.state;
  if (rate == Ppb{}) return;
  Usdx dust{};
  market.holders.each([&](AccountIndex account) {
    Holding& holding = state.holding(account, market.index);
    Position& position = holding.position;
    const Usdx amount = funding_of(market.value(index, position.size), rate);
    dust -= amount;
    position.life.funding += amount.value;
    position.episode.funding += amount.value;
    if (holding.mode == MarginMode::isolated) position.isolated += amount;
    step.emit(FundingPaid{.account = state.account(account).address,
                          .market = market.index,
                          .amount = amount,
                          .rate = rate,
                          .position = position.size});
    step.report_position(account, market, PositionCause::funding);
    if (holding.mode == MarginMode::cross) step.add_balance(account, amount, BalanceCause::funding);
    step.touch_health(account);
  });
  step.add_insurance(dust, FundCause::funding_dust, {}, market.index);
}

}  // namespace

std::int64_t basis_step(std::int64_t basis, std::int64_t x, std::int64_t dt_ms, std::int64_t tau_ms) {
  return basis + mul_div(x - basis, dt_ms, tau_ms + dt_ms, Rounding::toward_zero);
}

// All prices first, then liquidations, then triggers: a bucket under water must not race its own stops.
Reject perform(Step& step, const OracleTick& tick) {
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
    market.holders.each([&](AccountIndex account) {
      revalue(market, state.holding(account, market.index));
      step.touch_health(account);
    });
    step.emit(MarkChanged{
        .market = price.market, .index = market.index_price, .mark = market.mark, .mode = market.price_mode});
  }
  run_liquidations(step);
  fire_triggers(step, tick);
  return Reject::none;
}

Reject perform(Step& step, const SetPriceMode& command) {
  Market& market = step.state.market(command.market);
  market.price_mode = command.mode;
  step.emit(MarkChanged{
      .market = command.market, .index = market.index_price, .mark = market.mark, .mode = market.price_mode});
  return Reject::none;
}

FundingRate funding_rate(const MarketSpec& spec, std::int64_t premium_sum, std::int64_t samples) {
  // Missing samples count as zero premium.
  const std::int64_t expected = spec.funding_interval_ms / spec.funding_sample_ms;
  const std::int64_t average = narrow(div_round(premium_sum, std::max(samples, expected), Rounding::toward_zero));
  const std::int64_t clamp = spec.funding_clamp.value;
  const std::int64_t eight_hours = average + std::clamp(spec.funding_base_rate.value - average, -clamp, clamp);
  const std::int64_t rate = mul_div(eight_hours, spec.funding_interval_ms, 8 * hour_ms, Rounding::toward_zero);
  const std::int64_t cap =
      mul_div(spec.funding_rate_cap.value, spec.funding_interval_ms, hour_ms, Rounding::toward_zero);
  return {{average}, {std::clamp(rate, -cap, cap)}};
}

Reject perform(Step& step, const SampleFunding&) {
  for (Market& market : step.state.markets) {
    if (!market.active() || market.index_price == Ticks{}) continue;
    const Ppb premium = premium_of(market);
    market.premium_sum = std::clamp(market.premium_sum + premium.value, -premium_sum_max, premium_sum_max);
    market.premium_samples += 1;
    step.emit(FundingSampled{.market = market.index, .premium = premium});
  }
  return Reject::none;
}

Reject perform(Step& step, const SettleFunding&) {
  for (Market& market : step.state.markets) {
    if (!market.active() || market.index_price == Ticks{}) continue;
    const FundingRate settled = funding_rate(market.spec, market.premium_sum, market.premium_samples);
    market.premium_sum = market.premium_samples = 0;
    step.emit(FundingSettled{.market = market.index,
                             .rate = settled.rate,
                             .average_premium = settled.average_premium,
                             .index = market.index_price,
                             .mark = market.mark});
    pay(step, market, market.index_price, settled.rate);
  }
  return Reject::none;
}

Reject perform(Step& step, const InjectFunding& command) {
  Market& market = step.state.market(command.market);
  // A position pays no more than it is worth.
  if (command.rate.value < -ppb_one || command.rate.value > ppb_one) return Reject::invalid_amount;
  if (command.index <= Ticks{} || command.index > market.spec.price_max) return Reject::invalid_price;
  if (!market.active()) return Reject::none;  // a halted market pays nothing, without error (rule 9.7)
  step.emit(FundingSettled{.market = market.index, .rate = command.rate, .index = command.index, .mark = market.mark});
  pay(step, market, command.index, command.rate);
  return Reject::none;
}

}  // namespace svc::engine
