#include "sim/engine/step.h"

#include "sim/engine/margin.h"

namespace svc::engine {

Step::Step(State& the_state, EventSink& sink) : state(the_state), sink_(sink) {
  state.touched.clear();
  state.unchecked.clear();
}

Step::~Step() {
  all_checked();
  for (const auto& [account, market] : state.touched) state.holding(account, market).touched = false;
}

void Step::touch(AccountIndex account, MarketIndex market) {
  Account& owner = state.account(account);
  if (!owner.unchecked) {
    owner.unchecked = true;
    state.unchecked.push_back(account);
  }
  Holding& holding = owner.holdings[market.value];
  if (!holding.touched) {
    holding.touched = true;
    state.touched.emplace_back(account, market);
  }
}

void Step::all_checked() {
  everyone_ = false;
  for (const AccountIndex account : state.unchecked) state.account(account).unchecked = false;
  state.unchecked.clear();
}

AccountIndex Step::open_account(const Address& address) {
  if (const auto known = state.find_account(address)) return *known;
  const AccountIndex index{static_cast<std::uint32_t>(state.accounts.size())};
  state.accounts.push_back({.address = address, .holdings = std::vector<Holding>(state.markets.size())});
  state.account_by_address.insert(address, index);
  return index;
}

void Step::add_balance(AccountIndex account, Usdx delta, BalanceCause cause) {
  if (delta == Usdx{}) return;
  Account& owner = state.account(account);
  owner.balance += delta;
  if (cause == BalanceCause::funds || cause == BalanceCause::transfer) owner.funded += delta;
  emit(BalanceChanged{.account = owner.address, .cause = cause, .delta = delta, .balance = owner.balance});
}

void Step::add_insurance(Usdx delta, FundCause cause, const Address& account, MarketIndex market) {
  if (delta == Usdx{}) return;
  state.ledger.insurance += delta;
  SVC_ASSERT(state.ledger.insurance >= Usdx{});
  emit(InsuranceChanged{
      .cause = cause, .account = account, .market = market, .delta = delta, .fund = state.ledger.insurance});
}

void Step::tell_position(AccountIndex account, const Market& market, PositionCause cause) {
  const Holding& holding = state.holding(account, market.index);
  const Position& position = holding.position;
  emit(PositionChanged{.account = state.account(account).address,
                       .market = market.index,
                       .cause = cause,
                       .size = position.size,
                       .cost = position.cost,
                       .isolated = position.isolated,
                       .mode = holding.mode,
                       .realized_pnl = position.episode.realized,
                       .fees = position.episode.fees,
                       .funding = position.episode.funding,
                       .realized_total = position.life.realized,
                       .fees_total = position.life.fees,
                       .funding_total = position.life.funding,
                       .opened_ms = position.opened_ms});
}

void Step::tell_level(Market& market, Side side, Ticks price) {
  const Level& level = market.book.level(price);
  emit(BookLevelChanged{.market = market.index,
                        .side = side,
                        .price = price,
                        .quantity = {level.lots},
                        .orders = level.orders,
                        .nonce = ++market.book_nonce});
}

void Step::tell_order_margins() {
  for (const auto& [account, market_index] : state.touched) {
    const Market& market = state.market(market_index);
    Holding& holding = state.holding(account, market_index);
    const Usdx amount = saturated(order_margin(market, holding));
    if (amount == holding.order_margin_told) continue;
    holding.order_margin_told = amount;
    emit(OrderMarginChanged{.account = state.account(account).address, .market = market_index, .amount = amount});
  }
}

OrderRecord record_of(const State& state, const Order& order, const ClientId& client_id) {
  OrderRecord record;
  record.id = order.id;
  record.market = order.market;
  record.account = state.account(order.account).address;
  record.side = order.side;
  record.type = order.type;
  record.time_in_force = order.time_in_force;
  record.stp = order.stp;
  record.reduce_only = order.reduce_only;
  record.status = order.waiting       ? OrderStatus::untriggered
                  : order.filled == 0 ? OrderStatus::open
                                      : OrderStatus::partially_filled;
  record.price = {order.price};
  record.quantity = {order.quantity};
  record.filled = {order.filled};
  if (is_stop(order.type) || is_take_profit(order.type)) record.trigger = Ticks{order.trigger};
  if (order.trailing_offset_bps >= 0) record.trailing_offset_bps = order.trailing_offset_bps;
  if (order.limit_offset_bps >= 0) record.limit_offset_bps = order.limit_offset_bps;
  if (order.max_slippage_bps >= 0) record.max_slippage_bps = order.max_slippage_bps;
  record.client_id = client_id;
  record.replaces = order.replaces;
  record.created_ms = order.created_ms;
  record.updated_ms = order.updated_ms;
  return record;
}

OrderRecord record_of(const State& state, Slot slot) {
  const Order& order = state.orders[slot];
  return record_of(state, order, state.orders.client_id(order));
}

}  // namespace svc::engine
