#include "sim/engine/step.h"

#include "sim/engine/margin.h"

namespace svc::engine {
namespace {

// `record` must be new.
void describe(const State& state, const Order& order, const ClientId& client_id, OrderRecord& record) {
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
  if (!client_id.empty()) record.client_id = client_id;
  record.replaces = order.replaces;
  record.created_ms = order.created_ms;
  record.updated_ms = order.updated_ms;
  record.triggered_ms = order.triggered_ms;
}

}  // namespace

void describe(const Account& owner, const Market& market, PositionChanged& told) {
  const Holding& holding = owner.holdings[market.index.value];
  const Position& position = holding.position;
  told.account = owner.address;
  told.market = market.index;
  told.size = position.size;
  told.cost = position.cost;
  told.isolated = position.isolated;
  told.mode = holding.mode;
  told.realized_pnl = saturated(position.episode.realized);
  told.fees = saturated(position.episode.fees);
  told.funding = saturated(position.episode.funding);
  told.realized_total = saturated(position.life.realized);
  told.fees_total = saturated(position.life.fees);
  told.funding_total = saturated(position.life.funding);
  told.opened_ms = position.opened_ms;
}

void Step::all_checked() {
  for (const AccountIndex account : state.unchecked) state.account(account).unchecked = false;
  state.unchecked.clear();
}

AccountIndex Step::open_account(const Address& address) {
  const AccountIndex next{static_cast<std::uint32_t>(state.accounts.size())};
  const auto [known, is_new] = state.account_by_address.try_emplace(address, next);
  if (is_new) state.accounts.push_back({.address = address, .holdings = std::vector<Holding>(state.markets.size())});
  return known->second;
}

void Step::add_balance(AccountIndex account, Usdx delta, BalanceCause cause) {
  if (delta == Usdx{}) return;
  touch_health(account);
  Account& owner = state.account(account);
  owner.balance += delta;
  if (cause == BalanceCause::funds || cause == BalanceCause::transfer) owner.funded += delta.value;
  auto& told = begin<BalanceChanged>();
  told.account = owner.address;
  told.cause = cause;
  told.delta = delta;
  told.balance = owner.balance;
}

void Step::add_insurance(Usdx delta, FundCause cause, const Address& account, MarketIndex market) {
  if (delta == Usdx{}) return;
  state.ledger.insurance += delta;
  SVC_ASSERT(state.ledger.insurance >= Usdx{});
  emit(InsuranceChanged{
      .cause = cause, .account = account, .market = market, .delta = delta, .fund = state.ledger.insurance});
}

void Step::report_position(AccountIndex account, const Market& market, PositionCause cause) {
  touch_health(account);
  auto& told = begin<PositionChanged>();
  describe(state.account(account), market, told);
  told.cause = cause;
}

void Step::report_level(Market& market, Side side, Ticks price) {
  const Level& level = market.book.level(price);
  auto& told = begin<BookLevelChanged>();
  told.market = market.index;
  told.side = side;
  told.price = price;
  told.quantity = {level.lots};
  told.orders = level.orders;
  told.nonce = ++market.book_nonce;
}

void Step::report_order_margins() {
  for (const auto& [account, market_index] : state.touched) {
    const Market& market = state.market(market_index);
    Holding& holding = state.holding(account, market_index);
    holding.touched = false;
    const Usdx amount = saturated(order_margin(market, holding));
    if (amount == holding.order_margin_reported) continue;
    holding.order_margin_reported = amount;
    auto& told = begin<OrderMarginChanged>();
    told.account = state.account(account).address;
    told.market = market_index;
    told.amount = amount;
  }
  state.touched.clear();
}

const OrderRecord& Step::report_order(const Order& order, const ClientId& client_id, const Ending& ending) {
  OrderRecord& record = begin<OrderChanged>().order;
  describe(state, order, client_id, record);
  if (ending.status != OrderStatus::open) {
    record.status = ending.status;
    record.cancel_reason = ending.reason;
    record.reject = ending.reject;
    record.replaced_by = ending.replaced_by;
  }
  if (order.id == watched_) watched_event_ = emitted() - 1;
  return record;
}

void Step::answer_watched() {
  if (!watched_.exists()) return;
  state.outcome.orders.back().order = emitted<OrderChanged>(watched_event_).order;
  watched_ = {};
}

OrderRecord record_of(const State& state, Slot slot) {
  OrderRecord record;
  const Order& order = state.orders[slot];
  describe(state, order, state.orders.client_id(order), record);
  return record;
}

}  // namespace svc::engine
