// Those who make the book: a tight quoter, a ladder behind it, and a backstop so that it is never empty. (D-394)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/actors/actor.h"
#include "sim/actors/scene.h"

namespace svc::sim {

[[nodiscard]] std::span<const Role> makers();

// Keeping a set of quotes on the book: what is near enough stays and keeps its place in the queue.

struct Quote {
  engine::Side side = engine::Side::buy;
  std::int64_t price = 0;  // 1e-6 USDX
  Usdx value{};
  std::int64_t patience_ppb = 0;  // it may be so far off before it is moved; never less than two ticks
};

// Moves the account's resting orders to where the quotes are; one that lost half its size is filled up. Everything
// is post-only: the book comes first. Those that move away from the other side go first.
void keep_quotes(const Scene& scene, Desk& desk, const Address& account, const std::vector<Quote>& quotes);

}  // namespace svc::sim
