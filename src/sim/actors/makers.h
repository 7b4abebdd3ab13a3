// Those who make the book: a tight quoter, a ladder behind it, and a backstop so that it is never empty. (D-394)
#pragma once

#include <memory>

#include "sim/actors/actor.h"

namespace svc::sim {

// Avellaneda-Stoikov: quotes around a reservation price that leans against its inventory, as wide as the recent
// volatility asks for; three levels a side. After a jump it leaves for a moment.
[[nodiscard]] std::unique_ptr<Actor> make_quoter(ActorTerms terms, std::uint64_t seed);
// Ten levels a side, ever further apart and ever larger.
[[nodiscard]] std::unique_ptr<Actor> make_ladder(ActorTerms terms, std::uint64_t seed);
// 50 to 200 basis points away.
[[nodiscard]] std::unique_ptr<Actor> make_backstop(ActorTerms terms, std::uint64_t seed);

}  // namespace svc::sim
