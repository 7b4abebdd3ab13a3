// An account's settings per market: leverage, margin mode, the margin of an isolated position (rules 5.7 to 5.9).
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/step.h"

namespace svc::engine {

[[nodiscard]] Reject set_leverage(Step& step, const SetLeverage& command);
[[nodiscard]] Reject set_margin_mode(Step& step, const SetMarginMode& command);
[[nodiscard]] Reject adjust_margin(Step& step, const AdjustMargin& command);

}  // namespace svc::engine
