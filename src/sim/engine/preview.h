// What would become of an order (rule 3.15): the same checks and the same plan, and nothing is changed.
#pragma once

#include "sim/engine/engine.h"
#include "sim/engine/state.h"

namespace svc::engine {

[[nodiscard]] Preview preview_order(const State& state, const PlaceOrder& command, TimestampMs now_ms);

}  // namespace svc::engine
