#include "sim/engine/order_store.h"

namespace svc::engine {

Slot OrderStore::add(const Order& order, const ClientId& client_id) {
  SVC_ASSERT(order.id.exists() && find(order.id) == no_slot);
  Slot slot;
  if (free_slots_.empty()) {
    slot = static_cast<Slot>(orders_.size());
    orders_.push_back(order);
    entries_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    orders_[slot] = order;
  }
  std::uint32_t& text = orders_[slot].client_id;
  text = 0;
  if (!client_id.empty()) {
    if (free_client_ids_.empty()) {
      text = static_cast<std::uint32_t>(client_ids_.size());
      client_ids_.push_back(client_id);
    } else {
      text = free_client_ids_.back();
      free_client_ids_.pop_back();
      client_ids_[text] = client_id;
    }
  }
  by_id_.insert(orders_, slot);
  ++size_;
  return slot;
}

void OrderStore::remove(Slot slot) {
  Order& order = orders_[slot];
  by_id_.erase(orders_, slot);
  if (order.client_id != 0) free_client_ids_.push_back(order.client_id);
  order.id = {};  // marks a free slot
  free_slots_.push_back(slot);
  --size_;
}

std::vector<Slot> OrderStore::by_priority() const {
  std::vector<Slot> slots;
  slots.reserve(size_);
  for (Slot slot = 1; slot < orders_.size(); ++slot) {
    if (orders_[slot].id.exists()) slots.push_back(slot);
  }
  sort(slots);
  return slots;
}

void OrderStore::rename(Slot slot, OrderId id) {
  by_id_.erase(orders_, slot);
  orders_[slot].id = id;
  by_id_.insert(orders_, slot);
}

Trail trail(Side side, Ticks anchor, Ticks mark, std::int32_t offset_bps) {
  const bool sell = side == Side::sell;
  anchor = sell ? std::max(anchor, mark) : std::min(anchor, mark);
  const i128 scaled = static_cast<i128>(mark.value) * limits::basis_points;
  const i128 distance = static_cast<i128>(anchor.value) * (limits::basis_points + (sell ? -offset_bps : offset_bps));
  return {anchor, sell ? scaled <= distance : scaled >= distance};
}

Ticks trailing_limit_price(Side side, Ticks mark, std::int32_t limit_offset_bps) {
  const bool buy = side == Side::buy;
  const std::int64_t factor = limits::basis_points + (buy ? limit_offset_bps : -limit_offset_bps);
  return {mul_div(mark.value, factor, limits::basis_points, buy ? Rounding::down : Rounding::up)};
}

void Triggers::add(Slot slot, const Order& order) {
  if (is_trailing(order.type)) {
    trailing_.push_back(slot);
  } else {
    side_of(order).emplace(order.trigger, slot);
  }
}

void Triggers::remove(Slot slot, const Order& order) {
  if (is_trailing(order.type)) {
    std::erase(trailing_, slot);
  } else {
    side_of(order).erase({order.trigger, slot});
  }
}

void Triggers::collect(Ticks mark, OrderStore& orders, std::vector<Slot>& fired) {
  for (auto next = rising_.begin(); next != rising_.end() && next->first <= mark.value; ++next) {
    fired.push_back(next->second);
  }
  for (auto next = falling_.rbegin(); next != falling_.rend() && next->first >= mark.value; ++next) {
    fired.push_back(next->second);
  }
  for (const Slot slot : trailing_) {
    Order& order = orders[slot];
    const Trail moved = trail(order.side, {order.anchor}, mark, order.trailing_offset_bps);
    order.anchor = static_cast<std::int32_t>(moved.anchor.value);
    if (moved.fires) fired.push_back(slot);
  }
}

}  // namespace svc::engine
