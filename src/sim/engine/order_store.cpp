#include "sim/engine/order_store.h"

#include <algorithm>

namespace svc::engine {

Slot OrderStore::add(const Order& order, const ClientId& client_id) {
  SVC_ASSERT(order.id.exists() && find(order.id) == no_slot);
  Slot slot;
  if (free_slots_.empty()) {
    slot = static_cast<Slot>(orders_.size());
    orders_.push_back(order);
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
  std::sort(slots.begin(), slots.end(), [this](Slot a, Slot b) { return orders_[a].priority < orders_[b].priority; });
  return slots;
}

void OrderStore::rename(Slot slot, OrderId id) {
  by_id_.erase(orders_, slot);
  orders_[slot].id = id;
  by_id_.insert(orders_, slot);
}

}  // namespace svc::engine
