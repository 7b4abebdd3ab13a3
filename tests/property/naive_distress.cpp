#include <algorithm>

#include "naive_venue.h"

namespace svc::engine::naive {
namespace {

i128 floor_div(i128 n, i128 d) {
  return div_round(n, d, Rounding::down);
}

bool below(const Rational& fraction, i128 equity, i128 maintenance) {
  return equity * fraction.den < maintenance * fraction.num;
}

}  // namespace

std::vector<std::size_t> NaiveVenue::open_markets(const NaiveBucket& bucket) const {
  std::vector<std::size_t> found;
  for (std::size_t m = 0; m < markets.size(); ++m) {
    if (markets[m].active() && belongs(bucket, m) && position(bucket.account, m).size != 0) found.push_back(m);
  }
  std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
    const i128 left = position_mm(bucket.account, a);
    const i128 right = position_mm(bucket.account, b);
    return left != right ? left > right : markets[a].spec.id < markets[b].spec.id;
  });
  return found;
}

void NaiveVenue::liquidate_all() {
  for (bool progress = true; progress;) {
    progress = false;
    std::vector<NaiveBucket> sick;
    for (const auto& [who, held] : accounts) {
      for (const NaiveBucket& bucket : buckets(who)) {
        if (under_water(bucket)) {
          sick.push_back(bucket);
          continue;
        }
        for (std::size_t m = 0; m < markets.size(); ++m) {
          if (!belongs(bucket, m)) continue;
          position(who, m).partly_liquidated = false;
          position(who, m).cooldown_until_ms = 0;
        }
      }
    }
    std::stable_sort(sick.begin(), sick.end(), [&](const NaiveBucket& a, const NaiveBucket& b) {
      const i128 left = equity(a) * maintenance(b);
      const i128 right = equity(b) * maintenance(a);
      return left != right ? left < right : a < b;
    });
    for (const NaiveBucket& bucket : sick) {
      if (under_water(bucket) && liquidate(bucket)) progress = true;
    }
  }
}

bool NaiveVenue::liquidate(const NaiveBucket& bucket) {
  bool progress = false;
  const std::vector<NaiveOrder> all = orders;
  for (const NaiveOrder& order : all) {
    if (order.account != bucket.account || !belongs(bucket, order.market())) continue;
    end(order.id, OrderStatus::cancelled, CancelReason::liquidation);
    progress = true;
  }
  for (const std::size_t m : open_markets(bucket)) {
    if (!under_water(bucket) || equity(bucket) < 0) continue;
    const MarketSpec& spec = markets[m].spec;
    NaivePosition& p = position(bucket.account, m);
    std::int64_t wanted = std::abs(p.size);
    if (!p.partly_liquidated && value(m, markets[m].mark, wanted) > spec.partial_threshold.value) {
      p.partly_liquidated = true;
      p.cooldown_until_ms = now_ms + spec.partial_cooldown_ms;
      wanted = narrow(
          div_round(static_cast<i128>(wanted) * spec.partial_fraction.num, spec.partial_fraction.den, Rounding::up));
    } else if (p.partly_liquidated && now_ms < p.cooldown_until_ms &&
               !below(spec.backstop_fraction, equity(bucket), maintenance(bucket))) {
      continue;
    }
    if (sell(bucket, m, wanted, false)) progress = true;
  }
  for (const std::size_t m : open_markets(bucket)) {
    if (!under_water(bucket) || !below(markets[m].spec.backstop_fraction, equity(bucket), maintenance(bucket)))
      continue;
    if (sell(bucket, m, std::abs(position(bucket.account, m).size), true)) progress = true;
  }
  if (has_position(bucket) && equity(bucket) < 0 && !open_markets(bucket).empty()) {
    deleverage(bucket);
    progress = true;
  }
  return progress;
}

i128 NaiveVenue::zero_quote(const NaiveBucket& bucket, std::size_t market, std::int64_t lots) const {
  const std::int64_t size = position(bucket.account, market).size;
  const std::int64_t mark = markets[market].mark;
  const i128 freed =
      position_mm(bucket.account, market) - maintenance(market, value(market, mark, std::abs(size) - lots));
  const i128 share = floor_div(equity(bucket) * freed, maintenance(bucket));
  return value(market, mark, lots) + (size > 0 ? -share : share);
}

