// Compares what readers see with what the engine holds: every figure known to both.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/views/views.h"

namespace svc::sim {

// One sentence per figure that differs; empty when all agree. Both must be in the state after the same command.
[[nodiscard]] std::vector<std::string> disagreements(const engine::Engine& engine, const VenueView& view,
                                                     TimestampMs now_ms);

}  // namespace svc::sim
