#include "sim/engine/liquidation.h"

#include <algorithm>

#include "sim/engine/execution.h"
#include "sim/engine/order_entry.h"
#include "sim/engine/plan.h"

namespace svc::engine {
namespace {

// Matching markets in which the bucket has a position; largest maintenance first, then by market id.
template <class Wanted>
std::vector<MarketIndex> held_markets(const State& state, const Bucket& bucket, Wanted wanted) {
  std::vector<MarketIndex> found;
  for (const Market& market : state.markets) {
    if (!wanted(market) || !belongs(state, bucket, market.index)) continue;
    if (state.holding(bucket.account, market.index).has_position()) found.push_back(market.index);
  }
  const auto maintenance = [&](MarketIndex index) {
    return state.holding(bucket.account, index).valuation.maintenance;
  };
  std::sort(found.begin(), found.end(), [&](MarketIndex a, MarketIndex b) {
    const i128 left = maintenance(a);
    const i128 right = maintenance(b);
    return left != right ? left > right : state.market(a).spec.id < state.market(b).spec.id;
  });
  return found;
}

// Those that trade.
std::vector<MarketIndex> open_markets(const State& state, const Bucket& bucket) {
  return held_markets(state, bucket, [](const Market& market) { return market.active(); });
}

// The market of the largest position by maintenance, among active markets if any. The bucket must have a position.
MarketIndex largest_position(const State& state, const Bucket& bucket) {
  const std::vector<MarketIndex> open = open_markets(state, bucket);
  if (!open.empty()) return open.front();
  return held_markets(state, bucket, [](const Market&) { return true; }).front();
}

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

// E < backstop fraction * MM.
bool below_backstop(const Market& market, const Health& health) {
  const Rational& fraction = market.spec.backstop_fraction;
  return health.equity * fraction.den < health.maintenance * fraction.num;
}

// How much of a position to close, and the worst price for it.
struct Attempt {
  Side side = Side::buy;
  Lots lots{};
  Ticks limit{};
  OrderId order{};  // assigned with the first fill
  Lots filled{};
};

// Whether the maker's margin suffices for this fill.
bool maker_bears(const State& state, const Market& market, const Order& maker, Lots lots) {
  const Usdx quote = market.quote({maker.price}, lots);
  const Shadow before = shadow_of(state, market, maker.account);
  Shadow after = before;
  Booking booking{
      .leg = {.side = maker.side, .lots = lots, .quote = quote, .fee = fee_of(quote, market.spec.maker_fee)}};
  after.book(booking, market);
  return maker_may_fill(before, after, maker.side, lots);
}

Lots fillable(const State& state, const Order& maker, Lots wanted) {
  const Lots lots = std::min(wanted, maker.remaining());
  if (!maker.reduce_only) return lots;
  return std::min(lots, reducible(maker.side, state.holding(maker.account, maker.market).position.size));
}

// The advantage over the zero price of a fill of this quantity; negative is a shortfall.
i128 surplus(const State& state, const Bucket& bucket, const Market& market, Ticks price, Lots lots) {
  const i128 zero = zero_quote(state, bucket, market, lots);
  const i128 quote = market.value(price, lots);
  const bool is_long = state.holding(bucket.account, market.index).position.size > Lots{};
  return is_long ? quote - zero : zero - quote;
}

// Takes min(floor(R * rate), surplus) for the fund.
Usdx fee_from_surplus(const Market& market, Ticks price, Lots lots, i128 over) {
  const std::int64_t full =
      mul_div(market.quote(price, lots).value, market.spec.liquidation_fee.value, ppm_one, Rounding::down);
  return {narrow(std::min<i128>(full, over))};
}

// The largest quantity up to `most` that is allowed, if all below it are; 0 if none is.
template <class Allowed>
Lots largest_up_to(Lots most, Allowed allowed) {
  Lots low{};
  while (low < most) {
    const Lots middle{low.value + (most.value - low.value + 1) / 2};
    if (allowed(middle))
      low = middle;
    else
      most = middle - Lots{1};
  }
  return low;
}

// The largest quantity whose shortfall the fund can pay. Across margin tiers the shortfall is convex in the
// quantity for a solvent bucket and concave for a bankrupt one; in both cases, if the fund cannot pay for
// everything, there is a single point up to which it can. Maintenance is rounded, so around that point the shortfall
// wavers, and a few lots more may be payable again: they are looked at one by one. (D-1103)
Lots affordable(const State& state, const Bucket& bucket, const Market& market, Ticks price, Lots wanted) {
  constexpr std::int64_t looks_max = 1'000;
  const i128 fund = state.ledger.insurance.value;
  const auto shortfall = [&](Lots lots) { return -surplus(state, bucket, market, price, lots); };
  if (shortfall(wanted) <= fund) return wanted;
  Lots found = largest_up_to(wanted - Lots{1}, [&](Lots lots) { return shortfall(lots) <= fund; });
  const Health health = health_of(state, bucket);
  // One unit of maintenance, and that of the zero quote.
  const i128 wavers = (health.equity < 0 ? -health.equity : health.equity) / health.maintenance + 2;
  const Lots last = std::min(wanted - Lots{1}, found + Lots{looks_max});
  for (Lots lots = found + Lots{1}; lots <= last; lots += Lots{1}) {
    const i128 short_by = shortfall(lots) - fund;
    if (short_by <= 0) found = lots;
    if (short_by > wavers) break;
  }
  return found;
}

// Reports an attempt as an order of the account, like any order that does not rest. An attempt without a fill is
// not reported. (D-704)
void report_attempt(Step& step, const Bucket& bucket, const Market& market, const Attempt& attempt) {
  const bool filled_up = attempt.filled == attempt.lots;
  OrderRecord& record = step.begin<OrderChanged>().order;
  record.id = attempt.order;
  record.market = market.index;
  record.account = step.state.account(bucket.account).address;
  record.side = attempt.side;
  record.type = OrderType::market;
  record.time_in_force = TimeInForce::ioc;
  record.reduce_only = true;
  record.status = filled_up ? OrderStatus::filled : OrderStatus::cancelled;
  record.cancel_reason = filled_up ? CancelReason::none : CancelReason::expired;
  record.quantity = attempt.lots;
  record.filled = attempt.filled;
  record.created_ms = record.updated_ms = step.state.now_ms;
}

// Fills against a maker. The surplus over the zero price pays the liquidation fee; the fund pays a shortfall.
void take(Step& step, const Bucket& bucket, Market& market, OrderId order, Slot maker, Lots lots) {
  const Ticks price{step.state.orders[maker].price};
  const i128 over = surplus(step.state, bucket, market, price, lots);
  const Usdx fee = over > 0 ? fee_from_surplus(market, price, lots, over) : Usdx{};
  liquidation_trade(step, market, {bucket.account, order, maker, lots, fee});
  if (over < 0) receive(step, bucket, {narrow(-over)}, FundCause::shortfall, market.index);
}

// Takes from the top of the book, up to the limit: `decide` returns how much of an offer to take; nothing ends it.
template <class Decide>
void walk(Step& step, const Bucket& bucket, Market& market, Attempt& attempt, Decide decide) {
  State& state = step.state;
  while (attempt.filled < attempt.lots) {
    const Slot slot = market.book.first(opposite(attempt.side));
    if (slot == no_slot) return;
    const Order& maker = state.orders[slot];
    if (beyond(attempt.side, {maker.price}, attempt.limit)) return;
    const Lots offered = fillable(state, maker, attempt.lots - attempt.filled);
    if (offered == Lots{}) {
      cancel(step, slot, CancelReason::reduce_only);
      continue;
    }
    const Lots lots = decide(Ticks{maker.price}, offered);
    if (lots == Lots{}) return;
    if (!maker_bears(state, market, maker, lots)) {
      cancel(step, slot, CancelReason::margin_breach);
      continue;
    }
    if (!attempt.order.exists()) attempt.order = state.next_order_id();
    take(step, bucket, market, attempt.order, slot, lots);
    attempt.filled += lots;
    if (lots < offered) return;
  }
}

// Closes that much of the position, up to the limit. True if anything was filled.
template <class Decide>
bool carry_out(Step& step, const Bucket& bucket, Market& market, Lots lots, Ticks limit, Decide decide) {
  const Lots size = step.state.holding(bucket.account, market.index).position.size;
  Attempt attempt{.side = opposite(side_of(size)), .lots = lots, .limit = limit};
  walk(step, bucket, market, attempt, decide);
  if (attempt.filled == Lots{}) return false;
  report_attempt(step, bucket, market, attempt);
  return true;
}

// A cool-down keeps the bucket from step 2.
bool is_cooling(const State& state, const Bucket& bucket, const Market& market) {
  const Holding& holding = state.holding(bucket.account, market.index);
  return holding.partially_liquidated && state.now_ms < holding.cooldown_until_ms &&
         !below_backstop(market, health_of(state, bucket));
}

// The quantity of the next attempt of step 2; starts the cool-down of a partial attempt. None during a cool-down.
Lots attempt_size(State& state, const Bucket& bucket, const Market& market) {
  Holding& holding = state.holding(bucket.account, market.index);
  const Lots held = magnitude(holding.position.size);
  if (!holding.partially_liquidated && market.notional(holding.position) > market.spec.partial_threshold.value) {
    const Rational& fraction = market.spec.partial_fraction;
    holding.partially_liquidated = true;
    holding.cooldown_until_ms = state.now_ms + market.spec.partial_cooldown_ms;
    state.partial_attempt_began = true;  // another turn may try all of it
    return {mul_div(held.value, fraction.num, fraction.den, Rounding::up)};
  }
  return is_cooling(state, bucket, market) ? Lots{} : held;
}

// The zero price of the whole attempt, before its first fill, rounded to the tighter tick. (rule 9.3)
Ticks zero_price(const State& state, const Bucket& bucket, const Market& market, Lots lots) {
  const bool is_long = state.holding(bucket.account, market.index).position.size > Lots{};
  const i128 quote = zero_quote(state, bucket, market, lots);
  return {narrow(div_round(quote, market.value(Ticks{1}, lots), is_long ? Rounding::up : Rounding::down))};
}

Ticks sweep_limit(const Market& market, bool is_long) {
  const Rational& band = market.spec.liquidation_band;
  const i128 factor = static_cast<i128>(band.den) + (is_long ? -band.num : band.num);
  return {narrow(div_round(market.mark.value * factor, band.den, is_long ? Rounding::up : Rounding::down))};
}

// Step 2 (rule 9.3): sells (or buys back) no worse than the zero price of the whole attempt, which its own fills do not
// move. No fill may be worse than its own zero price; the surplus over that pays the liquidation fee. Large positions
// are closed in two attempts with a cool-down between. True if anything was filled.
bool sell_at_zero_price(Step& step, const Bucket& bucket, Market& market) {
  State& state = step.state;
  const Lots wanted = attempt_size(state, bucket, market);
  if (wanted == Lots{}) return false;
  const auto decide = [&](Ticks price, Lots offered) {
    return surplus(state, bucket, market, price, offered) >= 0 ? offered : Lots{};
  };
  return carry_out(step, bucket, market, wanted, zero_price(state, bucket, market, wanted), decide);
}

// Step 3 (rule 9.4): fills beyond the zero price, within the band and the insurance fund; the fund pays the shortfall.
bool sweep_on_the_fund(Step& step, const Bucket& bucket, Market& market) {
  State& state = step.state;
  const Lots size = state.holding(bucket.account, market.index).position.size;
  const auto decide = [&](Ticks price, Lots offered) { return affordable(state, bucket, market, price, offered); };
  return carry_out(step, bucket, market, magnitude(size), sweep_limit(market, size > Lots{}), decide);
}

constexpr int score_digits = 9;
// Bounds the factors of a score so that their products, times ten, fit 128 bits.
constexpr i128 factor_max = static_cast<i128>(1) << 61;

i128 bounded(i128 value) {
  return std::clamp(value, -factor_max, factor_max);
}

// floor(a * b * 10^9 / (c * d)) by long division, one decimal digit at a time.
i128 scaled_ratio(i128 a, i128 b, i128 c, i128 d) {
  const bool negative = a < 0;
  const i128 divisor = bounded(c) * bounded(d);
  const i128 dividend = bounded(negative ? -a : a) * bounded(b);
  i128 quotient = dividend / divisor;
  i128 remainder = dividend % divisor;
  for (int digit = 0; digit < score_digits; ++digit) {
    remainder *= 10;
    quotient = quotient * 10 + remainder / divisor;
    remainder %= divisor;
  }
  if (!negative) return quotient;
  return remainder == 0 ? -quotient : -quotient - 1;
}

// Gives the account the place in the ranking that it now deserves, if any.
void rank(const State& state, const Market& market, Side side, AccountIndex account, Ranking& ranking) {
  if (const auto known = ranking.by_account.find(account.value); known != ranking.by_account.end()) {
    ranking.rows.erase(known->second);
    ranking.by_account.erase(known);
  }
  const Holding& holding = state.holding(account, market.index);
  const Position& position = holding.position;
  if (!holding.has_position() || side_of(position.size) != side) return;
  const i128 equity = health_of(state, bucket_of(state, account, market.index)).equity;
  if (equity <= 0) return;
  const i128 notional = market.notional(position);
  const i128 score = adl_score(holding.valuation.unrealized, position.cost.value, notional, equity);
  ranking.by_account[account.value] = ranking.rows.insert({account, score, notional}).first;
}

// The counterparty's loss against the mark if it takes over this much at the zero price.
i128 charge(const State& state, const Bucket& target, const Market& market, Lots lots) {
  return -surplus(state, target, market, market.mark, lots);
}

// The largest quantity whose charge the counterparty's bucket can bear.
Lots bearable(const State& state, const Bucket& target, const Market& market, i128 equity, Lots wanted) {
  return largest_up_to(wanted, [&](Lots lots) { return charge(state, target, market, lots) <= equity; });
}

// Closes one position of the target against its ranking. Returns what nobody could take.
Lots deleverage_position(Step& step, const Bucket& target, Market& market, Usdx absorbed) {
  State& state = step.state;
  const Lots size = state.holding(target.account, market.index).position.size;
  const Side side = side_of(size);
  Lots left = magnitude(size);
  Deleveraged event{.market = market.index,
                    .target = state.account(target.account).address,
                    .target_side = side,
                    .bankruptcy_quote = saturated(zero_quote(state, target, market, left)),
                    .bankruptcy_lots = left,
                    .absorbed_by_fund = absorbed};
  for (const Ranked& ranked : adl_ranking(step, market, opposite(side))) {
    if (left == Lots{}) break;
    const Bucket bucket = bucket_of(state, ranked.account, market.index);
    const Lots held = magnitude(state.holding(ranked.account, market.index).position.size);
    const Lots lots = bearable(state, target, market, health_of(state, bucket).equity, std::min(left, held));
    if (lots == Lots{}) continue;
    const i128 given_up = charge(state, target, market, lots);
    const Usdx quote{narrow(zero_quote(state, target, market, lots))};
    const Realized realized = transfer_position(step, market, target.account, ranked.account, lots, quote);
    event.closures.push_back({state.account(ranked.account).address, lots, {narrow(given_up)}, realized.to});
    event.quote += quote;
    event.realized += realized.from;
    left -= lots;
  }
  report_deleveraged(step, std::move(event));
  return left;
}

// Step 4, automatic deleveraging: positions of a bankrupt bucket are closed against ranked counterparties (rule 9.5).
// The fund absorbs what it can, the rest is charged to counterparties. If no counterparty is left for the position, the
// market is halted.
void deleverage(Step& step, const Bucket& bucket) {
  State& state = step.state;
  const std::vector<MarketIndex> markets = open_markets(state, bucket);
  SVC_ASSERT(!markets.empty());
  const i128 deficit = -health_of(state, bucket).equity;
  Usdx absorbed{narrow(std::min<i128>(state.ledger.insurance.value, deficit))};
  receive(step, bucket, absorbed, FundCause::bad_debt, markets.front());
  for (const MarketIndex index : markets) {
    Market& market = state.market(index);
    const Lots left = deleverage_position(step, bucket, market, absorbed);
    absorbed = {};
    if (left > Lots{}) halt(step, market, {.reason = HaltReason::adl_exhausted, .residual = left});
  }
}

// Those that wait, and every bucket of a touched account that has a position.
std::set<Bucket> buckets_to_check(const State& state) {
  std::set<Bucket> buckets = state.waiting;
  for (const AccountIndex account : state.unchecked) {
    for (const Market& market : state.markets) {
      if (state.holding(account, market.index).has_position()) buckets.insert(bucket_of(state, account, market.index));
    }
  }
  return buckets;
}

// An episode ends when the bucket is healthy again: the next one starts with a partial attempt.
void end_episode(State& state, const Bucket& bucket) {
  if (state.waiting.erase(bucket) == 0) return;
  for (const Market& market : state.markets) {
    if (!belongs(state, bucket, market.index)) continue;
    Holding& holding = state.holding(bucket.account, market.index);
    holding.partially_liquidated = false;
    holding.cooldown_until_ms = 0;
  }
}

std::optional<TimestampMs> first_cooldown_end_ms(const State& state) {
  std::optional<TimestampMs> next;
  for (const Bucket& bucket : state.waiting) {
    for (const Market& market : state.markets) {
      const TimestampMs until_ms = state.holding(bucket.account, market.index).cooldown_until_ms;
      if (until_ms > state.now_ms && (!next || until_ms < *next)) next = until_ms;
    }
  }
  return next;
}

Standstill::Offer first_offer(const State& state, const Market& market, Side side) {
  const Slot slot = market.book.first(side);
  if (slot == no_slot) return {};
  const Order& order = state.orders[slot];
  return {order.id, {order.price}, fillable(state, order, order.remaining())};
}

// The worst prices that the bucket accepts in steps 2 and 3.
void note_limits(const State& state, const Bucket& bucket, const Market& market, Standstill::Front& front) {
  const Lots size = state.holding(bucket.account, market.index).position.size;
  const Health health = health_of(state, bucket);
  const auto note = [&](Ticks limit) {
    if (size > Lots{})
      front.lowest_bid = std::min(front.lowest_bid, limit);
    else
      front.highest_ask = std::max(front.highest_ask, limit);
  };
  if (health.equity >= 0 && !is_cooling(state, bucket, market))
    note(zero_price(state, bucket, market, magnitude(size)));
  if (below_backstop(market, health)) note(sweep_limit(market, size > Lots{}));
}

Standstill standstill_of(const State& state) {
  Standstill still{.insurance = state.ledger.insurance, .cooldown_ends_ms = first_cooldown_end_ms(state)};
  for (const Market& market : state.markets) {
    Standstill::Front front{.market = market.index,
                            .status = market.status,
                            .bid = first_offer(state, market, Side::buy),
                            .ask = first_offer(state, market, Side::sell)};
    bool is_held = false;
    for (const Bucket& bucket : state.waiting) {
      if (!belongs(state, bucket, market.index) || !state.holding(bucket.account, market.index).has_position())
        continue;
      is_held = true;
      if (market.active()) note_limits(state, bucket, market, front);
    }
    if (is_held) still.fronts.push_back(front);
  }
  return still;
}

bool lasts(const Standstill& still, const State& state) {
  const auto interests_nobody = [&](const Standstill::Front& front) {
    const Market& market = state.market(front.market);
    const auto stays = [&](Side side, const Standstill::Offer& then, Ticks limit) {
      const Standstill::Offer now = first_offer(state, market, side);
      return now == then || !now.order.exists() || beyond(opposite(side), now.price, limit);
    };
    return market.status == front.status && stays(Side::buy, front.bid, front.lowest_bid) &&
           stays(Side::sell, front.ask, front.highest_ask);
  };
  return still.insurance == state.ledger.insurance &&
         (!still.cooldown_ends_ms || state.now_ms < *still.cooldown_ends_ms) &&
         std::ranges::all_of(still.fronts, interests_nobody);
}

// The common case, without allocating: no touched account is under water, and whoever waits goes on waiting.
bool nothing_to_do(const State& state) {
  const auto waits = [&](AccountIndex account) {
    if (state.waiting.empty()) return false;
    const auto first = state.waiting.lower_bound({.account = account});
    return first != state.waiting.end() && first->account == account;
  };
  for (const AccountIndex account : state.unchecked)
    if (in_liquidation(state.account(account)) || waits(account)) return false;
  if (state.waiting.empty()) return true;
  const bool has_orders = std::ranges::any_of(state.touched, [&](const auto& row) { return waits(row.first); });
  return !has_orders && state.standstill && lasts(*state.standstill, state);
}

struct Candidate {
  Bucket bucket;
  Health health;
};

// Ascending equity / maintenance, exactly; then account id; then the cross bucket first.
bool worse(const State& state, const Candidate& a, const Candidate& b) {
  const i128 left = a.health.equity * b.health.maintenance;
  const i128 right = b.health.equity * a.health.maintenance;
  if (left != right) return left < right;
  const Address& first = state.account(a.bucket.account).address;
  const Address& second = state.account(b.bucket.account).address;
  return first != second ? first < second : a.bucket < b.bucket;
}

std::vector<Candidate> find_candidates(State& state) {
  std::vector<Candidate> candidates;
  for (const Bucket& bucket : buckets_to_check(state)) {
    const Health health = health_of(state, bucket);
    if (health.under_water())
      candidates.push_back({bucket, health});
    else
      end_episode(state, bucket);
  }
  std::sort(candidates.begin(), candidates.end(),
            [&](const Candidate& a, const Candidate& b) { return worse(state, a, b); });
  return candidates;
}

// Step 1. True if there was anything to cancel.
bool cancel_orders(Step& step, const Bucket& bucket) {
  bool any = false;
  for (const Market& market : step.state.markets) {
    if (!belongs(step.state, bucket, market.index)) continue;
    if (!step.state.holding(bucket.account, market.index).has_orders()) continue;
    cancel_in_market(step, bucket.account, market.index, CancelReason::liquidation);
    any = true;
  }
  return any;
}

void report_start(Step& step, const Bucket& bucket, const Health& health) {
  if (!step.state.waiting.insert(bucket).second) return;
  step.emit(LiquidationStarted{.account = step.state.account(bucket.account).address,
                               .mode = bucket.isolated ? MarginMode::isolated : MarginMode::cross,
                               .market = largest_position(step.state, bucket),
                               .equity = saturated(health.equity),
                               .maintenance = saturated(health.maintenance)});
}

// One turn of a bucket; true if it changed anything. Its health is checked again between positions and steps. If
// all its positions are in markets that do not trade, only its orders are cancelled.
bool liquidate(Step& step, const Bucket& bucket) {
  State& state = step.state;
  report_start(step, bucket, health_of(state, bucket));
  bool progress = cancel_orders(step, bucket);
  const auto for_each_position = [&](auto allowed, auto act) {
    for (const MarketIndex market : open_markets(state, bucket)) {
      const Health health = health_of(state, bucket);
      if (!health.under_water() || !allowed(health, market)) continue;
      progress |= act(step, bucket, state.market(market));
    }
  };
  for_each_position([](const Health& health, MarketIndex) { return health.equity >= 0; }, sell_at_zero_price);
  for_each_position(
      [&](const Health& health, MarketIndex market) { return below_backstop(state.market(market), health); },
      sweep_on_the_fund);
  const Health health = health_of(state, bucket);
  if (health.has_position && health.equity < 0 && !open_markets(state, bucket).empty()) {
    deleverage(step, bucket);
    progress = true;
  }
  return progress;
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

i128 adl_score(i128 unrealized, i128 cost, i128 notional, i128 equity) {
  const i128 value = std::max<i128>(1, cost < 0 ? -cost : cost);
  const i128 at_mark = std::max<i128>(1, notional);
  return unrealized > 0 ? scaled_ratio(unrealized, at_mark, value, equity)
                        : scaled_ratio(unrealized, equity, value, at_mark);
}

bool Ranking::Before::operator()(const Ranked& a, const Ranked& b) const {
  if (a.score != b.score) return a.score > b.score;
  if (a.notional != b.notional) return a.notional > b.notional;
  return state->account(a.account).address < state->account(b.account).address;
}

const Ranking::Rows& adl_ranking(Step& step, const Market& market, Side side) {
  const State& state = step.state;
  for (auto& [key, ranking] : step.rankings)
    for (const AccountIndex account : step.moved) rank(state, state.market(key.first), key.second, account, ranking);
  step.moved.clear();
  const Ranking::Before before{&state};
  const auto [found, is_new] = step.rankings.try_emplace({market.index, side}, Ranking{.rows = Ranking::Rows(before)});
  Ranking& ranking = found->second;
  if (is_new) market.holders.each([&](AccountIndex account) { rank(state, market, side, account, ranking); });
  return ranking.rows;
}

void report_deleveraged(Step& step, Deleveraged event) {
  step.state.market(event.market).adl_events += 1;
  for (const Market& market : step.state.markets) event.number += market.adl_events;
  step.emit(std::move(event));
}

Realized transfer_position(Step& step, Market& market, AccountIndex from, AccountIndex to, Lots lots, Usdx quote) {
  const Lots from_before = step.state.holding(from, market.index).position.size;
  const Lots to_before = step.state.holding(to, market.index).position.size;
  const Side closing = opposite(side_of(from_before));
  const LegCause cause{PositionCause::adl, BalanceCause::adl};
  cancel_in_market(step, to, market.index, CancelReason::adl);
  const LegEffect taken = settle_leg(
      step, from, market, {.side = closing, .lots = lots, .quote = quote, .settlement = Settlement::forced}, cause);
  const LegEffect taken_over =
      settle_leg(step, to, market, {.side = opposite(closing), .lots = lots, .quote = quote}, cause);
  follow_position(step, from, market, from_before);
  follow_position(step, to, market, to_before);
  step.emit(OpenInterestChanged{.market = market.index, .open_interest = market.open_interest});
  return {taken.realized, taken_over.realized};
}

void run_liquidations(Step& step) {
  State& state = step.state;
  if (nothing_to_do(state)) return step.all_checked();
  for (bool progress = true; progress;) {
    progress = false;
    const std::vector<Candidate> candidates = find_candidates(state);
    step.all_checked();
    const std::size_t emitted = step.emitted();
    state.standstill.reset();
    state.partial_attempt_began = false;
    for (const Candidate& candidate : candidates) {
      if (!health_of(state, candidate.bucket).under_water()) continue;
      progress |= liquidate(step, candidate.bucket);
    }
    // After a pass that changed anything the next command needs another one.
    if (step.emitted() == emitted && !state.partial_attempt_began) state.standstill = standstill_of(state);
  }
}

std::optional<TimestampMs> next_cooldown_ms(const State& state) {
  return state.standstill ? state.standstill->cooldown_ends_ms : first_cooldown_end_ms(state);
}

}  // namespace svc::engine
