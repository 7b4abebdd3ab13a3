// The effect of each command on the state, with the events that tell of it; or why it is refused, and then nothing
// happens. A command that names its market comes here only if there is one.
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/step.h"

namespace svc::engine {

// Money into, out of and across the venue (rule 5.10 and the ledger identity 6.4).
[[nodiscard]] Reject perform(Step& step, const Deposit& command);
[[nodiscard]] Reject perform(Step& step, const Withdraw& command);
[[nodiscard]] Reject perform(Step& step, const Transfer& command);
[[nodiscard]] Reject perform(Step& step, const FundInsurance& command);

// Orders answer one by one: each item of the outcome is one requested order with its fills as taker, or a cancelled
// one. A cancel is never margin-checked, nor blocked by a halt or by a liquidation (rule 3.12).
[[nodiscard]] Reject perform(Step& step, const PlaceOrder& command);
[[nodiscard]] Reject perform(Step& step, const PlaceBatch& command);
[[nodiscard]] Reject perform(Step& step, const AmendOrder& command);
[[nodiscard]] Reject perform(Step& step, const CancelOrder& command);
[[nodiscard]] Reject perform(Step& step, const CancelAll& command);

// An account's settings per market (rules 5.7 to 5.9).
[[nodiscard]] Reject perform(Step& step, const SetLeverage& command);
[[nodiscard]] Reject perform(Step& step, const SetMarginMode& command);
[[nodiscard]] Reject perform(Step& step, const AdjustMargin& command);

// Prices and funding (docs/trading.md, sections 7 and 8). Of an oracle batch, markets that are not active keep their
// frozen mark, without an error.
[[nodiscard]] Reject perform(Step& step, const OracleTick& command);
[[nodiscard]] Reject perform(Step& step, const SetPriceMode& command);
[[nodiscard]] Reject perform(Step& step, const SampleFunding& command);
[[nodiscard]] Reject perform(Step& step, const SettleFunding& command);
[[nodiscard]] Reject perform(Step& step, const InjectFunding& command);

// Halting a market, and the operator's exits (rules 9.6 to 9.8).
[[nodiscard]] Reject perform(Step& step, const HaltMarket& command);
[[nodiscard]] Reject perform(Step& step, const ResumeMarket& command);
[[nodiscard]] Reject perform(Step& step, const SettleMarket& command);

// What time does, happens before every command.
[[nodiscard]] inline Reject perform(Step&, const PassTime&) {
  return Reject::none;
}

}  // namespace svc::engine
