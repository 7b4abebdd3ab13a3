// Those who take from the book: a flow of small orders that excites itself, large orders in slices, those with an
// opinion, and small traders with much leverage. (D-395)
#pragma once

#include <span>

#include "sim/actors/actor.h"

namespace svc::sim {

[[nodiscard]] std::span<const Role> takers();

}  // namespace svc::sim
