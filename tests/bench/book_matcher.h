// The engine's order book used as a bare matcher: limit, cancel and IOC, nothing else. Order ids are its slots.
#pragma once

#include <algorithm>

#include "bench/op_stream.h"
#include "sim/engine/order_book.h"

namespace svc::bench {

class BookMatcher {
 public:
  explicit BookMatcher(std::size_t ids_max) { book_.reserve(ids_max + 1); }

  // Calls fill(maker, ticks, lots) for every trade and returns what is left of the order, rested or not.
  template <class Fill>
  std::uint32_t submit(const Op& op, Fill fill) {
    const engine::Side side = op.side == 0 ? engine::Side::buy : engine::Side::sell;
    std::int64_t left = op.lots;
    while (left > 0) {
      const engine::Slot maker = book_.first(opposite(side));
      if (maker == engine::no_slot) break;
      const std::int64_t ticks = book_.price(maker).value;
      if (side == engine::Side::buy ? ticks > op.ticks : ticks < op.ticks) break;
      const std::int64_t offered = book_.remaining(maker).value;
      const std::int64_t traded = std::min(left, offered);
      fill(maker, static_cast<std::int32_t>(ticks), static_cast<std::uint32_t>(traded));
      left -= traded;
      if (traded == offered) {
        book_.remove(maker);
      } else {
        book_.reduce(maker, {traded});
      }
    }
    if (left > 0 && op.type == OpType::limit) book_.insert(op.id, side, {op.ticks}, {left});
    return static_cast<std::uint32_t>(left);
  }

  // False if the order does not rest.
  bool cancel(std::uint32_t id) {
    if (!book_.contains(id)) return false;
    book_.remove(id);
    return true;
  }

  [[nodiscard]] const engine::OrderBook& book() const { return book_; }

 private:
  engine::OrderBook book_;
};

}  // namespace svc::bench
