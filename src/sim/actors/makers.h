// The makers: a tight quoter, a ladder behind it, and a backstop so that the book is never empty. (D-394)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/actors/actor.h"
#include "sim/actors/scene.h"

namespace svc::sim {

[[nodiscard]] std::span<const Role> makers();

// Keeping a set of quotes on the book: an order close enough to its quote stays and keeps its place in the queue.

struct Quote {
  engine::Side side = engine::Side::buy;
  std::int64_t price = 0;  // 1e-6 USDX
  Usdx value{};
  std::int64_t patience_ppb = 0;  // an order is moved only if it is further off; at least two ticks
};

// Moves the account's resting orders to the quotes; an order that lost half its size is refilled. Everything is
// post-only, so that orders never take. Moves away from the other side come first.
void keep_quotes(const Scene& scene, OrderSender& sender, const Address& account, const std::vector<Quote>& quotes);

}  // namespace svc::sim