i128 NaiveVenue::surplus(const NaiveBucket& bucket, std::size_t market, std::int64_t price, std::int64_t lots) const {
  const i128 difference = value(market, price, lots) - zero_quote(bucket, market, lots);
  return position(bucket.account, market).size > 0 ? difference : -difference;
}

bool NaiveVenue::sell(const NaiveBucket& bucket, std::size_t m, std::int64_t wanted, bool on_the_fund) {
  const bool is_long = position(bucket.account, m).size > 0;
  const Rational& band = markets[m].spec.liquidation_band;
  const i128 mark = markets[m].mark;
  i128 limit = is_long ? div_round(mark * (band.den - band.num), band.den, Rounding::up)
                       : div_round(mark * (band.den + band.num), band.den, Rounding::down);
  if (!on_the_fund) {
    // The zero price of all that is wanted, before anything is filled.
    const i128 price_of_all = zero_quote(bucket, m, wanted);
    const i128 one_tick = static_cast<i128>(wanted) * markets[m].unit;
    limit = div_round(price_of_all, one_tick, is_long ? Rounding::up : Rounding::down);
  }
  const std::int64_t attempted = wanted;
  bool any = false;
  while (wanted > 0) {
    const auto makers = queue(m, is_long ? Side::buy : Side::sell);
    if (makers.empty()) break;
    const NaiveOrder maker = makers.front();
    const std::int64_t offered = std::min(wanted, maker.remaining());
    std::int64_t lots = offered;
    if (is_long ? maker.price < limit : maker.price > limit) break;
    if (on_the_fund) {
      while (lots > 0 && -surplus(bucket, m, maker.price, lots) > insurance) --lots;
    } else if (surplus(bucket, m, maker.price, lots) < 0) {
      break;
    }
    if (lots == 0) break;
    if (!liquidation_fill(bucket, maker.id, lots)) {
      end(maker.id, OrderStatus::cancelled, CancelReason::margin_breach);
      continue;
    }
    any = true;
    wanted -= lots;
    if (lots < offered) break;
  }
  // What filled anything was an order.
  if (any) {
    const bool all = wanted == 0;
    ends[++last_id] = {all ? OrderStatus::filled : OrderStatus::cancelled,
                       all ? CancelReason::none : CancelReason::expired, Reject::none, attempted, attempted - wanted};
  }
  return any;
}

bool NaiveVenue::liquidation_fill(const NaiveBucket& bucket, std::uint64_t maker_id, std::int64_t lots) {
  const NaiveVenue before = *this;
  const NaiveOrder maker = *find(maker_id);
  const std::size_t m = maker.market();
  const i128 quote = value(m, maker.price, lots);
  const i128 over = surplus(bucket, m, maker.price, lots);
  const i128 full = floor_div(quote * markets[m].spec.liquidation_fee.value, ppm_one);
  const std::int64_t fee = over > 0 ? narrow(std::min(full, over)) : 0;
  const std::int64_t maker_fee = narrow(div_round(quote * markets[m].spec.maker_fee.value, ppm_one, Rounding::up));
  const std::int64_t met = position(maker.account, m).size;

  book(bucket.account, m, opposite(maker.params.side), lots, quote, fee, true);
  const bool owed = book(maker.account, m, maker.params.side, lots, quote, maker_fee, false);
  const NaiveBucket theirs = bucket_of(maker.account, m);
  const bool reduces = (maker.params.side == Side::buy ? met < 0 : met > 0) && lots <= std::abs(met);
  bool bears = !owed && (reduces ? equity(theirs) >= 0 : equity(theirs) >= maintenance(theirs));
  const NaiveBucket cross{maker.account, -1};
  if (!reduces) bears = bears && equity(cross) >= maintenance(cross);
  if (!bears) {
    *this = before;
    return false;
  }
  treasury += maker_fee;
  insurance += fee;
  markets[m].traded = true;
  if (over < 0) give(bucket, narrow(-over));
  NaiveOrder* resting = find(maker_id);
  resting->filled += lots;
  if (resting->remaining() == 0) end(maker_id, OrderStatus::filled, CancelReason::none);
  trim(maker.account, m, met);
  return true;
}

