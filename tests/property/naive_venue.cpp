#include "naive_venue.h"

#include <algorithm>

#include "base/limits.h"

namespace svc::engine::naive {
namespace {

i128 median(std::vector<i128> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

NaiveVenue::NaiveVenue(const std::vector<MarketSpec>& specs) {
  for (const MarketSpec& spec : specs) {
    NaiveMarket market;
    market.spec = spec;
    market.unit = quote_unit(spec);
    market.tick_unit = tick_unit(spec);
    markets.push_back(market);
  }
}

NaiveAccount& NaiveVenue::account(const Address& who) {
  NaiveAccount& found = accounts[who];
  found.positions.resize(markets.size());
  return found;
}

Reject NaiveVenue::apply(const Command& command) {
  now_ms = std::max(now_ms, command.now_ms);
  ends.clear();
  adl_events.clear();
  std::vector<NaiveOrder> expiring;
  for (const NaiveOrder& order : orders) {
    if (order.params.expires_at_ms != 0 && order.params.expires_at_ms <= now_ms) expiring.push_back(order);
  }
  for (const NaiveOrder& order : expiring) end(order.id, OrderStatus::expired, CancelReason::expired);
  const Reject reject = std::visit([this](const auto& body) { return run(body); }, command.body);
  liquidate_all();
  return reject;
}

Reject NaiveVenue::run(const Deposit& c) {
  if (c.amount <= Usdx{}) return Reject::invalid_amount;
  const bool returns = c.kind == FundsKind::withdrawal_reversal;
  if (deposits + c.amount.value > (returns ? limits::funds_with_reversals_max : limits::funds_venue_max))
    return Reject::funds_limit_exceeded;
  account(c.account).balance += c.amount.value;
  deposits += c.amount.value;
  return Reject::none;
}

Reject NaiveVenue::run(const Withdraw& c) {
  account(c.account);
  if (c.amount <= Usdx{}) return Reject::invalid_amount;
  for (std::size_t m = 0; m < markets.size(); ++m) {
    if (markets[m].status == MarketStatus::halted && position(c.account, m).size != 0) return Reject::market_halted;
  }
  if (in_liquidation(c.account)) return Reject::account_in_liquidation;
  if (c.amount.value > available(c.account)) return Reject::insufficient_balance;
  account(c.account).balance -= c.amount.value;
  deposits -= c.amount.value;
  return Reject::none;
}

Reject NaiveVenue::run(const Transfer& c) {
  account(c.from);
  if (c.from == c.to || c.amount <= Usdx{}) return Reject::invalid_amount;
  for (std::size_t m = 0; m < markets.size(); ++m) {
    if (position(c.from, m).size != 0) return Reject::account_not_flat;
  }
  for (const NaiveOrder& order : orders) {
    if (order.account == c.from) return Reject::account_not_flat;
  }
  if (c.amount.value > available(c.from)) return Reject::insufficient_balance;
  account(c.from).balance -= c.amount.value;
  account(c.to).balance += c.amount.value;
  return Reject::none;
}

Reject NaiveVenue::run(const FundInsurance& c) {
  if (c.amount <= Usdx{}) return Reject::invalid_amount;
  if (deposits + c.amount.value > limits::funds_venue_max) return Reject::funds_limit_exceeded;
  insurance += c.amount.value;
  deposits += c.amount.value;
  return Reject::none;
}

Reject NaiveVenue::run(const SetLeverage& c) {
  account(c.account);
  const std::size_t m = c.market.value;
  if (c.leverage < 1 || c.leverage > leverage_ceiling(markets[m].spec)) return Reject::invalid_leverage;
  const std::int64_t effective = leverage(c.account, m);
  const std::int64_t before = std::exchange(position(c.account, m).leverage, c.leverage);
  if (c.leverage < effective && available(c.account) < 0) {
    position(c.account, m).leverage = before;
    return Reject::insufficient_margin;
  }
  return Reject::none;
}

Reject NaiveVenue::run(const SetMarginMode& c) {
  account(c.account);
  const std::size_t m = c.market.value;
  NaivePosition& p = position(c.account, m);
  if (p.mode == c.mode) return Reject::none;
  const bool open = std::any_of(orders.begin(), orders.end(), [&](const NaiveOrder& order) {
    return order.account == c.account && order.market() == m;
  });
  if (p.size != 0 || open) return Reject::margin_mode_locked;
  p.mode = c.mode;
  return Reject::none;
}

Reject NaiveVenue::run(const AdjustMargin& c) {
  account(c.account);
  const std::size_t m = c.market.value;
  NaivePosition& p = position(c.account, m);
  if (c.amount <= Usdx{}) return Reject::invalid_amount;
  if (p.size == 0) return Reject::no_open_position;
  if (p.mode != MarginMode::isolated) return Reject::margin_mode_not_isolated;
  if (c.direction == MarginDirection::add) {
    if (c.amount.value > available(c.account)) return Reject::insufficient_balance;
    account(c.account).balance -= c.amount.value;
    p.isolated += c.amount.value;
    return Reject::none;
  }
  if (markets[m].status == MarketStatus::halted) return Reject::market_halted;
  if (c.amount.value > p.isolated) return Reject::insufficient_margin;
  const i128 notional = value(m, markets[m].mark, std::abs(p.size));
  const Rational& rate = markets[m].spec.withdrawal_floor_rate;
  const i128 floor = std::max(position_im(c.account, m), div_round(notional * rate.num, rate.den, Rounding::up));
  if (equity({c.account, static_cast<int>(m)}) - c.amount.value < floor) return Reject::insufficient_margin;
  account(c.account).balance += c.amount.value;
  p.isolated -= c.amount.value;
  return Reject::none;
}

Reject NaiveVenue::run(const OracleTick& c) {
  for (const OracleTick::Price& price : c.prices) {
    NaiveMarket& market = markets[price.market.value];
    if (!market.active()) continue;
    const std::int64_t index = price.index.value;
    const auto bids = queue(price.market.value, Side::buy);
    const auto asks = queue(price.market.value, Side::sell);
    const bool two_sided = !bids.empty() && !asks.empty();
    if (two_sided && market.index != 0) {
      const i128 x = (static_cast<i128>(bids.front().price + asks.front().price) - 2 * index) * market.tick_unit / 2;
      const i128 dt = now_ms - market.oracle_ms;
      market.basis += narrow((x - market.basis) * dt / (market.spec.basis_tau_ms + dt));
    }
    if (price.mark) market.mode = PriceMode::manual;
    if (price.mark) {
      market.mark = price.mark->value;
    } else if (market.mode != PriceMode::median) {
      market.mark = index;
    } else {
      const i128 unit = market.tick_unit;
      const i128 basis_price = index * unit + market.basis;
      i128 fair = basis_price;
      if (two_sided && market.last_ordinary != 0) {
        const i128 book = median({bids.front().price, asks.front().price, market.last_ordinary}) * unit;
        fair = median({index * unit, basis_price, book});
      }
      const Rational& band = market.spec.mark_band;
      const i128 scaled =
          std::clamp(fair * band.den, index * unit * (band.den - band.num), index * unit * (band.den + band.num));
      market.mark = narrow(
          std::clamp<i128>(div_round(scaled, band.den * unit, Rounding::half_up), 1, market.spec.price_max.value));
    }
    market.index = index;
    market.oracle_ms = now_ms;
  }
  liquidate_all();

  std::vector<NaiveOrder> hit;
  for (NaiveOrder& order : orders) {
    const bool named = std::any_of(c.prices.begin(), c.prices.end(), [&](const OracleTick::Price& price) {
      return price.market.value == order.market();
    });
    if (!order.waiting || !named || !markets[order.market()].active()) continue;
    const i128 mark = markets[order.market()].mark;
    const bool sells = order.params.side == Side::sell;
    bool fires;
    if (is_trailing(order.params.type)) {
      order.anchor = sells ? std::max(order.anchor, narrow(mark)) : std::min(order.anchor, narrow(mark));
      const i128 offset = *order.params.trailing_offset_bps;
      fires =
          sells ? mark * 10'000 <= order.anchor * (10'000 - offset) : mark * 10'000 >= order.anchor * (10'000 + offset);
    } else {
      const i128 trigger = order.params.trigger.value.value;
      fires = is_stop(order.params.type) == sells ? mark <= trigger : mark >= trigger;
    }
    if (fires) hit.push_back(order);
  }
  std::sort(hit.begin(), hit.end(), [](const NaiveOrder& a, const NaiveOrder& b) { return a.priority < b.priority; });
  for (const NaiveOrder& order : hit) {
    if (find(order.id) == nullptr || !markets[order.market()].active()) continue;
    fire(order.id);
    liquidate_all();
  }
  return Reject::none;
}

Reject NaiveVenue::run(const SetPriceMode& c) {
  markets[c.market.value].mode = c.mode;
  return Reject::none;
}

Reject NaiveVenue::run(const SampleFunding&) {
  for (std::size_t m = 0; m < markets.size(); ++m) {
    NaiveMarket& market = markets[m];
    if (!market.active() || market.index == 0) continue;
    i128 premium = 0;
    for (const Side side : {Side::buy, Side::sell}) {
      // Average price of trading the impact notional: notional / (lots + the part of a lot that is left to buy).
      i128 left = market.spec.impact_notional.value;
      i128 num = 0;  // lots, as a fraction over den
      i128 den = 1;
      for (const NaiveOrder& order : queue(m, side)) {
        const i128 worth = value(m, order.price, order.remaining());
        if (worth >= left) {
          const i128 per_lot = static_cast<i128>(order.price) * market.unit;
          num = num * per_lot + left;
          den = per_lot;
          left = 0;
          break;
        }
        num += order.remaining();
        left -= worth;
      }
      if (left > 0 || !market.traded) continue;
      const i128 paid = static_cast<i128>(market.spec.impact_notional.value) * den;  // per num lots
      const i128 at_index = num * market.index * market.unit;
      if (side == Side::buy && paid > at_index) premium += (paid - at_index) * ppb_one / at_index;
      if (side == Side::sell && paid < at_index) premium -= (at_index - paid) * ppb_one / at_index;
    }
    market.premium_sum += narrow(premium);
    market.premium_samples += 1;
  }
  return Reject::none;
}

Reject NaiveVenue::run(const SettleFunding&) {
  for (std::size_t m = 0; m < markets.size(); ++m) {
    NaiveMarket& market = markets[m];
    if (!market.active() || market.index == 0) continue;
    const MarketSpec& spec = market.spec;
    const std::int64_t average =
        market.premium_sum / std::max(market.premium_samples, spec.funding_interval_ms / spec.funding_sample_ms);
    const std::int64_t d = spec.funding_clamp.value;
    const std::int64_t eight = average + std::clamp(spec.funding_base_rate.value - average, -d, d);
    const std::int64_t cap =
        narrow(static_cast<i128>(spec.funding_rate_cap.value) * spec.funding_interval_ms / hour_ms);
    const std::int64_t rate =
        std::clamp(narrow(static_cast<i128>(eight) * spec.funding_interval_ms / (8 * hour_ms)), -cap, cap);
    market.premium_sum = market.premium_samples = 0;
    run(InjectFunding{{static_cast<std::uint16_t>(m)}, {rate}, {market.index}});
  }
  return Reject::none;
}

Reject NaiveVenue::run(const InjectFunding& c) {
  const std::size_t m = c.market.value;
  if (!markets[m].active()) return Reject::none;
  for (auto& [who, held] : accounts) {
    NaivePosition& p = held.positions[m];
    const i128 owed = value(m, c.index.value, p.size) * c.rate.value;
    const std::int64_t paid = narrow(owed >= 0 ? (owed + ppb_one - 1) / ppb_one : -(-owed / ppb_one));
    (p.mode == MarginMode::isolated ? p.isolated : held.balance) -= paid;
    p.funding -= paid;
    insurance += paid;
  }
  return Reject::none;
}

Reject NaiveVenue::run(const PassTime&) {
  return Reject::none;
}

Reject NaiveVenue::run(const HaltMarket& c) {
  if (!markets[c.market.value].active()) return Reject::market_halted;
  halt(c.market.value);
  return Reject::none;
}

}  // namespace svc::engine::naive
