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
#include "sim/engine/price_levels.h"
#include "sim/engine/terms.h"

namespace svc::engine {

using Slot = std::uint32_t;
inline constexpr Slot no_slot = 0;

class OrderBook {
 public:
  // Makes room for slots below `slots` at once; insert grows the array by itself otherwise.
  void reserve(std::size_t slots) { nodes_.reserve(slots); }

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

  static std::int32_t price_of(const Node& node) { return node.signed_price < 0 ? ~node.signed_price : node.signed_price; }
  [[nodiscard]] std::int32_t best_price(Side side) const { return side == Side::buy ? best_bid_ : best_ask_; }
  [[nodiscard]] std::int32_t next_price(Side side, std::int32_t price) const {
    return side == Side::buy ? levels_.below(price) : levels_.above(price);
  }

  std::vector<Node> nodes_{1};
  PriceLevels levels_;
  std::int32_t best_bid_ = PriceLevels::none;
  std::int32_t best_ask_ = PriceLevels::none;
};

}  // namespace svc::engine
