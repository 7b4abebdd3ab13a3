// Orders of one market, by price and then time. The book knows prices, quantities and slots; owners and other
// properties of an order are known elsewhere.
//
// A slot is a number that the caller chose for an order (1, 2, 3, ... kept dense). The book's own record of the
// order is at that index, so there is no look-up, and no allocation per order once the arrays have grown.
//
// Invariants
//   (B1) best bid < best ask between calls, provided the caller never inserts across the spread
//   (B2) a level's lots and orders are the sum and the number of its orders
//   (B3) within a level, orders are in the order of insertion; a reduced order keeps its place
#pragma once

#include <array>
#include <bit>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/assert.h"
#include "base/decimal.h"
#include "base/huge_pages.h"
#include "base/limits.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// True if an order of this side and limit does not accept the price.
[[nodiscard]] constexpr bool beyond(Side side, Ticks price, Ticks limit) {
  return side == Side::buy ? price > limit : price < limit;
}

// Which prices of a window hold orders: a bitmap of 65,536 bits under two summaries, so that finding the next price
// in either direction takes at most five word reads, however wide the gap.
class PriceBitmap {
 public:
  static constexpr int size = limits::book_window_ticks;
  static constexpr int none = -1;

  void set(int at) {
    words_[word(at)] |= bit(at);
    groups_[group(at)] |= bit(at >> 6);
    top_ |= bit(at >> 12);
  }
  void clear(int at) {
    words_[word(at)] &= ~bit(at);
    if (words_[word(at)] != 0) return;
    groups_[group(at)] &= ~bit(at >> 6);
    if (groups_[group(at)] == 0) top_ &= ~bit(at >> 12);
  }

  // The lowest set position >= at, or none. at may be `size`.
  [[nodiscard]] int at_or_above(int at) const {
    if (at >= size) return none;
    if (const auto w = words_[word(at)] & from(at)) return (at & ~63) | low(w);
    at = (at >> 6) + 1;
    if (at < size >> 6) {
      if (const auto g = groups_[static_cast<std::size_t>(at >> 6)] & from(at))
        return first_in_word((at & ~63) | low(g));
    }
    at = (at >> 6) + 1;
    if (at >= size >> 12) return none;
    const auto t = top_ & from(at);
    return t == 0 ? none : first_in_group(low(t));
  }

  // The highest set position <= at, or none. at may be -1.
  [[nodiscard]] int at_or_below(int at) const {
    if (at < 0) return none;
    if (const auto w = words_[word(at)] & upto(at)) return (at & ~63) | high(w);
    at = (at >> 6) - 1;
    if (at < 0) return none;
    if (const auto g = groups_[static_cast<std::size_t>(at >> 6)] & upto(at)) return last_in_word((at & ~63) | high(g));
    at = (at >> 6) - 1;
    if (at < 0) return none;
    const auto t = top_ & upto(at);
    return t == 0 ? none : last_in_group(high(t));
  }

 private:
  static_assert(size == 64 * 64 * 16);

  static std::size_t word(int at) { return static_cast<std::size_t>(at >> 6); }
  static std::size_t group(int at) { return static_cast<std::size_t>(at >> 12); }
  static std::uint64_t bit(int at) { return std::uint64_t{1} << (at & 63); }
  static std::uint64_t from(int at) { return ~std::uint64_t{0} << (at & 63); }
  static std::uint64_t upto(int at) { return ~std::uint64_t{0} >> (63 - (at & 63)); }
  static int low(std::uint64_t w) { return std::countr_zero(w); }
  static int high(std::uint64_t w) { return 63 - std::countl_zero(w); }

  [[nodiscard]] int first_in_word(int w) const { return w << 6 | low(words_[static_cast<std::size_t>(w)]); }
  [[nodiscard]] int last_in_word(int w) const { return w << 6 | high(words_[static_cast<std::size_t>(w)]); }
  [[nodiscard]] int first_in_group(int g) const {
    return first_in_word(g << 6 | low(groups_[static_cast<std::size_t>(g)]));
  }
  [[nodiscard]] int last_in_group(int g) const {
    return last_in_word(g << 6 | high(groups_[static_cast<std::size_t>(g)]));
  }

  std::array<std::uint64_t, size / 64> words_{};
  std::array<std::uint64_t, size / 4096> groups_{};
  std::uint64_t top_ = 0;
};

// Orders of one price, first in first out. Slots are indexes of the order book's nodes; 0 = none.
struct Level {
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::uint32_t orders = 0;
  std::int64_t lots = 0;  // sum of what remains of them
};

