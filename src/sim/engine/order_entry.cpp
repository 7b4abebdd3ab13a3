#include "sim/engine/order_entry.h"

#include <algorithm>

#include "sim/engine/admission.h"
#include "sim/engine/execution.h"
#include "sim/engine/liquidation.h"
#include "sim/engine/margin.h"

namespace svc::engine {
namespace {

// When the order expires; 0 = never.
TimestampMs expiry_of(const State& state, const Order& order) {
  return order.expires ? state.expiries.of(order.id) : 0;
}

void forget_expiry(State& state, const Order& order) {
  if (order.expires) state.expiries.remove(order.id);
}

OpenEntry::Claim claim_of(const Market& market, const Holding& holding, const Order& order) {
  if (order.reduce_only) return {};
  const i128 reserved = reservation(market, market.terms(holding).leverage, {order.price}, order.remaining());
  return {order.quantity - order.filled, narrow(reserved)};
}

void update_reservation(State& state, Slot slot) {
  const Order& order = state.orders[slot];
  Holding& holding = state.holding(order.account, order.market);
  holding.open(order.side).update(state.orders.entry(slot), claim_of(state.market(order.market), holding, order));
}

// Takes lots off the book; the order keeps its place unless nothing is left.
void take_off_book(Step& step, Slot slot, Lots by) {
  const Order& order = step.state.orders[slot];
  Market& market = step.state.market(order.market);
  Holding& holding = step.state.holding(order.account, order.market);
  OpenSide& side = holding.open(order.side);
  if (order.reduce_only) side.add_reduce_only(-by);
  if (by == market.book.remaining(slot)) {
    market.book.remove(slot);
    side.remove(step.state.orders.entry(slot));
  } else {
    market.book.reduce(slot, by);
  }
  step.report_level(market, order.side, {order.price});
  step.touch_orders(order.account, order.market);
}

// Removes it from the book or the triggers.
void take_off(Step& step, Slot slot) {
  const Order& order = step.state.orders[slot];
  if (!order.waiting) {
    take_off_book(step, slot, order.remaining());
    return;
  }
  step.state.market(order.market).triggers.remove(slot, order);
  std::erase(step.state.holding(order.account, order.market).waiting, slot);
}

// Reports the order's end and removes it from the store.
const OrderRecord& end(Step& step, Slot slot, OrderStatus status, CancelReason reason) {
  const OrderRecord& record = step.report_order(slot, {.status = status, .reason = reason});
  forget_expiry(step.state, step.state.orders[slot]);
  step.state.orders.remove(slot);
  return record;
}

// Stores an order as part of a command: it gets a fresh priority and is reported. expires_at_ms: 0 = never, or already
// known.
void add_order(Step& step, Order& order, const ClientId& client_id, TimestampMs expires_at_ms) {
  State& state = step.state;
  SVC_ASSERT(order.remaining() > Lots{});
  order.priority = ++state.last_priority;
  const Slot slot = store_order(state, order, client_id);
  if (!order.waiting) {
    step.report_level(state.market(order.market), order.side, {order.price});
    step.touch_orders(order.account, order.market);
  }
  if (expires_at_ms != 0) state.expiries.add(expires_at_ms, order.id);
  step.report_order(slot);
}

// Takes a live order out of the book or the triggers and of the store without reporting it, because it acts again.
Order extract_order(Step& step, Slot slot) {
  take_off(step, slot);
  const Order order = step.state.orders[slot];
  step.state.orders.remove(slot);
  return order;
}

// Cuts the reduce-only orders of a side to that many lots, best first.
void cut_reduce_only(Step& step, const OpenSide& side, Lots allowed) {
  // Cutting changes the list being walked, so the cuts are collected first.
  std::vector<std::pair<Slot, Lots>> cuts;
  for (const OpenEntry& entry : side.entries()) {
    const Order& order = step.state.orders[entry.slot()];
    if (!order.reduce_only) continue;
    const Lots kept = std::min(allowed, order.remaining());
    allowed -= kept;
    if (kept < order.remaining()) cuts.emplace_back(entry.slot(), order.remaining() - kept);
  }
  for (const auto& [slot, by] : cuts) shrink(step, slot, by, CancelReason::reduce_only);
}

// Keeps the reduce-only orders of a holding within its position; the excess is cut (rule 3.6).
void trim_reduce_only(Step& step, const Holding& holding) {
  const auto trim = [&](const OpenSide& side) {
    const Lots allowed = reducible(side.side(), holding.position.size);
    if (side.reduce_only_lots() > allowed) cut_reduce_only(step, side, allowed);
  };
  trim(holding.buys);
  trim(holding.sells);
}

// Adds an outcome for one requested order: what `request` makes of it.
template <class Request>
void answer_item(Step& step, Request request) {
  step.answer_watched();
  Outcome& outcome = step.state.outcome;
  const auto fills_begin = static_cast<std::uint32_t>(outcome.fills.size());
  outcome.orders.emplace_back().fills_begin = fills_begin;
  const Reject reject = request();
  OrderOutcome& item = outcome.orders.back();
  item.reject = reject;
  item.fills_count = static_cast<std::uint32_t>(outcome.fills.size()) - fills_begin;
}

// An order that does not rest is reported once, with its end.
void end_unrested(Step& step, const Order& order, const ClientId& client_id, OrderStatus status, CancelReason reason,
                  Reject reject = Reject::none) {
  step.report_order(order, client_id, {.status = status, .reason = reason, .reject = reject});
  forget_expiry(step.state, order);
}

// Executes what admit allowed. The order has its id; it is neither stored nor on the book.
void act(Step& step, Market& market, Entry& entry, const ClientId& client_id, TimestampMs expires_at_ms) {
  Order& order = entry.order;
  if (entry.killed != CancelReason::none) {
    end_unrested(step, order, client_id, OrderStatus::cancelled, entry.killed);
    return;
  }
  const Plan& plan = *entry.plan;
  execute(step, market, {order.account, order.id, client_id, order.side}, plan);
  entry.plan->steps.clear();  // they happened
  order.filled += static_cast<std::int32_t>(plan.filled.value);
  order.quantity -= static_cast<std::int32_t>(plan.decremented.value);
  const bool nothing_left = order.remaining() == Lots{};
  if (nothing_left && plan.stop == CancelReason::none) {
    end_unrested(step, order, client_id, OrderStatus::filled, CancelReason::none);
  } else if (nothing_left || !may_rest(order) || plan.stop != CancelReason::none) {
    const CancelReason reason = plan.stop == CancelReason::none ? CancelReason::expired : plan.stop;
    end_unrested(step, order, client_id, OrderStatus::cancelled, reason);
  } else {
    add_order(step, order, client_id, expires_at_ms);
    if (order.reduce_only) trim_reduce_only(step, step.state.holding(order.account, market.index));
  }
}

// Only an accepted order opens an account. (D-917)
Reject place_checked(Step& step, const Address& address, const OrderParams& params) {
  State& state = step.state;
  if (params.market.value >= state.markets.size()) return Reject::unknown_market;
  Market& market = state.market(params.market);
  const AccountIndex account = state.known_or_stranger(address);
  if (const Slot repeated = repeated_order(state, account, params); repeated != no_slot) {
    state.outcome.orders.back().order = record_of(state, repeated);
    return Reject::none;
  }
  Entry entry{.plan = &state.plan};
  const Reject reject = check_new_order(state, market, account, params, state.now_ms, entry);
  if (reject != Reject::none) return reject;
  if (entry.order.waiting) entry.order.anchor = static_cast<std::int32_t>(market.mark.value);
  if (account == stranger) entry.order.account = step.open_account(address);
  entry.order.id = state.next_order_id();
  if (!params.client_id.empty()) state.client_ids.assign(entry.order.account, params.client_id, entry.order.id);
  step.watch(entry.order.id);
  if (entry.order.waiting) {
    add_order(step, entry.order, params.client_id, params.expires_at_ms);
  } else {
    act(step, market, entry, params.client_id, params.expires_at_ms);
  }
  return Reject::none;
}

// The replacement's parameters, as for a new order. A fired conditional that rests is a limit order.
OrderParams replacement_params(const Order& order, const AmendOrder& command) {
  OrderParams params;
  params.market = order.market;
  params.side = order.side;
  params.type = order.waiting ? order.type : OrderType::limit;
  params.time_in_force = order.time_in_force;
  params.stp = order.stp;
  params.reduce_only = order.reduce_only;
  params.quantity = {Lots{order.quantity}, Grid::on};
  params.price = {Ticks{order.price}, Grid::on};
  params.trigger = {Ticks{order.trigger}, Grid::on};
  if (order.trailing_offset_bps >= 0) params.trailing_offset_bps = order.trailing_offset_bps;
  if (order.limit_offset_bps >= 0) params.limit_offset_bps = order.limit_offset_bps;
  if (order.max_slippage_bps >= 0) params.max_slippage_bps = order.max_slippage_bps;
  if (command.price.grid != Grid::absent) params.price = command.price;
  if (command.size.grid != Grid::absent) params.quantity = command.size;
  return params;
}

// Whether a size is at most that many lots. A size between two lots has the lower one as its value; one beyond all
// numbers is never smaller.
bool no_larger(const MeasuredLots& size, Lots lots) {
  return size.grid == Grid::on ? size.value <= lots : size.grid == Grid::off && size.value < lots;
}

Reject check_amendable(const State& state, const AmendOrder& command, AccountIndex account, Slot slot) {
  if (slot == no_slot || state.orders[slot].account != account) {
    // A former order cannot be amended; one that never existed cannot be found.
    const bool ended = slot == no_slot && command.order.exists() && command.order <= state.last_order;
    return ended ? Reject::invalid_amend : Reject::order_not_found;
  }
  const bool price = command.price.grid != Grid::absent;
  const bool size = command.size.grid != Grid::absent;
  if (size && no_larger(command.size, Lots{state.orders[slot].filled})) return Reject::invalid_amend;
  if (!state.market(state.orders[slot].market).active()) return Reject::market_halted;
  if (!price && !size) return Reject::invalid_amend;
  const bool priceless = state.orders[slot].waiting && !needs_price(state.orders[slot].type);
  if (price && priceless) return Reject::invalid_amend;
  return Reject::none;
}

Ending replaced_by(OrderId replacement) {
  return {.status = OrderStatus::cancelled, .reason = CancelReason::amend_replace, .replaced_by = replacement};
}

// Ends the original, reported as replaced; the slot continues as the replacement, with its place in the queue.
void replace_in_place(Step& step, Slot slot, const Order& replacement) {
  State& state = step.state;
  Order& order = state.orders[slot];
  const OrderId original = order.id;
  order.updated_ms = state.now_ms;
  step.report_order(slot, replaced_by(replacement.id));

  const Lots less = Lots{order.quantity} - Lots{replacement.quantity};
  if (const TimestampMs expires_at_ms = expiry_of(state, order); expires_at_ms != 0) {
    state.expiries.remove(original);
    state.expiries.add(expires_at_ms, replacement.id);
  }
  state.orders.rename(slot, replacement.id);
  order.replaces = original;
  order.requested = replacement.requested;
  order.created_ms = state.now_ms;
  if (less > Lots{}) {
    shrink(step, slot, less, CancelReason::reduce_only);
  } else {
    step.report_order(slot);
  }
}

// What an amend does not change. The type stays even if the trigger has already fired.
void inherit(Order& replacement, const Order& original) {
  replacement.filled = original.filled;
  replacement.replaces = original.id;
  replacement.expires = original.expires;
  replacement.type = original.type;
  replacement.trigger = original.trigger;
  replacement.anchor = original.anchor;
  replacement.triggered_ms = original.triggered_ms;
  replacement.trailing_offset_bps = original.trailing_offset_bps;
  replacement.limit_offset_bps = original.limit_offset_bps;
}

Reject amend_checked(Step& step, AccountIndex account, const AmendOrder& command) {
  State& state = step.state;
  const Slot slot = state.orders.find(command.order);
  if (const Reject reject = check_amendable(state, command, account, slot); reject != Reject::none) return reject;
  const Order original = state.orders[slot];
  Market& market = state.market(original.market);
  const OrderParams params = replacement_params(original, command);
  if (const Reject reject = check_form(market, params, state.now_ms); reject != Reject::none) return reject;

  Entry entry{.order = order_from(state, account, params), .replaces = slot, .plan = &state.plan};
  Order& replacement = entry.order;
  inherit(replacement, original);
  entry.keeps_place = replacement.price == original.price && replacement.quantity <= original.quantity;

  if (const Reject reject = admit(state, market, entry); reject != Reject::none) return reject;
  if (const Reject reject = check_means(state, market, account); reject != Reject::none) return reject;
  replacement.id = state.next_order_id();
  const ClientId client_id = state.orders.client_id(original);
  if (!client_id.empty()) state.client_ids.assign(account, client_id, replacement.id);
  step.watch(replacement.id);
  if (entry.keeps_place) {
    replace_in_place(step, slot, replacement);
    return Reject::none;
  }
  const TimestampMs expires_at_ms = expiry_of(state, original);
  Order ended = extract_order(step, slot);
  ended.updated_ms = state.now_ms;
  forget_expiry(state, original);
  step.report_order(ended, client_id, replaced_by(replacement.id));
  if (replacement.waiting) {
    add_order(step, replacement, client_id, expires_at_ms);
  } else {
    act(step, market, entry, client_id, expires_at_ms);
  }
  return Reject::none;
}

// A conditional that fired enters like a new order, under its own id and with fresh priority; if it fails its
// checks it is cancelled with the reason (rule 3.5).
void fire(Step& step, Slot slot) {
  State& state = step.state;
  const ClientId client_id = state.orders.client_id(state.orders[slot]);
  Market& market = state.market(state.orders[slot].market);
  Entry entry{.order = extract_order(step, slot), .plan = &state.plan};
  Order& order = entry.order;
  order.waiting = false;
  order.triggered_ms = order.updated_ms = state.now_ms;
  if (order.type == OrderType::trailing_limit) {
    order.price =
        static_cast<std::int32_t>(trailing_limit_price(order.side, market.mark, order.limit_offset_bps).value);
  }
  const Order fired = order;
  const bool in_range = order.price <= market.spec.price_max.value;
  const Reject reject = in_range ? admit(state, market, entry) : Reject::invalid_price;
  if (reject == Reject::none) {
    act(step, market, entry, client_id, 0);
  } else {
    end_unrested(step, fired, client_id, OrderStatus::cancelled, CancelReason::rejected_at_trigger, reject);
  }
}

void place(Step& step, const Address& account, const OrderParams& params) {
  answer_item(step, [&] { return place_checked(step, account, params); });
}

}  // namespace

Reject perform(Step& step, const PlaceOrder& command) {
  place(step, command.account, command.params);
  return Reject::none;
}

Reject perform(Step& step, const PlaceBatch& command) {
  if (command.orders.empty() || command.orders.size() > limits::batch_orders_max) return Reject::invalid_batch_size;
  std::size_t in_vain = 0;  // steps that were planned and did not happen
  for (const OrderParams& params : command.orders) {
    if (in_vain >= limits::batch_makers_max) {
      answer_item(step, [] { return Reject::invalid_batch_size; });
      continue;
    }
    step.state.plan.steps.clear();
    place(step, command.account, params);
    in_vain += step.state.plan.steps.size();
    run_liquidations(step);  // before the next item (rule 3.13)
  }
  return Reject::none;
}

std::optional<Outcome> refused_batch(State& state, const PlaceBatch& batch, TimestampMs now_ms) {
  const AccountIndex account = state.known_or_stranger(batch.account);
  const Account& owner = state.account(account);
  const bool has_size = !batch.orders.empty() && batch.orders.size() <= limits::batch_orders_max;
  if (!has_size || std::ranges::any_of(owner.holdings, &Holding::has_orders)) return std::nullopt;
  Outcome outcome{.sequence = state.sequence};
  std::size_t in_vain = 0;
  for (const OrderParams& params : batch.orders) {
    Reject reject = Reject::invalid_batch_size;
    if (in_vain < limits::batch_makers_max) {
      if (params.market.value >= state.markets.size()) return std::nullopt;
      const Market& market = state.market(params.market);
      if (has_means(owner, market)) return std::nullopt;
      state.plan.steps.clear();
      Entry entry{.plan = &state.plan};
      reject = check_new_order(state, market, account, params, now_ms, entry);
      in_vain += state.plan.steps.size();
    }
    if (reject == Reject::none) return std::nullopt;
    outcome.orders.emplace_back().reject = reject;
  }
  return outcome;
}

Reject perform(Step& step, const AmendOrder& command) {
  const AccountIndex owner = step.state.known_or_stranger(command.account);
  answer_item(step, [&] { return amend_checked(step, owner, command); });
  return Reject::none;
}

void fire_triggers(Step& step, const OracleTick& tick) {
  State& state = step.state;
  std::vector<Slot> hit;
  for (const OracleTick::Price& price : tick.prices) {
    Market& market = state.market(price.market);
    if (market.active()) market.triggers.collect(market.mark, state.orders, hit);
  }
  state.orders.sort(hit);
  std::vector<std::pair<Slot, OrderId>> fired;
  for (const Slot slot : hit) fired.emplace_back(slot, state.orders[slot].id);
  for (const auto& [slot, id] : fired) {
    // An earlier one may have ended this one, by a liquidation or by flattening the position.
    const Order& order = state.orders[slot];
    if (order.id != id || !order.waiting || !state.market(order.market).active()) continue;
    fire(step, slot);
    run_liquidations(step);
  }
}

std::vector<Slot> live_orders(const State& state, const Account& account, std::optional<MarketIndex> market,
                              CancelScope scope) {
  std::vector<Slot> slots;
  for (const Market& candidate : state.markets) {
    if (market && candidate.index != *market) continue;
    const Holding& holding = account.holdings[candidate.index.value];
    for (const OpenSide* side : {&holding.buys, &holding.sells}) {
      for (const OpenEntry& entry : side->entries()) slots.push_back(entry.slot());
    }
    if (scope == CancelScope::everything) slots.insert(slots.end(), holding.waiting.begin(), holding.waiting.end());
  }
  state.orders.sort(slots);
  return slots;
}

Reject perform(Step& step, const CancelOrder& command) {
  State& state = step.state;
  const Slot slot = state.orders.find(command.order);
  if (slot == no_slot || state.account(state.orders[slot].account).address != command.account)
    return Reject::order_not_found;
  state.outcome.orders.emplace_back(Reject::none, cancel(step, slot, CancelReason::user));
  return Reject::none;
}

Reject perform(Step& step, const CancelAll& command) {
  State& state = step.state;
  if (command.market && command.market->value >= state.markets.size()) return Reject::unknown_market;
  const auto owner = state.find_account(command.account);
  if (!owner) return Reject::none;
  std::vector<Slot> slots = live_orders(state, state.account(*owner), command.market, command.scope);
  // As the list of open orders has them: a conditional that fired keeps its id. (D-1059)
  std::ranges::sort(slots, {}, [&](Slot slot) { return state.orders[slot].id; });
  for (const Slot slot : slots) {
    state.outcome.orders.emplace_back(Reject::none, cancel(step, slot, command.reason));
  }
  return Reject::none;
}

void cancel_in_market(Step& step, AccountIndex account, MarketIndex market, CancelReason reason) {
  for (const Slot slot : live_orders(step.state, step.state.account(account), market, CancelScope::everything)) {
    cancel(step, slot, reason);
  }
}

void expire_orders(Step& step) {
  for (auto due = step.state.expiries.first(); due && due->first <= step.state.now_ms;
       due = step.state.expiries.first()) {
    const Slot slot = step.state.orders.find(due->second);
    SVC_ASSERT(slot != no_slot);
    cancel(step, slot, CancelReason::expired, OrderStatus::expired);
  }
}

Slot store_order(State& state, const Order& order, const ClientId& client_id) {
  const Slot slot = state.orders.add(order, client_id);
  Market& market = state.market(order.market);
  Holding& holding = state.holding(order.account, order.market);
  if (order.waiting) {
    market.triggers.add(slot, order);
    holding.waiting.push_back(slot);
    return slot;
  }
  market.book.insert(slot, order.side, {order.price}, order.remaining());
  OpenSide& side = holding.open(order.side);
  side.insert(state.orders.entry(slot), order.price, slot, claim_of(market, holding, order));
  if (order.reduce_only) side.add_reduce_only(order.remaining());
  return slot;
}

void fill_resting(Step& step, Slot slot, Lots lots) {
  Order& order = step.state.orders[slot];
  SVC_ASSERT(lots <= order.remaining());
  take_off_book(step, slot, lots);
  order.filled += static_cast<std::int32_t>(lots.value);
  order.updated_ms = step.state.now_ms;
  if (order.remaining() == Lots{}) {
    end(step, slot, OrderStatus::filled, CancelReason::none);
    return;
  }
  update_reservation(step.state, slot);
  step.report_order(slot);
}

void shrink(Step& step, Slot slot, Lots by, CancelReason reason) {
  Order& order = step.state.orders[slot];
  SVC_ASSERT(by > Lots{} && by <= order.remaining());
  if (by == order.remaining()) {
    take_off(step, slot);
    order.quantity = order.filled;
    order.updated_ms = step.state.now_ms;
    end(step, slot, OrderStatus::cancelled, reason);
    return;
  }
  if (!order.waiting) take_off_book(step, slot, by);
  order.quantity -= static_cast<std::int32_t>(by.value);
  order.updated_ms = step.state.now_ms;
  if (!order.waiting) update_reservation(step.state, slot);
  step.report_order(slot);
}

const OrderRecord& cancel(Step& step, Slot slot, CancelReason reason, OrderStatus status) {
  take_off(step, slot);
  step.state.orders[slot].updated_ms = step.state.now_ms;
  return end(step, slot, status, reason);
}

void follow_position(Step& step, AccountIndex account, const Market& market, Lots before) {
  const Holding& holding = step.state.holding(account, market.index);
  trim_reduce_only(step, holding);
  const bool became_flat = before != Lots{} && holding.position.size == Lots{};
  if (!became_flat || holding.waiting.empty()) return;
  const std::vector<Slot> waiting = holding.waiting;
  for (const Slot slot : waiting) {
    if (step.state.orders[slot].reduce_only) cancel(step, slot, CancelReason::reduce_only);
  }
}

void reprice(State& state, const Market& market, Holding& holding) {
  revalue(market, holding);
  for (OpenSide* side : {&holding.buys, &holding.sells}) {
    for (const OpenEntry& entry : side->entries()) {
      const Slot slot = entry.slot();
      side->update(state.orders.entry(slot), claim_of(market, holding, state.orders[slot]));
    }
  }
}

}  // namespace svc::engine
