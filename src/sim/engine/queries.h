// Read-only queries on the state.
#pragma once

#include "sim/engine/engine.h"
#include "sim/engine/state.h"

namespace svc::engine {

[[nodiscard]] AccountFigures figures_of(const State& state, const Account& account);
[[nodiscard]] std::vector<PositionRow> position_rows(const State& state, const Account& account);
[[nodiscard]] MarketFigures figures_of(const Market& market, TimestampMs now_ms);
[[nodiscard]] std::vector<BookLevel> levels_of(const Market& market, Side side, std::size_t depth);

}  // namespace svc::engine
