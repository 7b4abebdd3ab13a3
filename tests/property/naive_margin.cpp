#include <algorithm>

#include "naive_venue.h"

namespace svc::engine::naive {
namespace {

i128 up(i128 n, i128 d) {
  return div_round(n, d, Rounding::up);
}

}  // namespace

i128 NaiveVenue::value(std::size_t market, std::int64_t price, std::int64_t lots) const {
  return static_cast<i128>(price) * lots * markets[market].unit;
}

i128 NaiveVenue::initial(std::size_t market, i128 part, i128 whole, std::int64_t leverage) const {
  Rational imr{};
  for (const MarginTier& tier : markets[market].spec.tiers) {
    if (whole > tier.lower_notional.value || tier.lower_notional == Usdx{}) imr = tier.imr;
  }
  return std::max(up(part, leverage), up(part * imr.num, imr.den));
}

// Tier by tier, each slice of the notional at its own rate, summed as one fraction.
i128 NaiveVenue::maintenance(std::size_t market, i128 notional) const {
  const auto& tiers = markets[market].spec.tiers;
  i128 num = 0;
  i128 den = 1;
  for (std::size_t k = 0; k < tiers.size(); ++k) {
    const i128 low = tiers[k].lower_notional.value;
    if (notional <= low) break;
    const bool last = k + 1 == tiers.size();
    const i128 high = last ? notional : std::min<i128>(notional, tiers[k + 1].lower_notional.value);
    num = num * tiers[k].mmr.den + (high - low) * tiers[k].mmr.num * den;
    den *= tiers[k].mmr.den;
  }
  return up(num, den);
}

i128 NaiveVenue::reservation(std::size_t market, std::int64_t leverage, std::int64_t price, std::int64_t part,
                             std::int64_t whole) const {
  const i128 quote = value(market, price, part);
  return initial(market, quote, value(market, price, whole), leverage) +
         up(quote * markets[market].spec.taker_fee.value, ppm_one);
}

std::int64_t NaiveVenue::leverage(const Address& who, std::size_t market) const {
  const std::int64_t set = position(who, market).leverage;
  return set != 0 ? set : leverage_ceiling(markets[market].spec);
}

i128 NaiveVenue::unrealized(const Address& who, std::size_t market) const {
  const NaivePosition& p = position(who, market);
  return value(market, markets[market].mark, p.size) - p.cost;
}

i128 NaiveVenue::position_mm(const Address& who, std::size_t market) const {
  return maintenance(market, value(market, markets[market].mark, std::abs(position(who, market).size)));
}

i128 NaiveVenue::position_im(const Address& who, std::size_t market) const {
  const i128 notional = value(market, markets[market].mark, std::abs(position(who, market).size));
  return initial(market, notional, notional, leverage(who, market));
}

i128 NaiveVenue::order_margin(const Address& who, std::size_t market) const {
  i128 sides[2] = {0, 0};
  for (const Side side : {Side::buy, Side::sell}) {
    const std::int64_t size = position(who, market).size;
    const bool opposed = side == Side::buy ? size < 0 : size > 0;
    std::int64_t exempt = opposed ? std::abs(size) : 0;
    for (const NaiveOrder& order : queue(market, side)) {
      if (order.account != who || order.params.reduce_only) continue;
      const std::int64_t offset = std::min(exempt, order.remaining());
      exempt -= offset;
      if (order.remaining() > offset) {
        sides[side == Side::sell] +=
            reservation(market, leverage(who, market), order.price, order.remaining() - offset, order.remaining());
      }
    }
  }
  return std::max(sides[0], sides[1]);
}

i128 NaiveVenue::available(const Address& who) const {
  i128 sum = accounts.at(who).balance;
  for (std::size_t m = 0; m < markets.size(); ++m) {
    if (position(who, m).mode == MarginMode::cross) sum += unrealized(who, m) - position_im(who, m);
    sum -= order_margin(who, m);
  }
  return sum;
}

bool NaiveVenue::belongs(const NaiveBucket& bucket, std::size_t market) const {
  const bool isolated = position(bucket.account, market).mode == MarginMode::isolated;
  return bucket.isolated < 0 ? !isolated : isolated && static_cast<std::size_t>(bucket.isolated) == market;
}

NaiveBucket NaiveVenue::bucket_of(const Address& who, std::size_t market) const {
  const bool isolated = position(who, market).mode == MarginMode::isolated;
  return {who, isolated ? static_cast<int>(market) : -1};
}

i128 NaiveVenue::equity(const NaiveBucket& bucket) const {
  i128 sum = bucket.isolated < 0 ? accounts.at(bucket.account).balance
                                 : position(bucket.account, static_cast<std::size_t>(bucket.isolated)).isolated;
  for (std::size_t m = 0; m < markets.size(); ++m) {
    if (belongs(bucket, m)) sum += unrealized(bucket.account, m);
  }
  return sum;
}

i128 NaiveVenue::maintenance(const NaiveBucket& bucket) const {
  i128 sum = 0;
  for (std::size_t m = 0; m < markets.size(); ++m) {
    if (belongs(bucket, m)) sum += position_mm(bucket.account, m);
  }
  return sum;
}

bool NaiveVenue::has_position(const NaiveBucket& bucket) const {
  for (std::size_t m = 0; m < markets.size(); ++m) {
    if (belongs(bucket, m) && position(bucket.account, m).size != 0) return true;
  }
  return false;
}

bool NaiveVenue::under_water(const NaiveBucket& bucket) const {
  return has_position(bucket) && equity(bucket) < maintenance(bucket);
}

std::vector<NaiveBucket> NaiveVenue::buckets(const Address& who) const {
  std::vector<NaiveBucket> found{{who, -1}};
  for (std::size_t m = 0; m < markets.size(); ++m) {
    if (position(who, m).mode == MarginMode::isolated) found.push_back({who, static_cast<int>(m)});
  }
  return found;
}

bool NaiveVenue::in_liquidation(const Address& who) const {
  const auto all = buckets(who);
  return std::any_of(all.begin(), all.end(), [this](const NaiveBucket& bucket) { return under_water(bucket); });
}

}  // namespace svc::engine::naive
