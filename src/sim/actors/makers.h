// Those who make the book: a tight quoter, a ladder behind it, and a backstop so that it is never empty. (D-394)
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/actors/actor.h"
#include "sim/actors/scene.h"

namespace svc::sim {

// Avellaneda-Stoikov: quotes around a reservation price that leans against its inventory, as wide as the recent
// volatility asks for; three levels a side. After a jump it leaves for a moment.
[[nodiscard]] std::unique_ptr<Actor> make_quoter(ActorTerms terms, std::uint64_t seed);
// Ten levels a side, ever further apart and ever larger.
[[nodiscard]] std::unique_ptr<Actor> make_ladder(ActorTerms terms, std::uint64_t seed);
// 50 to 200 basis points away.
[[nodiscard]] std::unique_ptr<Actor> make_backstop(ActorTerms terms, std::uint64_t seed);

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
