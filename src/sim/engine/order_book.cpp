#include "sim/engine/order_book.h"

namespace svc::engine {

void OrderBook::grow(Slot slot) {
  nodes_.resize(slot + std::size_t{1});
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
