// Markets that stop, and the operator's ways out (rules 9.6 to 9.8).
#pragma once

#include <string>

#include "sim/engine/commands.h"
#include "sim/engine/step.h"

namespace svc::engine {

struct Halt {
  HaltReason reason = HaltReason::operator_halt;
  std::string operator_reason{};
  Lots residual{};  // what deleveraging could not place
};
void halt(Step& step, Market& market, const Halt& why);

[[nodiscard]] Reject halt_market(Step& step, const HaltMarket& command);
[[nodiscard]] Reject resume_market(Step& step, const ResumeMarket& command);
[[nodiscard]] Reject settle_market(Step& step, const SettleMarket& command);

}  // namespace svc::engine
