#include "sim/engine/execution.h"

#include <algorithm>

#include "sim/engine/order_entry.h"

namespace svc::engine {
namespace {

void add_to(Totals& totals, Usdx realized, Usdx fees) {
  totals.realized += realized.value;
  totals.fees += fees.value;
}

void begin_episode(Position& position, TimestampMs now_ms) {
  position.episode = {};
  position.peak = {};
  position.entry_quote = position.exit_quote = 0;
  position.entry_lots = position.exit_lots = 0;
  position.opened_ms = now_ms;
}

void report_closed(Step& step, AccountIndex account, const Market& market, const Position& position, Side side) {
  step.emit(PositionClosed{.account = step.state.account(account).address,
                           .market = market.index,
                           .side = side,
                           .size = position.peak,
                           .entry_quote = position.entry_quote,
                           .entry_lots = position.entry_lots,
                           .exit_quote = position.exit_quote,
                           .exit_lots = position.exit_lots,
                           .realized_pnl = saturated(position.episode.realized),
                           .fees = saturated(position.episode.fees),
                           .funding = saturated(position.episode.funding),
                           .opened_ms = position.opened_ms,
                           .closed_ms = step.state.now_ms});
}

// One side of the last trade.
struct FillSide {
  const Booking& booking;
  AccountIndex account;
  OrderId order;
  const ClientId& client_id;
  bool is_maker;
  bool is_liquidation;  // whether the trade is one
};

void report_fill(Step& step, const Market& market, Ticks price, const FillSide& side) {
  State& state = step.state;
  const Booking& booking = side.booking;
  state.last_fill.value += 1;
  Fill& fill = step.begin<Fill>();
  fill.id = state.last_fill;
  fill.trade = state.last_trade;
  fill.order = side.order;
  fill.market = market.index;
  fill.account = state.account(side.account).address;
  fill.side = booking.leg.side;
  fill.price = price;
  fill.quantity = booking.leg.lots;
  fill.quote = booking.leg.quote;
  (side.is_liquidation && !side.is_maker ? fill.liquidation_fee : fill.fee) = booking.leg.fee;
  fill.is_maker = side.is_maker;
  fill.is_liquidation = side.is_liquidation;
  fill.closed = booking.effect.closed;
  fill.realized_pnl = booking.effect.realized;
  if (!side.client_id.empty()) fill.client_id = side.client_id;
}

void settle(Step& step, AccountIndex account, Market& market, const Booking& booking, LegCause cause) {
  Holding& holding = step.state.holding(account, market.index);
  Position& position = holding.position;
  const LegEffect& effect = booking.effect;
  const Lots before = position.size;
  static_cast<Exposure&>(position) = booking.after;
  holding.valuation = booking.at_mark;
  if (before == Lots{} && holding.has_position()) market.holders.add(account);
  if (before != Lots{} && !holding.has_position()) market.holders.remove(account);
  market.open_interest += std::max(position.size, Lots{}) - std::max(before, Lots{});

  add_to(position.life, effect.realized, booking.leg.fee);
  if (effect.closed > Lots{}) {
    add_to(position.episode, effect.realized, effect.closing_fee);
    position.exit_quote += effect.closed_quote.value;
    position.exit_lots += effect.closed.value;
  }
  if (effect.ended) report_closed(step, account, market, position, side_of(before));
  if (effect.opened > Lots{}) {
    if (before == Lots{} || effect.ended) begin_episode(position, step.state.now_ms);
    add_to(position.episode, {}, booking.leg.fee - effect.closing_fee);
    position.entry_quote += effect.opened_quote.value;
    position.entry_lots += effect.opened.value;
    position.peak = std::max(position.peak, magnitude(position.size));
  }
  step.report_position(account, market, cause.position);
  step.add_balance(account, effect.balance, cause.balance);
  step.touch_orders(account, market.index);
}

// The leg booked on the current position.
Booking booked(const State& state, AccountIndex account, const Market& market, const Leg& leg) {
  const Holding& holding = state.holding(account, market.index);
  Booking booking{.leg = leg, .after = holding.position};
  const MarginTerms terms = market.terms(holding);
  book_leg(booking.after, leg, terms, market.schedule, booking.effect);
  booking.at_mark = valuation_of(market, booking.after, terms.leverage);
  return booking;
}

// A trade at the maker's price: both legs, the taker's first, both fills, the maker's order. `maker_leg` is booked
// on the state after the taker's leg.
void trade(Step& step, Market& market, const Aggressor& taker, Slot maker_slot, const Booking& taker_leg,
           const Booking& maker_leg, LegCause taker_cause) {
  State& state = step.state;
  const Order& maker = state.orders[maker_slot];
  const AccountIndex maker_account = maker.account;
  const Lots lots = taker_leg.leg.lots;
  const bool is_liquidation = taker_leg.leg.settlement == Settlement::forced;
  const Lots taker_before = state.holding(taker.account, market.index).position.size;
  const Lots maker_before = state.holding(maker_account, market.index).position.size;

  state.last_trade.value += 1;
  const Ticks price{maker.price};
  auto& print = step.begin<Trade>();
  print.id = state.last_trade;
  print.market = market.index;
  print.price = price;
  print.quantity = lots;
  print.quote = taker_leg.leg.quote;
  print.taker_side = taker.side;
  print.taker_order = taker.order;
  print.maker_order = maker.id;
  print.taker = state.account(taker.account).address;
  print.maker = state.account(maker_account).address;
  print.is_liquidation = is_liquidation;
  market.last = price;
  if (!is_liquidation) market.last_ordinary = price;
  market.trade_count += 1;
  market.volume += taker_leg.leg.quote.value;

  settle(step, taker.account, market, taker_leg, taker_cause);
  settle(step, maker_account, market, maker_leg, {});
  state.ledger.fee_treasury += maker_leg.leg.fee;
  const std::size_t taker_fill = step.emitted();
  report_fill(step, market, price, {taker_leg, taker.account, taker.order, taker.client_id, false, is_liquidation});
  report_fill(step, market, price,
              {maker_leg, maker_account, maker.id, state.orders.client_id(maker), true, is_liquidation});

  fill_resting(step, maker_slot, lots);
  follow_position(step, taker.account, market, taker_before);
  if (maker_account != taker.account) follow_position(step, maker_account, market, maker_before);
  if (!is_liquidation) state.outcome.fills.push_back(step.emitted<Fill>(taker_fill));
}

}  // namespace

LegEffect settle_leg(Step& step, AccountIndex account, Market& market, const Leg& leg, LegCause cause) {
  const Booking booking = booked(step.state, account, market, leg);
  settle(step, account, market, booking, cause);
  return booking.effect;
}

void liquidation_trade(Step& step, Market& market, const ForcedFill& fill) {
  const AccountIndex account = fill.account;
  const Side side = opposite(side_of(step.state.holding(account, market.index).position.size));
  const Address address = step.state.account(account).address;
  const Leg leg{.side = side,
                .lots = fill.lots,
                .quote = market.quote({step.state.orders[fill.maker].price}, fill.lots),
                .fee = fill.liquidation_fee,
                .settlement = Settlement::forced};
  // A bucket's own orders are cancelled before it trades, so neither leg changes the other's account.
  const AccountIndex maker_account = step.state.orders[fill.maker].account;
  SVC_ASSERT(maker_account != account);
  const Leg maker_leg{
      .side = opposite(side), .lots = fill.lots, .quote = leg.quote, .fee = fee_of(leg.quote, market.spec.maker_fee)};
  trade(step, market, {.account = account, .order = fill.order, .client_id = {}, .side = side}, fill.maker,
        booked(step.state, account, market, leg), booked(step.state, maker_account, market, maker_leg),
        {PositionCause::liquidation, BalanceCause::liquidation});
  step.add_insurance(fill.liquidation_fee, FundCause::liquidation_fee, address, market.index);
  step.emit(OpenInterestChanged{.market = market.index, .open_interest = market.open_interest});
}

void execute(Step& step, Market& market, const Aggressor& taker, const Plan& plan) {
  State& state = step.state;
  for (const PlanStep& planned : plan.steps) {
    // A reduce-only maker that the plan would drop may have been trimmed away by an earlier fill.
    const bool gone = state.orders[planned.maker].id != planned.maker_id;
    switch (planned.kind) {
      case PlanStep::Kind::fill:
        SVC_ASSERT(!gone);
        state.ledger.fee_treasury += planned.taker.leg.fee;
        trade(step, market, taker, planned.maker, planned.taker, planned.maker_leg, {});
        break;
      case PlanStep::Kind::decrement:
        SVC_ASSERT(!gone);
        shrink(step, planned.maker, planned.lots, planned.reason);
        break;
      case PlanStep::Kind::drop:
        if (!gone) cancel(step, planned.maker, planned.reason);
        break;
    }
  }
  if (plan.filled > Lots{})
    step.emit(OpenInterestChanged{.market = market.index, .open_interest = market.open_interest});
}

}  // namespace svc::engine