void NaiveVenue::give(const NaiveBucket& bucket, std::int64_t amount) {
  insurance -= amount;
  const bool open =
      bucket.isolated >= 0 && position(bucket.account, static_cast<std::size_t>(bucket.isolated)).size != 0;
  (open ? position(bucket.account, static_cast<std::size_t>(bucket.isolated)).isolated
        : account(bucket.account).balance) += amount;
}

std::vector<Address> NaiveVenue::ranking(std::size_t m, Side side) const {
  struct Row {
    Address who;
    i128 score;
    i128 notional;
  };
  std::vector<Row> rows;
  for (const auto& [who, held] : accounts) {
    const NaivePosition& p = held.positions[m];
    if (p.size == 0 || (p.size > 0) != (side == Side::buy)) continue;
    const i128 own = equity(bucket_of(who, m));
    if (own <= 0) continue;
    const i128 pnl = unrealized(who, m);
    const i128 notional = std::max<i128>(1, value(m, markets[m].mark, std::abs(p.size)));
    const i128 entry = std::max<i128>(1, std::abs(p.cost));
    // Factors of at most 10^12 or so: everything fits.
    const i128 score =
        pnl > 0 ? floor_div(pnl * notional * ppb_one, entry * own) : floor_div(pnl * own * ppb_one, entry * notional);
    rows.push_back({who, score, value(m, markets[m].mark, std::abs(p.size))});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.notional != b.notional ? a.notional > b.notional : a.who < b.who;
  });
  std::vector<Address> ranked;
  for (const Row& row : rows) ranked.push_back(row.who);
  return ranked;
}

void NaiveVenue::move_position(std::size_t m, const Address& from, const Address& to, std::int64_t lots, i128 quote) {
  const std::vector<NaiveOrder> all = orders;
  for (const NaiveOrder& order : all) {
    if (order.account == to && order.market() == m) end(order.id, OrderStatus::cancelled, CancelReason::adl);
  }
  const std::int64_t taken = position(from, m).size;
  const std::int64_t taken_over = position(to, m).size;
  const Side closing = taken > 0 ? Side::sell : Side::buy;
  book(from, m, closing, lots, quote, 0, true);
  book(to, m, opposite(closing), lots, quote, 0, false);
  trim(from, m, taken);
  trim(to, m, taken_over);
}

void NaiveVenue::deleverage(const NaiveBucket& bucket) {
  const auto open = open_markets(bucket);
  std::int64_t absorbed = narrow(std::min<i128>(insurance, -equity(bucket)));
  give(bucket, absorbed);
  for (const std::size_t m : open) {
    const std::int64_t held = std::abs(position(bucket.account, m).size);
    NaiveAdl event{m, bucket.account, absorbed, zero_quote(bucket, m, held), held, {}};
    absorbed = 0;
    const Side side = position(bucket.account, m).size > 0 ? Side::sell : Side::buy;
    for (const Address& other : ranking(m, side)) {
      const std::int64_t left = std::abs(position(bucket.account, m).size);
      if (left == 0) break;
      const i128 bearable = equity(bucket_of(other, m));
      std::int64_t lots = std::min(left, std::abs(position(other, m).size));
      const auto charge = [&](std::int64_t q) {
        const i128 difference = zero_quote(bucket, m, q) - value(m, markets[m].mark, q);
        return position(bucket.account, m).size > 0 ? difference : -difference;
      };
      while (lots > 0 && charge(lots) > bearable) --lots;
      if (lots == 0) continue;
      event.closures.push_back({other, lots, charge(lots)});
      move_position(m, bucket.account, other, lots, zero_quote(bucket, m, lots));
    }
    adl_events.push_back(event);
    if (position(bucket.account, m).size != 0) halt(m);
  }
}

void NaiveVenue::halt(std::size_t market) {
  markets[market].status = MarketStatus::halted;
  markets[market].premium_sum = markets[market].premium_samples = 0;
}

