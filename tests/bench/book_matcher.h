// The engine's order book used as a bare matcher: limit, cancel and IOC, nothing else. Order ids are its slots.
#pragma once

#include <algorithm>

#include "bench/op_stream.h"
#include "sim/engine/order_book.h"

namespace svc::bench {

class BookMatcher {
 public:
  explicit BookMatcher(std::size_t ids_max) { book_.reserve(ids_max + 1); }

  struct Order {
    std::uint32_t id;
    engine::Side side;
    std::int32_t ticks;
    std::uint32_t lots;
    bool rests;
  };

  // Calls fill(maker, ticks, lots) for every trade and returns what is left of the order, rested or not.
  template <class Fill>
  [[gnu::flatten]] std::uint32_t submit(Order order, Fill fill) {
    while (order.lots > 0 && book_.crosses(order.side, {order.ticks})) {
      const engine::Slot maker = book_.first(opposite(order.side));
      const auto ticks = static_cast<std::int32_t>(book_.price(maker).value);
      const auto offered = static_cast<std::uint32_t>(book_.remaining(maker).value);
      const std::uint32_t traded = std::min(order.lots, offered);
      order.lots -= traded;
      if (traded == offered) {
        book_.remove(maker);
      } else {
        book_.reduce(maker, {traded});
      }
      // Told last: what was just read need not be read again after the call.
      fill(maker, ticks, traded);
    }
    if (order.lots > 0 && order.rests) book_.insert(order.id, order.side, {order.ticks}, {order.lots});
    return order.lots;
  }
  template <class Fill>
  std::uint32_t submit(const Op& op, Fill fill) {
    const engine::Side side = op.side == 0 ? engine::Side::buy : engine::Side::sell;
    return submit({op.id, side, op.ticks, op.lots, op.type == OpType::limit}, fill);
  }

  // False if the order does not rest.
  [[gnu::flatten]] bool cancel(std::uint32_t id) {
    if (!book_.contains(id)) return false;
    book_.remove(id);
    return true;
  }

  [[nodiscard]] const engine::OrderBook& book() const { return book_; }

 private:
  engine::OrderBook book_;
};

}  // namespace svc::bench
