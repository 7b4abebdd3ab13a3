#include <algorithm>

#include "base/limits.h"
#include "naive_venue.h"

namespace svc::engine::naive {
namespace {

bool opposed(Side side, std::int64_t size) {
  return side == Side::buy ? size < 0 : size > 0;
}
bool rests(const NaiveOrder& order) {
  const TimeInForce tif = order.params.time_in_force;
  return !is_market_family(order.params.type) && (tif == TimeInForce::gtc || tif == TimeInForce::post_only);
}
CancelReason stp_reason(StpMode mode) {
  return mode == StpMode::cancel_newest   ? CancelReason::stp_cancel_newest
         : mode == StpMode::cancel_oldest ? CancelReason::stp_cancel_oldest
                                          : CancelReason::stp_decrement_and_cancel;
}

}  // namespace

std::vector<NaiveOrder> NaiveVenue::queue(std::size_t market, Side side) const {
  std::vector<NaiveOrder> found;
  for (const NaiveOrder& order : orders) {
    if (order.market() == market && order.params.side == side && !order.waiting) found.push_back(order);
  }
  std::sort(found.begin(), found.end(), [side](const NaiveOrder& a, const NaiveOrder& b) {
    if (a.price != b.price) return side == Side::buy ? a.price > b.price : a.price < b.price;
    return a.priority < b.priority;
  });
  return found;
}

NaiveOrder* NaiveVenue::find(std::uint64_t id) {
  for (NaiveOrder& order : orders) {
    if (order.id == id) return &order;
  }
  return nullptr;
}

void NaiveVenue::remember(const NaiveOrder& order, OrderStatus status, CancelReason reason, Reject reject) {
  ends[order.id] = {status, reason, reject, order.quantity, order.filled};
}

void NaiveVenue::end(std::uint64_t id, OrderStatus status, CancelReason reason, Reject reject) {
  remember(*find(id), status, reason, reject);
  std::erase_if(orders, [id](const NaiveOrder& order) { return order.id == id; });
}

std::int64_t NaiveVenue::band_limit(std::size_t market, Side side) const {
  const Rational& band = markets[market].spec.price_band;
  const i128 mark = markets[market].mark;
  return side == Side::buy ? narrow(div_round(mark * (band.den + band.num), band.den, Rounding::down))
                           : narrow(div_round(mark * (band.den - band.num), band.den, Rounding::up));
}

Reject NaiveVenue::check_form(const OrderParams& p) const {
  const NaiveMarket& market = markets[p.market.value];
  const MarketSpec& spec = market.spec;
  if (!market.active()) return Reject::market_halted;
  const bool ages = spec.oracle_stale_after_ms != 0 && market.mode != PriceMode::manual;
  if (market.mark == 0 || (ages && now_ms - market.oracle_ms > spec.oracle_stale_after_ms)) return Reject::oracle_stale;
  if (p.quantity.grid == Grid::off) return Reject::invalid_lot_size;
  if (p.quantity.grid != Grid::on || p.quantity.value < spec.min_order_size || p.quantity.value > spec.max_order_size) {
    return Reject::invalid_quantity;
  }
  const auto bad = [&](const MeasuredPrice& price) {
    return price.grid != Grid::on || price.value.value <= 0 || price.value > spec.price_max;
  };
  const bool triggered_by_price = is_stop(p.type) || is_take_profit(p.type);
  if (needs_price(p.type) && p.price.grid == Grid::off) return Reject::invalid_tick_size;
  if (needs_price(p.type) && bad(p.price)) return Reject::invalid_price;
  if (triggered_by_price && p.trigger.grid == Grid::off) return Reject::invalid_tick_size;
  if (triggered_by_price && bad(p.trigger)) return Reject::invalid_trigger_price;
  if (is_trailing(p.type) && p.trailing_offset_bps.value_or(-1) < 0) return Reject::invalid_trigger_price;
  if (p.type == OrderType::trailing_limit && (p.limit_offset_bps.value_or(-1) < 0 || *p.limit_offset_bps > 9999)) {
    return Reject::invalid_price;
  }
  if (is_market_family(p.type) && p.time_in_force == TimeInForce::post_only) return Reject::invalid_time_in_force;
  if (p.expires_at_ms != 0 && p.expires_at_ms <= now_ms) return Reject::invalid_time_in_force;
  if (!p.reduce_only) {
    const std::int64_t price = needs_price(p.type)  ? p.price.value.value
                               : triggered_by_price ? p.trigger.value.value
                                                    : market.mark;
    if (value(p.market.value, price, p.quantity.value.value) < spec.min_notional.value) return Reject::min_notional;
  }
  return Reject::none;
}

bool NaiveVenue::lacks_means(const Address& who, std::size_t market) const {
  const NaiveAccount& owner = accounts.at(who);
  const MarketSpec& spec = markets[market].spec;
  return last_id >= limits::moneyless_orders_max &&
         (owner.balance <= 0 || owner.balance * leverage_ceiling(spec) < spec.min_notional.value) &&
         std::ranges::all_of(owner.positions, [](const NaivePosition& held) { return held.size == 0; });
}

Reject NaiveVenue::place(const Address& who, const OrderParams& params) {
  account(who);
  if (const Reject reject = check_form(params); reject != Reject::none) return reject;
  NaiveOrder order;
  order.account = who;
  order.params = params;
  order.quantity = params.quantity.value.value;
  if (needs_price(params.type)) order.price = params.price.value.value;
  const std::string client(params.client_id.text());
  if (!client.empty() && client_ids_.contains({who, client}))
    return Reject::client_id_taken;  // repeats: never generated
  order.waiting = is_conditional(params.type);
  order.anchor = markets[order.market()].mark;
  order.id = last_id + 1;
  if (order.waiting) {
    if (in_liquidation(who)) return Reject::account_in_liquidation;
    if (lacks_means(who, order.market())) return Reject::insufficient_margin;
    order.priority = ++last_priority;
    orders.push_back(order);
  } else if (const Reject reject = enter_on_copy(order, 0, false); reject != Reject::none) {
    return reject;
  }
  last_id = order.id;
  if (!client.empty()) client_ids_[{who, client}] = order.id;
  return Reject::none;
}

Reject NaiveVenue::enter_on_copy(const NaiveOrder& order, std::uint64_t without, bool keeps_place) {
  NaiveVenue trial = *this;
  if (without != 0) trial.end(without, OrderStatus::cancelled, CancelReason::amend_replace);
  Reject reject = trial.enter(order, keeps_place);
  const bool fires = order.id <= last_id;
  if (reject == Reject::none && !fires && lacks_means(order.account, order.market()))
    reject = Reject::insufficient_margin;
  if (reject == Reject::none)
    *this = trial;
  else
    in_vain_ += trial.met_;
  return reject;
}

Reject NaiveVenue::enter(NaiveOrder order, bool keeps_place) {
  const std::size_t m = order.market();
  const Side side = order.params.side;
  const Side makers = opposite(side);
  const bool market_order = is_market_family(order.params.type);
  met_ = 0;
  if (in_liquidation(order.account)) return Reject::account_in_liquidation;
  const std::int64_t size = position(order.account, m).size;
  if (order.params.reduce_only) {
    if (!opposed(side, size)) return Reject::reduce_only_would_increase;
    order.quantity = order.filled + std::min(order.remaining(), std::abs(size));
  }
  std::int64_t limit = band_limit(m, side);
  if (!market_order) {
    if (side == Side::buy ? order.price > limit : order.price < limit) return Reject::price_band_exceeded;
    limit = order.price;
  }
  const auto reachable = [&](std::int64_t price) { return side == Side::buy ? price <= limit : price >= limit; };
  const auto opposite_queue = queue(m, makers);
  if (order.params.time_in_force == TimeInForce::post_only && !opposite_queue.empty() &&
      reachable(opposite_queue.front().price)) {
    return Reject::would_take_liquidity;
  }
  const bool capped = market_order && order.params.max_slippage_bps.has_value();
  if (market_order && (opposite_queue.empty() || (capped && queue(m, side).empty()))) {
    return Reject::insufficient_liquidity;
  }
  i128 twice_mid = 0;
  if (capped) twice_mid = queue(m, Side::buy).front().price + queue(m, Side::sell).front().price;

  // The original state, for a fill-or-kill that is killed and for judging reductions.
  const NaiveVenue before = *this;
  const std::int64_t wanted = order.remaining();
  const bool reduces = opposed(side, size) && wanted <= std::abs(size);
  std::int64_t filled = 0;
  std::int64_t decremented = 0;
  i128 spent = 0;
  bool negative_payout = false;
  std::set<Address> met_accounts{order.account};
  CancelReason stop = CancelReason::none;
  for (; order.remaining() > 0; ++met_) {
    const auto others = queue(m, makers);
    if (others.empty()) break;
    const NaiveOrder maker = others.front();
    if (!reachable(maker.price)) {
      if (market_order) stop = CancelReason::price_band_exceeded;
      break;
    }
    std::int64_t lots = std::min(order.remaining(), maker.remaining());
    if (maker.account == order.account && order.params.stp != StpMode::none) {
      const CancelReason reason = stp_reason(order.params.stp);
      if (order.params.stp == StpMode::cancel_newest) {
        stop = reason;
        break;
      }
      if (order.params.stp == StpMode::cancel_oldest) {
        end(maker.id, OrderStatus::cancelled, reason);
        continue;
      }
      find(maker.id)->quantity -= lots;
      if (find(maker.id)->remaining() == 0) end(maker.id, OrderStatus::cancelled, reason);
      order.quantity -= lots;
      decremented += lots;
      if (order.remaining() == 0) stop = reason;
      continue;
    }
    // Trimming waits for the end of the walk, so that every maker is met before its quantity is questioned.
    if (maker.params.reduce_only) {
      const std::int64_t held = position(maker.account, m).size;
      const std::int64_t kept = std::min(maker.remaining(), opposed(maker.params.side, held) ? std::abs(held) : 0);
      find(maker.id)->quantity = maker.filled + kept;
      lots = std::min(lots, kept);
      if (kept == 0) {
        end(maker.id, OrderStatus::cancelled, CancelReason::reduce_only);
        continue;
      }
    }
    if (capped) {
      const i128 vwap = 2 * limits::basis_points * (spent + static_cast<i128>(maker.price) * lots);
      const i128 bps = *order.params.max_slippage_bps;
      const i128 bound = twice_mid * (filled + lots) * (limits::basis_points + (side == Side::buy ? bps : -bps));
      if (side == Side::buy ? vwap > bound : vwap < bound) {
        stop = CancelReason::slippage_cap;
        break;
      }
    }
    const NaiveVenue unfilled = *this;
    const NaiveOrder taker_unfilled = order;
    const std::int64_t maker_size = position(maker.account, m).size;
    const std::int64_t met =
        maker.account == order.account ? maker_size + sign(side) * lots : maker_size;  // the taker's leg comes first
    const bool owed = fill(order, maker.id, lots);
    const NaiveBucket bucket = bucket_of(maker.account, m);
    const bool maker_reduces = opposed(maker.params.side, met) && lots <= std::abs(met);
    bool bears = !maker_owed_;
    if (maker_reduces) {
      bears = bears && equity(bucket) >= 0;
    } else {
      bears = bears && equity(bucket) >= maintenance(bucket);
      const NaiveBucket cross{maker.account, -1};
      bears = bears && equity(cross) >= maintenance(cross);
    }
    if (!bears) {
      *this = unfilled;
      order = taker_unfilled;
      end(maker.id, OrderStatus::cancelled, CancelReason::margin_breach);
      continue;
    }
    met_accounts.insert(maker.account);
    negative_payout = negative_payout || owed;
    filled += lots;
    spent += static_cast<i128>(maker.price) * lots;
  }

  if (order.params.time_in_force == TimeInForce::fok && filled < wanted) {
    const std::size_t met = met_;
    *this = before;
    in_vain_ += met;
    order.filled -= filled;
    order.quantity += decremented;
    remember(order, OrderStatus::cancelled, stop != CancelReason::none ? stop : CancelReason::expired);
    return Reject::none;
  }

  for (const Address& who : met_accounts) trim_resting(who, m);

  // Open interest before and after.
  const auto longs = [m](const NaiveVenue& venue) {
    std::int64_t sum = 0;
    for (const auto& [who, held] : venue.accounts) sum += std::max<std::int64_t>(0, held.positions[m].size);
    return sum;
  };
  const std::int64_t cap = markets[m].spec.open_interest_cap.value;
  const bool above_cap = cap != 0 && value(m, markets[m].mark, longs(*this)) > cap;
  const bool too_large =
      value(m, markets[m].spec.price_max.value, longs(*this)) > i128{1'000'000} * 1'000'000 * 1'000'000;
  if (longs(*this) > longs(before) && (above_cap || too_large)) return Reject::open_interest_cap_exceeded;

  const bool comes_to_rest = rests(order) && stop == CancelReason::none && order.remaining() > 0;
  if (comes_to_rest) {
    if (!keeps_place) order.priority = last_priority + 1;
    last_priority = std::max(last_priority, order.priority);
    orders.push_back(order);
  }
  if (negative_payout) return Reject::insufficient_margin;
  const NaiveBucket bucket = bucket_of(order.account, m);
  if (reduces) {
    if (filled > 0 && equity(bucket) < 0) return Reject::insufficient_margin;
  } else {
    if (available(order.account) < 0) return Reject::insufficient_margin;
    if (bucket.isolated >= 0 && under_water(bucket)) return Reject::insufficient_margin;
  }
  if (comes_to_rest) {
    if (order.params.reduce_only) trim_resting(order.account, m);
  } else if (order.remaining() == 0 && stop == CancelReason::none) {
    remember(order, OrderStatus::filled, CancelReason::none);
  } else {
    remember(order, OrderStatus::cancelled, stop == CancelReason::none ? CancelReason::expired : stop);
  }
  return Reject::none;
}

// Returns whether the taker's isolated position was closed owing money; the maker's is left in maker_owed_.
bool NaiveVenue::fill(NaiveOrder& taker, std::uint64_t maker_id, std::int64_t lots) {
  const NaiveOrder maker = *find(maker_id);
  const std::size_t m = maker.market();
  const i128 quote = value(m, maker.price, lots);
  const auto fee = [&](Ppm rate) { return narrow(div_round(quote * rate.value, ppm_one, Rounding::up)); };
  const std::int64_t taker_fee = fee(markets[m].spec.taker_fee);
  const std::int64_t maker_fee = fee(markets[m].spec.maker_fee);
  const std::int64_t taker_held = position(taker.account, m).size;
  const std::int64_t maker_held = position(maker.account, m).size;
  const bool owed = book(taker.account, m, taker.params.side, lots, quote, taker_fee, false);
  maker_owed_ = book(maker.account, m, maker.params.side, lots, quote, maker_fee, false);
  treasury += taker_fee + maker_fee;
  markets[m].last_ordinary = maker.price;
  markets[m].traded = true;
  taker.filled += lots;
  NaiveOrder* resting = find(maker_id);
  resting->filled += lots;
  if (resting->remaining() == 0) end(maker_id, OrderStatus::filled, CancelReason::none);
  cancel_flat_conditionals(taker.account, m, taker_held);
  cancel_flat_conditionals(maker.account, m, maker_held);
  return owed;
}

bool NaiveVenue::book(const Address& who, std::size_t m, Side side, std::int64_t lots, i128 quote, std::int64_t fee,
                      bool forced) {
  NaivePosition& p = position(who, m);
  std::int64_t& balance = account(who).balance;
  const bool isolated = p.mode == MarginMode::isolated;
  const std::int64_t held = std::abs(p.size);
  const std::int64_t closed = opposed(side, p.size) ? std::min(lots, held) : 0;
  const std::int64_t opened = lots - closed;
  const i128 closed_quote = quote * closed / lots;
  const std::int64_t closing_fee =
      opened == 0 ? fee : narrow(div_round(static_cast<i128>(fee) * closed, lots, Rounding::up));
  bool owed = false;
  p.fees += fee;
  if (closed > 0) {
    const i128 released =
        closed == held ? p.cost : div_round(static_cast<i128>(p.cost) * closed, held, Rounding::toward_zero);
    const std::int64_t realized = narrow((p.size > 0 ? closed_quote : -closed_quote) - released);
    p.realized += realized;
    p.cost -= narrow(released);
    p.size += sign(side) * closed;
    const std::int64_t result = realized - closing_fee;
    if (!isolated) {
      balance += result;
    } else if (closed == held) {
      balance += p.isolated + result;
      owed = !forced && p.isolated + result < 0;
      p.isolated = 0;
    } else if (forced) {
      p.isolated += result;
    } else {
      const std::int64_t part = narrow(div_round(static_cast<i128>(p.isolated) * closed, held, Rounding::down));
      p.isolated -= part;
      (part + result >= 0 ? balance : p.isolated) += part + result;
    }
  }
  if (opened > 0) {
    const i128 opened_quote = quote - closed_quote;
    balance -= fee - closing_fee;
    if (isolated) {
      const std::int64_t margin = narrow(initial(m, opened_quote, opened_quote, leverage(who, m)));
      balance -= margin;
      p.isolated += margin;
    }
    p.cost += sign(side) * narrow(opened_quote);
    p.size += sign(side) * opened;
  }
  return owed;
}

void NaiveVenue::trim(const Address& who, std::size_t m, std::int64_t held) {
  trim_resting(who, m);
  cancel_flat_conditionals(who, m, held);
}

void NaiveVenue::trim_resting(const Address& who, std::size_t m) {
  const std::int64_t size = position(who, m).size;
  for (const Side side : {Side::buy, Side::sell}) {
    std::int64_t allowed = opposed(side, size) ? std::abs(size) : 0;
    for (const NaiveOrder& order : queue(m, side)) {
      if (order.account != who || !order.params.reduce_only) continue;
      const std::int64_t kept = std::min(allowed, order.remaining());
      allowed -= kept;
      find(order.id)->quantity = order.filled + kept;
      if (kept == 0) end(order.id, OrderStatus::cancelled, CancelReason::reduce_only);
    }
  }
}

// Whoever held nothing before did not become flat.
void NaiveVenue::cancel_flat_conditionals(const Address& who, std::size_t m, std::int64_t held) {
  if (held == 0 || position(who, m).size != 0) return;
  const std::vector<NaiveOrder> all = orders;
  for (const NaiveOrder& order : all) {
    if (order.account == who && order.market() == m && order.waiting && order.params.reduce_only) {
      end(order.id, OrderStatus::cancelled, CancelReason::reduce_only);
    }
  }
}

void NaiveVenue::fire(std::uint64_t id) {
  NaiveOrder order = *find(id);
  std::erase_if(orders, [id](const NaiveOrder& candidate) { return candidate.id == id; });
  order.waiting = false;
  if (order.params.type == OrderType::trailing_limit) {
    const bool buys = order.params.side == Side::buy;
    const i128 factor = limits::basis_points + (buys ? 1 : -1) * static_cast<i128>(*order.params.limit_offset_bps);
    order.price = narrow(
        div_round(markets[order.market()].mark * factor, limits::basis_points, buys ? Rounding::down : Rounding::up));
  }
  const Reject reject = enter_on_copy(order, 0, false);
  if (reject != Reject::none) remember(order, OrderStatus::cancelled, CancelReason::rejected_at_trigger, reject);
}

Reject NaiveVenue::run(const PlaceOrder& c) {
  return place(c.account, c.params);
}

Reject NaiveVenue::run(const PlaceBatch& c) {
  Reject only = Reject::none;
  in_vain_ = 0;
  for (const OrderParams& params : c.orders) {
    if (in_vain_ >= limits::batch_makers_max) continue;
    only = place(c.account, params);
    liquidate_all();
  }
  return c.orders.size() == 1 ? only : Reject::none;
}

Reject NaiveVenue::run(const AmendOrder& c) {
  account(c.account);
  const NaiveOrder* found = find(c.order.value);
  if (found == nullptr)
    return c.order.exists() && c.order.value <= last_id ? Reject::invalid_amend : Reject::order_not_found;
  if (found->account != c.account) return Reject::order_not_found;
  const NaiveOrder original = *found;
  if (c.size.grid == Grid::on && c.size.value.value <= original.filled) return Reject::invalid_amend;
  if (!markets[original.market()].active()) return Reject::market_halted;
  const bool reprices = c.price.grid != Grid::absent;
  const bool resizes = c.size.grid != Grid::absent;
  if (!reprices && !resizes) return Reject::invalid_amend;
  if (reprices && original.waiting && !needs_price(original.params.type)) return Reject::invalid_amend;

  NaiveOrder order = original;
  order.params.quantity = resizes ? c.size : MeasuredLots{Lots{original.quantity}, Grid::on};
  if (original.waiting ? needs_price(original.params.type) : true) {
    order.params.price = reprices ? c.price : MeasuredPrice{Ticks{original.price}, Grid::on};
  }
  OrderParams form = order.params;
  form.expires_at_ms = 0;
  if (!original.waiting) form.type = OrderType::limit;
  if (const Reject reject = check_form(form); reject != Reject::none) return reject;
  order.quantity = order.params.quantity.value.value;
  if (needs_price(form.type)) order.price = form.price.value.value;
  const bool keeps_place = order.price == original.price && order.quantity <= original.quantity;
  order.id = last_id + 1;
  if (order.waiting) {
    if (in_liquidation(c.account)) return Reject::account_in_liquidation;
    if (lacks_means(c.account, order.market())) return Reject::insufficient_margin;
    end(original.id, OrderStatus::cancelled, CancelReason::amend_replace);
    if (!keeps_place) order.priority = ++last_priority;
    orders.push_back(order);
  } else if (const Reject reject = enter_on_copy(order, original.id, keeps_place); reject != Reject::none) {
    return reject;
  }
  last_id = order.id;
  return Reject::none;
}

Reject NaiveVenue::run(const CancelOrder& c) {
  const NaiveOrder* order = find(c.order.value);
  if (order == nullptr || order->account != c.account) return Reject::order_not_found;
  end(order->id, OrderStatus::cancelled, CancelReason::user);
  return Reject::none;
}

Reject NaiveVenue::run(const CancelAll& c) {
  const std::vector<NaiveOrder> all = orders;
  for (const NaiveOrder& order : all) {
    if (order.account != c.account || (c.market && c.market->value != order.market())) continue;
    if (order.waiting && c.scope == CancelScope::resting_orders) continue;
    end(order.id, OrderStatus::cancelled, c.reason);
  }
  return Reject::none;
}

}  // namespace svc::engine::naive
