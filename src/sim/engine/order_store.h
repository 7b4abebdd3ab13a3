// Every live order of the venue, by slot and by id. A slot is reused once its order has ended.
#pragma once

#include <vector>

#include "sim/engine/id_index.h"
#include "sim/engine/ids.h"
#include "sim/engine/order.h"

namespace svc::engine {

class OrderStore {
 public:
  // Stores the order; its id must be new.
  [[nodiscard]] Slot add(const Order& order, const ClientId& client_id);
  void remove(Slot slot);
  // The order goes on under a new id (an amend that keeps priority).
  void rename(Slot slot, OrderId id);

  [[nodiscard]] Order& operator[](Slot slot) { return orders_[slot]; }
  [[nodiscard]] const Order& operator[](Slot slot) const { return orders_[slot]; }
  [[nodiscard]] Slot find(OrderId id) const { return by_id_.find(orders_, id); }
  [[nodiscard]] const ClientId& client_id(const Order& order) const { return client_ids_[order.client_id]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // The live ones, those accepted first in front.
  [[nodiscard]] std::vector<Slot> by_priority() const;

 private:
  std::vector<Order> orders_{1};
  std::vector<Slot> free_slots_;
  IdIndex by_id_;
  std::vector<ClientId> client_ids_{1};  // the first is the empty one
  std::vector<std::uint32_t> free_client_ids_;
  std::size_t size_ = 0;
};

}  // namespace svc::engine
