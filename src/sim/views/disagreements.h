// Whether what readers see is what the engine holds: every figure that both know, compared.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/views/views.h"

namespace svc::sim {

// One sentence per figure that differs; empty when all agree. Both must be as of the same command.
[[nodiscard]] std::vector<std::string> disagreements(const engine::Engine& engine, const VenueView& view,
                                                     TimestampMs now_ms);

}  // namespace svc::sim