Reject NaiveVenue::run(const ResumeMarket& c) {
  const std::size_t m = c.market.value;
  if (markets[m].status != MarketStatus::halted) return Reject::market_not_halted;
  if (c.inject < Usdx{}) return Reject::invalid_amount;
  insurance += c.inject.value;
  deposits += c.inject.value;
  std::vector<Address> insolvent;
  i128 deficit = 0;
  for (const auto& [who, held] : accounts) {
    if (held.positions[m].size == 0 || equity(bucket_of(who, m)) >= 0) continue;
    insolvent.push_back(who);
    deficit -= equity(bucket_of(who, m));
  }
  if (deficit > insurance) return Reject::insufficient_recapitalization;
  std::vector<NaiveAdl> events;
  for (const Address& who : insolvent) {
    const std::int64_t lots = std::abs(position(who, m).size);
    events.push_back({m, who, narrow(-equity(bucket_of(who, m))), value(m, markets[m].mark, lots), lots, {}});
    give(bucket_of(who, m), events.back().absorbed);
  }
  const auto close = [&](const Address& a, const Address& b) {
    const std::int64_t mine = position(a, m).size;
    const std::int64_t theirs = position(b, m).size;
    if (mine == 0 || theirs == 0 || (mine > 0) == (theirs > 0)) return;
    const std::int64_t lots = std::min(std::abs(mine), std::abs(theirs));
    for (NaiveAdl& event : events) {
      if (event.target == a) event.closures.push_back({b, lots, 0});
    }
    move_position(m, a, b, lots, value(m, markets[m].mark, lots));
  };
  for (std::size_t i = 0; i < insolvent.size(); ++i) {
    for (std::size_t j = i + 1; j < insolvent.size(); ++j) close(insolvent[i], insolvent[j]);
  }
  for (const Address& who : insolvent) {
    for (const Address& other : ranking(m, position(who, m).size > 0 ? Side::sell : Side::buy)) close(who, other);
  }
  adl_events.insert(adl_events.end(), events.begin(), events.end());
  markets[m].status = MarketStatus::active;
  markets[m].premium_sum = markets[m].premium_samples = 0;
  return Reject::none;
}

Reject NaiveVenue::run(const SettleMarket& c) {
  const std::size_t m = c.market.value;
  if (markets[m].status != MarketStatus::halted) return Reject::market_not_halted;
  const std::vector<NaiveOrder> all = orders;
  for (const NaiveOrder& order : all) {
    if (order.market() == m) end(order.id, OrderStatus::cancelled, CancelReason::market_halt);
  }
  std::map<Address, i128> gains;
  std::map<Address, i128> deficits;
  i128 all_gains = 0;
  i128 all_deficits = 0;
  for (auto& [who, held] : accounts) {
    NaivePosition& p = held.positions[m];
    if (p.size == 0) continue;
    const std::int64_t lots = std::abs(p.size);
    const std::int64_t realized_before = p.realized;
    const std::int64_t margin = p.isolated;
    const bool isolated = p.mode == MarginMode::isolated;
    book(who, m, p.size > 0 ? Side::sell : Side::buy, lots, value(m, c.price.value, lots), 0, true);
    const i128 gain = p.realized - realized_before;
    gains[who] = std::max<i128>(0, gain);
    deficits[who] = isolated ? std::max<i128>(0, -(margin + gain)) : 0;
    if (!isolated) deficits[who] = -1;  // known once all is booked
  }
  for (auto& [who, deficit] : deficits) {
    if (deficit < 0) deficit = std::max<i128>(0, -equity({who, -1}));
    all_deficits += deficit;
  }
  for (const auto& [who, gain] : gains) all_gains += gain;
  const i128 from_fund = std::min<i128>(all_deficits, insurance);
  const i128 from_gains = std::min(all_deficits - from_fund, all_gains);
  for (const auto& [who, gain] : gains) {
    if (gain == 0) continue;
    const std::int64_t cut = narrow(gain - floor_div(gain * (all_gains - from_gains), all_gains));
    account(who).balance -= cut;
    insurance += cut;
  }
  for (const auto& [who, deficit] : deficits) {
    if (deficit > 0) give({who, -1}, narrow(floor_div(deficit * (from_fund + from_gains), all_deficits)));
  }
  markets[m].status = MarketStatus::delisted;
  return Reject::none;
}

}  // namespace svc::engine::naive
