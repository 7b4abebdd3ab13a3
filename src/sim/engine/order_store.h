// Every live order of the venue, by slot and by id. A slot is reused once its order has ended.
#pragma once

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/find.h"
#include "sim/engine/ids.h"
#include "sim/engine/open_side.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// A live order as the engine keeps it: small, because there may be a million of them. Together with its node in
// the book, its entry in the owner's list, its client id and its place in the id map it takes at most 256 bytes.
struct Order {
  OrderId id{};
  OrderId replaces{};
  std::uint64_t priority = 0;  // acceptance order over the whole engine; lower is earlier
  TimestampMs created_ms = 0;
  TimestampMs updated_ms = 0;
  TimestampMs triggered_ms = 0;  // 0: still waiting, or not a conditional
  std::int32_t price = 0;        // ticks; 0 while a market-family order waits
  std::int32_t trigger = 0;
  std::int32_t anchor = 0;     // of a trailing order: the best mark seen (rule 3.4)
  std::int32_t requested = 0;  // requested lots before clamping, for comparison with a repeated client id
  std::int32_t quantity = 0;   // lots
  std::int32_t filled = 0;
  std::int32_t trailing_offset_bps = -1;  // -1: not given
  std::int32_t limit_offset_bps = -1;
  std::int32_t max_slippage_bps = -1;
  std::uint32_t client_id = 0;  // index into OrderStore's texts; 0 = none
  AccountIndex account{};
  MarketIndex market{};
  Side side = Side::buy;
  OrderType type = OrderType::limit;
  TimeInForce time_in_force = TimeInForce::gtc;
  StpMode stp = StpMode::none;
  bool reduce_only = false;
  bool waiting = false;  // conditional, not triggered yet
  bool expires = false;  // has an entry in State::expiries

  [[nodiscard]] Lots remaining() const { return {std::int64_t{quantity} - filled}; }
};
static_assert(sizeof(Order) <= 112);

// When orders expire: soonest first, and with direct access to each order's own time.
class Expiries {
 public:
  using Entry = std::pair<TimestampMs, OrderId>;

  // The order must not have an expiry yet.
  void add(TimestampMs at_ms, OrderId order) {
    soonest_.emplace(at_ms, order);
    times_.emplace(order, at_ms);
  }
  void remove(OrderId order) {
    const auto found = times_.find(order);
    if (found == times_.end()) return;
    soonest_.erase({found->second, order});
    times_.erase(found);
  }
  // 0 if the order has none.
  [[nodiscard]] TimestampMs of(OrderId order) const { return value_in(times_, order).value_or(0); }

  [[nodiscard]] std::optional<Entry> first() const {
    return soonest_.empty() ? std::nullopt : std::optional(*soonest_.begin());
  }
  // Soonest first.
  [[nodiscard]] const std::set<Entry>& entries() const { return soonest_; }

  template <class Archive>
  void archive(Archive& archive) {
    archive(soonest_);
    if constexpr (Archive::reading) {
      times_.clear();
      for (const auto& [at_ms, order] : soonest_) times_.emplace(order, at_ms);
    }
  }

 private:
  std::set<Entry> soonest_;
  std::map<OrderId, TimestampMs> times_;
};

// From order ids to slots: open addressing with linear probing over slots alone; the ids are read from the orders.
// A quarter to a half of the table is in use, so an order costs 8 to 16 bytes there.
class IdIndex {
 public:
  // no_slot if no order has the id. `orders` are all orders by slot; the ids of those in the table do not change.
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

class OrderStore {
 public:
  // Stores the order; its id must be new.
  [[nodiscard]] Slot add(const Order& order, const ClientId& client_id);
  void remove(Slot slot);
  // Gives the order a new id (an amend that keeps priority).
  void rename(Slot slot, OrderId id);

  [[nodiscard]] Order& operator[](Slot slot) { return orders_[slot]; }
  [[nodiscard]] const Order& operator[](Slot slot) const { return orders_[slot]; }
  // The order's place in its owner's list.
  [[nodiscard]] OpenEntry& entry(Slot slot) { return entries_[slot]; }
  [[nodiscard]] Slot find(OrderId id) const { return by_id_.find(orders_, id); }
  [[nodiscard]] const ClientId& client_id(const Order& order) const { return client_ids_[order.client_id]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // Earliest accepted first.
  void sort(std::vector<Slot>& slots) const {
    std::ranges::sort(slots, {}, [this](Slot slot) { return orders_[slot].priority; });
  }
  // The live orders, sorted.
  [[nodiscard]] std::vector<Slot> by_priority() const;

 private:
  std::vector<Order, HugePageAllocator<Order>> orders_{1};
  std::deque<OpenEntry> entries_{1};  // by slot, like the orders, but they do not move
  std::vector<Slot> free_slots_;
  IdIndex by_id_;
  std::vector<ClientId> client_ids_{1};  // the first is the empty one
  std::vector<std::uint32_t> free_client_ids_;
  std::size_t size_ = 0;
};

// Untriggered conditionals of one market, and which of them a new mark price fires (rules 3.3 and 3.4).
class Triggers {
 public:
  void add(Slot slot, const Order& order);
  void remove(Slot slot, const Order& order);

  // Moves the anchors of trailing orders, then appends every order that this mark fires, in no particular order.
  void collect(Ticks mark, OrderStore& orders, std::vector<Slot>& fired);

 private:
  using Prices = std::set<std::pair<std::int32_t, Slot>>;

  // A buy stop and a sell take-profit wait for a rising mark.
  [[nodiscard]] Prices& side_of(const Order& order) {
    return is_stop(order.type) == (order.side == Side::buy) ? rising_ : falling_;
  }

  Prices rising_;   // fire at mark >= trigger
  Prices falling_;  // fire at mark <= trigger
  std::vector<Slot> trailing_;
};

// One mark update of a trailing order: the anchor is updated first, then the distance is measured.
struct Trail {
  Ticks anchor;
  bool fires;
};
[[nodiscard]] Trail trail(Side side, Ticks anchor, Ticks mark, std::int32_t offset_bps);

// Limit of a fired TrailingLimit: above the mark for a buy, below for a sell, rounded to the tighter tick (rule
// 3.4).
[[nodiscard]] Ticks trailing_limit_price(Side side, Ticks mark, std::int32_t limit_offset_bps);

}  // namespace svc::engine
