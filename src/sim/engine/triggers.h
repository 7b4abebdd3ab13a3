// Untriggered conditionals of one market, and which of them a new mark price fires (rules 3.3 and 3.4).
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "sim/engine/order_store.h"

namespace svc::engine {

class Triggers {
 public:
  void add(Slot slot, const Order& order);
  void remove(Slot slot, const Order& order);

  // Moves the anchors of trailing orders, then appends every order that this mark fires, in no particular order.
  void collect(Ticks mark, OrderStore& orders, std::vector<Slot>& fired);

 private:
  std::set<std::pair<std::int32_t, Slot>> rising_;   // fire at mark >= trigger
  std::set<std::pair<std::int32_t, Slot>> falling_;  // fire at mark <= trigger
  std::vector<Slot> trailing_;
};

// True if the order waits for a rising mark: a buy stop, a sell take-profit.
[[nodiscard]] bool waits_for_rise(OrderType type, Side side);

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
