// Who plays in the drill two-market-gap. One is long the first market, one is short it and long the second, one is
// short the second: when both fall, the first is insolvent, and so is the only one who could take its position over.
//
// Positions are far larger than what bots hold, so that what they could take over does not suffice. Each run has
// accounts of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "sim/engine/engine.h"
#include "sim/sequencer/unit.h"

namespace svc::sim {

// When its steps are due, since the drill began.
inline constexpr std::int64_t gap_steps_ms[] = {1 * second_ms, 2 * second_ms, 3 * second_ms};

// What is sent in that step of that run.
[[nodiscard]] std::vector<Unit> gap_step(std::size_t step, std::uint64_t run, const engine::Engine& engine,
                                         TimestampMs now_ms);

}  // namespace svc::sim
