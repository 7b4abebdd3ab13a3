// The takers: a self-exciting flow of small orders, large orders in slices, traders with a view on the price, and
// small traders with high leverage. (D-395)
#pragma once

#include <span>

#include "sim/actors/actor.h"

namespace svc::sim {

[[nodiscard]] std::span<const Role> takers();

}  // namespace svc::sim
