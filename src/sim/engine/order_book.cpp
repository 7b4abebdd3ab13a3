#include "sim/engine/order_book.h"

#include "base/limits.h"

namespace svc::engine {

void OrderBook::insert(Slot slot, Side side, Ticks price, Lots lots) {
  SVC_ASSERT(slot != no_slot && price.value >= 1 && price.value <= limits::grid_units_max);
  SVC_ASSERT(lots.value >= 1 && lots.value <= limits::grid_units_max);
  if (slot >= nodes_.size()) nodes_.resize(slot + std::size_t{1});
  Node& node = nodes_[slot];
  SVC_ASSERT(node.lots == 0);

  const auto ticks = static_cast<std::int32_t>(price.value);
  Level& level = levels_.at(ticks);
  node = {.prev = level.tail,
          .next = no_slot,
          .lots = static_cast<std::uint32_t>(lots.value),
          .signed_price = side == Side::buy ? ticks : ~ticks};
  if (level.tail != no_slot) {
    nodes_[level.tail].next = slot;
  } else {
    level.head = slot;
    levels_.occupied(ticks);
    if (side == Side::buy) {
      if (best_bid_ == PriceLevels::none || ticks > best_bid_) best_bid_ = ticks;
    } else {
      if (best_ask_ == PriceLevels::none || ticks < best_ask_) best_ask_ = ticks;
    }
  }
  level.tail = slot;
  level.lots += lots.value;
  ++level.orders;
  levels_.consider_moving(best_price(side));
}

void OrderBook::remove(Slot slot) {
  SVC_ASSERT(contains(slot));
  Node& node = nodes_[slot];
  const std::int32_t ticks = price_of(node);
  Level& level = levels_.at(ticks);
  (node.prev != no_slot ? nodes_[node.prev].next : level.head) = node.next;
  (node.next != no_slot ? nodes_[node.next].prev : level.tail) = node.prev;
  level.lots -= node.lots;
  --level.orders;
  const Side side = this->side(slot);
  node.lots = 0;
  if (level.head != no_slot) return;

  levels_.emptied(ticks);
  if (best_price(side) == ticks) (side == Side::buy ? best_bid_ : best_ask_) = next_price(side, ticks);
}

void OrderBook::reduce(Slot slot, Lots by) {
  SVC_ASSERT(contains(slot));
  Node& node = nodes_[slot];
  SVC_ASSERT(by.value > 0 && by.value < static_cast<std::int64_t>(node.lots));
  node.lots -= static_cast<std::uint32_t>(by.value);
  levels_.at(price_of(node)).lots -= by.value;
}

std::optional<Ticks> OrderBook::best(Side side) const {
  const std::int32_t price = best_price(side);
  if (price == PriceLevels::none) return std::nullopt;
  return Ticks{price};
}

std::optional<Ticks> OrderBook::worse(Side side, Ticks price) const {
  const std::int32_t next = next_price(side, static_cast<std::int32_t>(price.value));
  if (next == PriceLevels::none) return std::nullopt;
  return Ticks{next};
}

}  // namespace svc::engine
