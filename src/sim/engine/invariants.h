// What must hold between any two commands, checked by brute force (docs/trading.md, section 10).
#pragma once

#include <string>
#include <vector>

#include "sim/engine/state.h"

namespace svc::engine {

// Every broken invariant in words; empty when all is well.
[[nodiscard]] std::vector<std::string> broken_invariants(const State& state);

}  // namespace svc::engine
