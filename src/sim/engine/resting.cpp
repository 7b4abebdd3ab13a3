#include "sim/engine/resting.h"

#include <algorithm>

#include "sim/engine/margin.h"

namespace svc::engine {
namespace {

// The order's line in its owner's list.
OpenEntry entry_of(const State& state, const Market& market, const Holding& holding, Slot slot) {
  const Order& order = state.orders[slot];
  if (order.reduce_only) return {.price = order.price, .slot = slot};
  const i128 reserved = reservation(market, market.terms(holding).leverage, {order.price}, order.remaining());
  return {order.price, slot, order.remaining().value, narrow(reserved)};
}

// Lots leave the book; the order keeps its place unless nothing is left.
void take_off_book(Step& step, Slot slot, Lots by) {
  const Order& order = step.state.orders[slot];
  Market& market = step.state.market(order.market);
  Holding& holding = step.state.holding(order.account, order.market);
  OpenSide& side = holding.open(order.side);
  if (order.reduce_only) side.add_reduce_only(-by);
  if (by == market.book.remaining(slot)) {
    market.book.remove(slot);
    side.remove(order.price, slot);
  } else {
    market.book.reduce(slot, by);
  }
  step.tell_level(market, order.side, {order.price});
  step.touch_orders(order.account, order.market);
}

void update_reservation(State& state, Slot slot) {
  const Order& order = state.orders[slot];
  Holding& holding = state.holding(order.account, order.market);
  holding.open(order.side).update(entry_of(state, state.market(order.market), holding, slot));
}

// From the book, or from the triggers.
void take_off(Step& step, Slot slot) {
  const Order& order = step.state.orders[slot];
  if (!order.waiting) {
    take_off_book(step, slot, order.remaining());
    return;
  }
  step.state.market(order.market).triggers.remove(slot, order);
  std::erase(step.state.holding(order.account, order.market).waiting, slot);
}

// Tells the order's end and drops it from the store.
const OrderRecord& end(Step& step, Slot slot, OrderStatus status, CancelReason reason) {
  const OrderRecord& record = step.tell_order(slot, {.status = status, .reason = reason});
  forget_expiry(step.state, step.state.orders[slot]);
  step.state.orders.remove(slot);
  return record;
}

void rest(State& state, Slot slot) {
  const Order& order = state.orders[slot];
  Market& market = state.market(order.market);
  Holding& holding = state.holding(order.account, order.market);
  market.book.insert(slot, order.side, {order.price}, order.remaining());
  OpenSide& side = holding.open(order.side);
  side.insert(entry_of(state, market, holding, slot));
  if (order.reduce_only) side.add_reduce_only(order.remaining());
}

}  // namespace

Slot put_in(State& state, const Order& order, const ClientId& client_id) {
  const Slot slot = state.orders.add(order, client_id);
  if (order.waiting) {
    state.market(order.market).triggers.add(slot, order);
    state.holding(order.account, order.market).waiting.push_back(slot);
  } else {
    rest(state, slot);
  }
  return slot;
}

Slot settle_in(Step& step, Order& order, const ClientId& client_id, TimestampMs expires_at_ms) {
  State& state = step.state;
  SVC_ASSERT(order.remaining() > Lots{});
  order.priority = ++state.last_priority;
  const Slot slot = put_in(state, order, client_id);
  if (!order.waiting) {
    step.tell_level(state.market(order.market), order.side, {order.price});
    step.touch_orders(order.account, order.market);
  }
  if (expires_at_ms != 0) state.expiries.add(expires_at_ms, order.id);
  step.tell_order(slot);
  return slot;
}

TimestampMs expiry_of(const State& state, const Order& order) {
  return order.expires ? state.expiries.of(order.id) : 0;
}

void forget_expiry(State& state, const Order& order) {
  if (order.expires) state.expiries.remove(order.id);
}

void rename(State& state, Slot slot, OrderId id) {
  const Order& order = state.orders[slot];
  if (const TimestampMs expires_at_ms = expiry_of(state, order); expires_at_ms != 0) {
    state.expiries.remove(order.id);
    state.expiries.add(expires_at_ms, id);
  }
  state.orders.rename(slot, id);
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
  step.tell_order(slot);
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
  step.tell_order(slot);
}

const OrderRecord& cancel(Step& step, Slot slot, CancelReason reason, OrderStatus status) {
  take_off(step, slot);
  step.state.orders[slot].updated_ms = step.state.now_ms;
  return end(step, slot, status, reason);
}

Order take_out(Step& step, Slot slot) {
  take_off(step, slot);
  const Order order = step.state.orders[slot];
  step.state.orders.remove(slot);
  return order;
}

void trim_reduce_only(Step& step, AccountIndex account, Market& market) {
  Holding& holding = step.state.holding(account, market.index);
  const Lots size = holding.position.size;
  for (OpenSide* side : {&holding.buys, &holding.sells}) {
    Lots allowed = opposes(side->side(), size) ? magnitude(size) : Lots{};
    if (side->reduce_only_lots() <= allowed) continue;
    // Cutting changes the list that is walked, so the cuts are collected first.
    std::vector<std::pair<Slot, Lots>> cuts;
    for (auto entry = side->entries().rbegin(); entry != side->entries().rend(); ++entry) {
      const Order& order = step.state.orders[entry->slot];
      if (!order.reduce_only) continue;
      const Lots kept = std::min(allowed, order.remaining());
      allowed -= kept;
      if (kept < order.remaining()) cuts.emplace_back(entry->slot, order.remaining() - kept);
    }
    for (const auto& [slot, by] : cuts) shrink(step, slot, by, CancelReason::reduce_only);
  }
}

void follow_position(Step& step, AccountIndex account, Market& market, Lots before) {
  trim_reduce_only(step, account, market);
  const Holding& holding = step.state.holding(account, market.index);
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
    const std::vector<OpenEntry> entries = side->entries();
    for (const OpenEntry& entry : entries) side->update(entry_of(state, market, holding, entry.slot));
  }
}

}  // namespace svc::engine
