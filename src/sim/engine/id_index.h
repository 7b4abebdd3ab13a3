// From order ids to slots: open addressing with linear probing over slots alone; the ids are read from the orders.
// A quarter to a half of the table is in use, so an order costs it 8 to 16 bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "sim/engine/order.h"

namespace svc::engine {

class IdIndex {
 public:
  // no_slot if no order has the id. `orders` are all orders by slot; those in the table keep their ids.
  template <class Orders>
  [[nodiscard]] Slot find(const Orders& orders, OrderId id) const {
    for (std::size_t at = home(id);; at = (at + 1) & mask_) {
      const Slot slot = table_[at];
      if (slot == no_slot || orders[slot].id == id) return slot;
    }
  }

  template <class Orders>
  void insert(const Orders& orders, Slot slot) {
    if (2 * ++count_ > table_.size()) grow(orders);
    put(orders[slot].id, slot);
  }

  template <class Orders>
  void erase(const Orders& orders, Slot slot) {
    std::size_t hole = home(orders[slot].id);
    while (table_[hole] != slot) {
      SVC_ASSERT(table_[hole] != no_slot);
      hole = (hole + 1) & mask_;
    }
    // Close the gap, so that every entry stays reachable from its home.
    for (std::size_t at = (hole + 1) & mask_; table_[at] != no_slot; at = (at + 1) & mask_) {
      const std::size_t from_home = (at - home(orders[table_[at]].id)) & mask_;
      const std::size_t from_hole = (at - hole) & mask_;
      if (from_home < from_hole) continue;
      table_[hole] = table_[at];
      hole = at;
    }
    table_[hole] = no_slot;
    --count_;
  }

 private:
  [[nodiscard]] std::size_t home(OrderId id) const {
    return static_cast<std::size_t>((id.value * 0x9E3779B97F4A7C15) >> shift_);
  }
  void put(OrderId id, Slot slot) {
    std::size_t at = home(id);
    while (table_[at] != no_slot) at = (at + 1) & mask_;
    table_[at] = slot;
  }
  template <class Orders>
  void grow(const Orders& orders) {
    const std::vector<Slot> old = std::move(table_);
    table_.assign(old.size() * 2, no_slot);
    mask_ = table_.size() - 1;
    shift_ = 64 - std::countr_zero(table_.size());
    for (const Slot slot : old) {
      if (slot != no_slot) put(orders[slot].id, slot);
    }
  }

  std::vector<Slot> table_ = std::vector<Slot>(1024, no_slot);
  std::size_t mask_ = 1023;
  int shift_ = 54;
  std::size_t count_ = 0;
};

}  // namespace svc::engine
