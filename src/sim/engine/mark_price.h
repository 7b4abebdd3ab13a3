// From the index to the mark (rules 7.2 to 7.4). The mark moves only at oracle ticks, never with a trade.
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/step.h"

namespace svc::engine {

// Sets the prices of the whole batch; the caller then runs liquidations and triggers. Markets that are not active
// keep their frozen mark, without an error.
[[nodiscard]] Reject apply_prices(Step& step, const OracleTick& tick);

[[nodiscard]] Reject set_price_mode(Step& step, const SetPriceMode& command);

// One step of the basis average over dt: e + trunc((x - e) * dt / (tau + dt)).
[[nodiscard]] std::int64_t basis_step(std::int64_t basis, std::int64_t x, std::int64_t dt_ms, std::int64_t tau_ms);

}  // namespace svc::engine
