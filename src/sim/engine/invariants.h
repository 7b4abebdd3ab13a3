// What must hold between commands, checked by brute force (docs/trading.md, section 10).
#pragma once

#include <string>
#include <vector>

#include "sim/engine/state.h"

namespace svc::engine {

// A description of every broken invariant; empty when all hold.
[[nodiscard]] std::vector<std::string> broken_invariants(const State& state);

}  // namespace svc::engine
