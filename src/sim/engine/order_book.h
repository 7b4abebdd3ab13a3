// Orders of one market, by price and then time. It knows prices, quantities and slots; what an order is, whose it
// is and what it may do is known elsewhere.
//
// A slot is a number that the caller chose for an order (1, 2, 3, ... kept dense): the book's own record of it
// lives at that index, so nothing is looked up and nothing is allocated per order once the arrays have grown.
//
// Invariants
//   (B1) best bid < best ask between calls, provided the caller never inserts across the spread
//   (B2) a level's lots and orders are the sum and the number of its orders
//   (B3) within a level, orders stand in the order of insertion; a reduction keeps the place
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/assert.h"
#include "base/fixed.h"
#include "base/huge_pages.h"
#include "base/limits.h"
#include "sim/engine/price_levels.h"
#include "sim/engine/terms.h"

namespace svc::engine {

using Slot = std::uint32_t;
inline constexpr Slot no_slot = 0;

class OrderBook {
 public:
  // Makes room for slots below `slots` at once; insert grows the array by itself otherwise.
  void reserve(std::size_t slots) {
    if (slots > nodes_.size()) nodes_.resize(slots);
  }

  // Appends to the queue of the price. The slot must not be in the book; price and lots fit 31 bits and are >= 1.
  void insert(Slot slot, Side side, Ticks price, Lots lots);
  void remove(Slot slot);
  // Takes lots off an order, which keeps its place; 0 < by < remaining.
  void reduce(Slot slot, Lots by);

  [[nodiscard]] bool contains(Slot slot) const { return slot < nodes_.size() && nodes_[slot].lots != 0; }
  [[nodiscard]] Lots remaining(Slot slot) const { return {nodes_[slot].lots}; }
  [[nodiscard]] Ticks price(Slot slot) const { return {price_of(nodes_[slot])}; }
  [[nodiscard]] Side side(Slot slot) const { return nodes_[slot].signed_price < 0 ? Side::sell : Side::buy; }

  [[nodiscard]] std::optional<Ticks> best(Side side) const;
  [[nodiscard]] bool empty(Side side) const { return best_price(side) == PriceLevels::none; }

  // True if an order of this side and limit would meet one of the other side.
  [[nodiscard]] bool crosses(Side side, Ticks limit) const {
    const std::int32_t touch = best_price(opposite(side));
    return touch != PriceLevels::none && (side == Side::buy ? touch <= limit.value : touch >= limit.value);
  }

  // The order that fills first on a side, and the one that fills after the given one; no_slot at the end.
  [[nodiscard]] Slot first(Side side) const {
    const std::int32_t price = best_price(side);
    return price == PriceLevels::none ? no_slot : levels_.at(price).head;
  }
  [[nodiscard]] Slot after(Slot slot) const {
    const Node& node = nodes_[slot];
    if (node.next != no_slot) return node.next;
    const std::int32_t price = next_price(side(slot), price_of(node));
    return price == PriceLevels::none ? no_slot : levels_.at(price).head;
  }

  [[nodiscard]] const Level& level(Ticks price) const { return levels_.at(static_cast<std::int32_t>(price.value)); }
  // The next worse occupied price of a side.
  [[nodiscard]] std::optional<Ticks> worse(Side side, Ticks price) const;

 private:
  // 16 bytes, so that four orders share a cache line. Asks hold the complement of their price.
  struct Node {
    Slot prev = no_slot;
    Slot next = no_slot;
    std::uint32_t lots = 0;  // 0: not in the book
    std::int32_t signed_price = 0;
  };

  static bool fits_grid(std::int64_t units) {
    return static_cast<std::uint64_t>(units) - 1 < static_cast<std::uint64_t>(limits::grid_units_max);
  }
  static std::int32_t price_of(const Node& node) {
    return node.signed_price < 0 ? ~node.signed_price : node.signed_price;
  }
  [[nodiscard]] std::int32_t best_price(Side side) const { return best_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] std::int32_t next_price(Side side, std::int32_t price) const {
    return side == Side::buy ? levels_.below(price) : levels_.above(price);
  }

  void grow(Slot slot);

  std::vector<Node, HugePageAllocator<Node>> nodes_{1};
  PriceLevels levels_;
  std::int32_t best_[2] = {PriceLevels::none, PriceLevels::none};  // by side
};

// These are the whole cost of matching, so they are compiled into their callers.

inline void OrderBook::insert(Slot slot, Side side, Ticks price, Lots lots) {
  SVC_ASSERT(slot != no_slot && fits_grid(price.value) && fits_grid(lots.value));
  if (slot >= nodes_.size()) grow(slot);
  Node& node = nodes_[slot];
  SVC_ASSERT(node.lots == 0);

  const auto ticks = static_cast<std::int32_t>(price.value);
  Level& level = levels_.at(ticks);
  const Slot before = level.tail;
  node = {.prev = before,
          .next = no_slot,
          .lots = static_cast<std::uint32_t>(lots.value),
          .signed_price = side == Side::buy ? ticks : ~ticks};
  level.tail = slot;
  level.lots += lots.value;
  ++level.orders;
  if (before != no_slot) {
    nodes_[before].next = slot;
    return;
  }
  level.head = slot;
  levels_.occupied(ticks);
  std::int32_t& best = best_[static_cast<std::size_t>(side)];
  if (best == PriceLevels::none || (side == Side::buy ? ticks > best : ticks < best)) best = ticks;
  levels_.consider_moving(best);
}

inline void OrderBook::remove(Slot slot) {
  SVC_ASSERT(contains(slot));
  Node& node = nodes_[slot];
  const std::int32_t ticks = price_of(node);
  Level& level = levels_.at(ticks);
  level.lots -= node.lots;
  --level.orders;
  node.lots = 0;
  (node.prev != no_slot ? nodes_[node.prev].next : level.head) = node.next;
  (node.next != no_slot ? nodes_[node.next].prev : level.tail) = node.prev;
  if (level.head != no_slot) return;

  levels_.emptied(ticks);
  const Side side = node.signed_price < 0 ? Side::sell : Side::buy;
  std::int32_t& best = best_[static_cast<std::size_t>(side)];
  if (best == ticks) best = next_price(side, ticks);
}

inline void OrderBook::reduce(Slot slot, Lots by) {
  SVC_ASSERT(contains(slot));
  Node& node = nodes_[slot];
  SVC_ASSERT(by.value > 0 && by.value < static_cast<std::int64_t>(node.lots));
  node.lots -= static_cast<std::uint32_t>(by.value);
  levels_.at(price_of(node)).lots -= by.value;
}

}  // namespace svc::engine
