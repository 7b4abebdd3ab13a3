// Trades happening: both legs booked, fees taken, prints told.
#pragma once

#include "sim/engine/plan.h"
#include "sim/engine/step.h"

namespace svc::engine {

// The taker side of one trade.
struct Aggressor {
  AccountIndex account;
  OrderId order;  // none for a liquidation
  ClientId client_id;
  Side side = Side::buy;
};

// One trade against a resting order, at its price. Returns the taker's fill.
Fill trade(Step& step, Market& market, const Aggressor& taker, Slot maker, Lots lots);

// Carries out a plan that was made on the present state. Fills are appended to the outcome.
void execute(Step& step, Market& market, const Aggressor& taker, const Plan& plan);

// Books a leg on an account: position, totals, balance, closed-position record. The fee leaves the account; where
// it goes is the caller's business.
LegEffect settle_leg(Step& step, AccountIndex account, Market& market, const Leg& leg, BalanceCause cause);

}  // namespace svc::engine
