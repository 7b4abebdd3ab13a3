#include "sim/engine/funding.h"

#include <algorithm>
#include <optional>

namespace svc::engine {
namespace {

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

void pay(Step& step, Market& market, Ticks index, Ppb rate) {
  State& state = step.state;
  Usdx dust{};
  for (std::uint32_t i = 0; i < state.accounts.size(); ++i) {
    const AccountIndex account{i};
    Holding& holding = state.holding(account, market.index);
    Position& position = holding.position;
    if (position.size == Lots{} || rate == Ppb{}) continue;
    // A long pays a positive rate: round up if paid, down if received.
    const i128 owed = market.value(index, position.size) * rate.value;
    const Usdx amount{-narrow(div_round(owed, ppb_one, Rounding::up))};
    dust -= amount;
    position.life.funding += amount;
    position.episode.funding += amount;
    if (holding.mode == MarginMode::isolated) position.isolated += amount;
    step.emit(FundingPaid{.account = state.account(account).address,
                          .market = market.index,
                          .amount = amount,
                          .rate = rate,
                          .position = position.size});
    step.report_position(account, market, PositionCause::funding);
    if (holding.mode == MarginMode::cross) step.add_balance(account, amount, BalanceCause::funding);
  }
  step.add_insurance(dust, FundCause::funding_dust, {}, market.index);
  step.touch_everyone();
}

}  // namespace

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

void sample_funding(Step& step) {
  for (Market& market : step.state.markets) {
    if (!market.active() || market.index_price == Ticks{}) continue;
    const Ppb premium = premium_of(market);
    market.premium_sum += premium.value;
    market.premium_samples += 1;
    step.emit(FundingSampled{.market = market.index, .premium = premium});
  }
}

void settle_funding(Step& step) {
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
}

Reject inject_funding(Step& step, const InjectFunding& command) {
  if (command.market.value >= step.state.markets.size()) return Reject::unknown_market;
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