// The price levels of one market, found by price: a flat array around the touch, an ordered map beyond it.
//
// Both sides share it, because one price has only bids or only asks. When trading moves away from the flat part, it is
// moved, at a cost amortised over the operations that missed it. A level is empty when it has no orders.
class PriceLevels {
 public:
  static constexpr std::int32_t none = -1;  // no such price; prices are at least 1

  PriceLevels();

  // The level of a price >= 1. Valid until the next call that is not const.
  [[nodiscard]] Level& at(std::int32_t price) {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    return offset < window ? window_[offset] : outside(price);
  }
  // An empty level if the price was never occupied.
  [[nodiscard]] const Level& at(std::int32_t price) const {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    return offset < window ? window_[offset] : outside(price);
  }

  // Must be called when a level becomes occupied or empty.
  void occupied(std::int32_t price) {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    if (offset < window) bitmap_.set(static_cast<int>(offset));
  }
  void emptied(std::int32_t price) {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    if (offset < window) {
      bitmap_.clear(static_cast<int>(offset));
    } else {
      outside_.erase(price);
    }
  }

  // Nearest occupied price above or below the given one, which is excluded; `none` if there is none.
  [[nodiscard]] std::int32_t above(std::int32_t price) const {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    if (offset < window) {
      const int found = bitmap_.at_or_above(static_cast<int>(offset) + 1);
      if (found != PriceBitmap::none) return base_ + found;
      if (outside_.empty()) return none;
    }
    return above_outside(price);
  }
  [[nodiscard]] std::int32_t below(std::int32_t price) const {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    if (offset < window) {
      const int found = bitmap_.at_or_below(static_cast<int>(offset) - 1);
      if (found != PriceBitmap::none) return base_ + found;
      if (outside_.empty()) return none;
    }
    return below_outside(price);
  }

  // Centres the window on the price if enough operations missed it.
  void consider_moving(std::int32_t centre) {
    if (misses_ >= misses_before_move + outside_.size()) move_window_to(centre);
  }

 private:
  static constexpr std::uint32_t window = limits::book_window_ticks;
  // Moving costs one step per occupied level, so at least that many operations must have missed the window.
  static constexpr std::uint32_t misses_before_move = 4'096;

  [[nodiscard]] Level& outside(std::int32_t price);
  [[nodiscard]] const Level& outside(std::int32_t price) const;
  [[nodiscard]] std::int32_t above_outside(std::int32_t price) const;
  [[nodiscard]] std::int32_t below_outside(std::int32_t price) const;
  void move_window_to(std::int32_t centre);
  void move_window(std::int32_t base);

  struct Free {
    void operator()(Level* memory) const { std::free(memory); }
  };

  std::int32_t base_ = 0;
  bool placed_ = false;  // the first order decides where the window is
  std::uint32_t misses_ = 0;
  std::unique_ptr<Level[], Free> window_;  // from calloc: pages never touched cost no memory
  PriceBitmap bitmap_;
  std::map<std::int32_t, Level> outside_;
};

using Slot = std::uint32_t;
inline constexpr Slot no_slot = 0;

class OrderBook {
 public:
  // Makes room for slots below `slots`; without it, insert grows the array as needed.
  void reserve(std::size_t slots) {
    if (slots > nodes_.size()) nodes_.resize(slots);
  }

  // Appends to the queue of the price. The slot must not be in the book; price and lots fit 31 bits and are >= 1.
  void insert(Slot slot, Side side, Ticks price, Lots lots);
  void remove(Slot slot);
  // Reduces an order, which keeps its place; 0 < by < remaining.
  void reduce(Slot slot, Lots by);

  [[nodiscard]] bool contains(Slot slot) const { return slot < nodes_.size() && nodes_[slot].lots != 0; }
  [[nodiscard]] Lots remaining(Slot slot) const { return {nodes_[slot].lots}; }
  [[nodiscard]] Ticks price(Slot slot) const { return {price_of(nodes_[slot])}; }
  [[nodiscard]] Side side(Slot slot) const { return nodes_[slot].signed_price < 0 ? Side::sell : Side::buy; }

  [[nodiscard]] std::optional<Ticks> best(Side side) const;
  [[nodiscard]] bool empty(Side side) const { return best_price(side) == PriceLevels::none; }

  // True if an order of this side and limit would match an order of the other side.
  [[nodiscard]] bool crosses(Side side, Ticks limit) const {
    const std::int32_t touch = best_price(opposite(side));
    return touch != PriceLevels::none && !beyond(side, {touch}, limit);
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

// Matching spends its time in these functions, so they are inline.

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
