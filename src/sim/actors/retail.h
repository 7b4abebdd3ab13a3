// Small traders with much leverage: they open, sometimes with a stop, hold on, and close, unless they are liquidated
// first. Who has lost everything leaves, and after a while somebody else comes with a stake of his own. (D-395)
#pragma once

#include <memory>

#include "sim/actors/actor.h"

namespace svc::sim {

[[nodiscard]] std::unique_ptr<Actor> make_retail(ActorTerms terms, std::uint64_t seed);

}  // namespace svc::sim
