// Orders going out at somebody's wish or because their time is up. Never margin-checked, never blocked by a halt
// or by a liquidation (rule 3.12).
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/step.h"

namespace svc::engine {

// Refusals and cancelled orders go to the outcome.
void cancel_one(Step& step, const CancelOrder& command);
void cancel_all(Step& step, const CancelAll& command);

// Ends every order whose time is up; it precedes all other events of an instant (rule 3.2).
void expire_orders(Step& step);

// Cancels the account's orders of one market, conditionals included.
void cancel_in_market(Step& step, AccountIndex account, MarketIndex market, CancelReason reason);

// Live orders of an account in acceptance order.
[[nodiscard]] std::vector<Slot> live_orders(const State& state, const Account& account,
                                            std::optional<MarketIndex> market, CancelScope scope);

}  // namespace svc::engine
