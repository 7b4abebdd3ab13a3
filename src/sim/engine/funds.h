// Money into, out of and across the venue (rule 5.10 and the ledger identity 6.4).
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/step.h"

namespace svc::engine {

[[nodiscard]] Reject deposit(Step& step, const Deposit& command);
[[nodiscard]] Reject withdraw(Step& step, const Withdraw& command);
[[nodiscard]] Reject transfer(Step& step, const Transfer& command);
[[nodiscard]] Reject fund_insurance(Step& step, Usdx amount);

}  // namespace svc::engine
