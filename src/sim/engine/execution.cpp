#include "sim/engine/execution.h"

#include <algorithm>

#include "sim/engine/resting.h"

namespace svc::engine {
namespace {

void add_to(Totals& totals, Usdx realized, Usdx fees) {
  totals.realized += realized;
  totals.fees += fees;
}

void begin_episode(Position& position, TimestampMs now_ms) {
  position.episode = {};
  position.peak = {};
  position.entry_quote = position.exit_quote = {};
  position.entry_lots = position.exit_lots = {};
  position.opened_ms = now_ms;
}

void tell_closed(Step& step, AccountIndex account, const Market& market, const Position& position, Side side) {
  step.emit(PositionClosed{.account = step.state.account(account).address,
                           .market = market.index,
                           .side = side,
                           .size = position.peak,
                           .entry_quote = position.entry_quote,
                           .entry_lots = position.entry_lots,
                           .exit_quote = position.exit_quote,
                           .exit_lots = position.exit_lots,
                           .realized_pnl = position.episode.realized,
                           .fees = position.episode.fees,
                           .funding = position.episode.funding,
                           .opened_ms = position.opened_ms,
                           .closed_ms = step.state.now_ms});
}

Fill fill_of(Step& step, const Trade& trade, const LegEffect& effect, Usdx fee, bool is_maker) {
  step.state.last_fill.value += 1;
  return {.id = step.state.last_fill,
          .trade = trade.id,
          .order = is_maker ? trade.maker_order : trade.taker_order,
          .market = trade.market,
          .account = is_maker ? trade.maker : trade.taker,
          .side = is_maker ? opposite(trade.taker_side) : trade.taker_side,
          .price = trade.price,
          .quantity = trade.quantity,
          .quote = trade.quote,
          .fee = fee,
          .is_maker = is_maker,
          .is_liquidation = trade.is_liquidation,
          .closed = effect.closed,
          .realized_pnl = effect.realized};
}

// A trade at the maker's price: both legs, the taker's first, the maker's fee, both fills, the maker's order.
// The leg given is the taker's, but for its quote.
Fill print(Step& step, Market& market, const Aggressor& taker, Slot maker_slot, Leg taker_leg) {
  State& state = step.state;
  const Order& maker = state.orders[maker_slot];
  const AccountIndex maker_account = maker.account;
  const ClientId maker_client = state.orders.client_id(maker);
  const bool is_liquidation = taker_leg.settlement == Settlement::forced;
  const Ticks price{maker.price};
  taker_leg.quote = market.quote(price, taker_leg.lots);
  const Usdx maker_fee = fee_of(taker_leg.quote, market.spec.maker_fee);

  state.last_trade.value += 1;
  const Trade told{.id = state.last_trade,
                   .market = market.index,
                   .price = price,
                   .quantity = taker_leg.lots,
                   .quote = taker_leg.quote,
                   .taker_side = taker.side,
                   .taker_order = taker.order,
                   .maker_order = maker.id,
                   .taker = state.account(taker.account).address,
                   .maker = state.account(maker_account).address,
                   .is_liquidation = is_liquidation};
  market.last = price;
  if (!is_liquidation) market.last_ordinary = price;
  market.trade_count += 1;
  market.volume += told.quote;
  step.emit(told);

  const LegCause taker_cause =
      is_liquidation ? LegCause{PositionCause::liquidation, BalanceCause::liquidation} : LegCause{};
  const LegEffect taker_effect = settle_leg(step, taker.account, market, taker_leg, taker_cause);
  const LegEffect maker_effect =
      settle_leg(step, maker_account, market,
                 {.side = opposite(taker.side), .lots = told.quantity, .quote = told.quote, .fee = maker_fee});
  state.ledger.fee_treasury += maker_fee;

  Fill taker_fill = fill_of(step, told, taker_effect, taker_leg.fee, false);
  taker_fill.client_id = taker.client_id;
  step.emit(taker_fill);
  Fill maker_fill = fill_of(step, told, maker_effect, maker_fee, true);
  maker_fill.client_id = maker_client;
  step.emit(maker_fill);

  fill_resting(step, maker_slot, told.quantity);
  trim_reduce_only(step, taker.account, market);
  if (maker_account != taker.account) trim_reduce_only(step, maker_account, market);
  return taker_fill;
}

}  // namespace

LegEffect settle_leg(Step& step, AccountIndex account, Market& market, const Leg& leg, LegCause cause) {
  Holding& holding = step.state.holding(account, market.index);
  Position& position = holding.position;
  const Lots before = position.size;
  const LegEffect effect = book_leg(position, leg, market.terms(holding), market.schedule);
  revalue(market, holding);
  market.open_interest += std::max(position.size, Lots{}) - std::max(before, Lots{});

  add_to(position.life, effect.realized, leg.fee);
  if (effect.closed > Lots{}) {
    add_to(position.episode, effect.realized, effect.closing_fee);
    position.exit_quote += effect.closed_quote;
    position.exit_lots += effect.closed;
  }
  if (effect.ended) tell_closed(step, account, market, position, side_of(before));
  if (effect.opened > Lots{}) {
    if (before == Lots{} || effect.ended) begin_episode(position, step.state.now_ms);
    add_to(position.episode, {}, leg.fee - effect.closing_fee);
    position.entry_quote += effect.opened_quote;
    position.entry_lots += effect.opened;
    position.peak = std::max(position.peak, magnitude(position.size));
  }
  step.tell_position(account, market, cause.position);
  step.add_balance(account, effect.balance, cause.balance);
  step.touch(account, market.index);
  return effect;
}

Fill trade(Step& step, Market& market, const Aggressor& taker, Slot maker, Lots lots) {
  const Usdx fee = fee_of(market.quote({step.state.orders[maker].price}, lots), market.spec.taker_fee);
  step.state.ledger.fee_treasury += fee;
  return print(step, market, taker, maker, {.side = taker.side, .lots = lots, .fee = fee});
}

void liquidation_trade(Step& step, Market& market, AccountIndex account, Slot maker, Lots lots, Usdx liquidation_fee) {
  const Side side = opposite(side_of(step.state.holding(account, market.index).position.size));
  const Address address = step.state.account(account).address;
  print(step, market, {.account = account, .side = side}, maker,
        {.side = side, .lots = lots, .fee = liquidation_fee, .settlement = Settlement::forced});
  step.add_insurance(liquidation_fee, FundCause::liquidation_fee, address, market.index);
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
        state.outcome.fills.push_back(trade(step, market, taker, planned.maker, planned.lots));
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
