// Trades happening: both legs booked, fees taken, prints told.
#pragma once

#include "sim/engine/plan.h"
#include "sim/engine/step.h"

namespace svc::engine {

// The taker side of one trade.
struct Aggressor {
  AccountIndex account;
  OrderId order{};
  ClientId client_id{};
  Side side = Side::buy;
};

// Carries out a plan that was made on the present state. Fills are appended to the outcome.
void execute(Step& step, Market& market, const Aggressor& taker, const Plan& plan);

// Books a leg on an account: position, totals, balance, closed-position record. The fee leaves the account; where
// it goes is the caller's business.
struct LegCause {
  PositionCause position = PositionCause::fill;
  BalanceCause balance = BalanceCause::trade;
};
LegEffect settle_leg(Step& step, AccountIndex account, Market& market, const Leg& leg, LegCause cause = {});

// A bucket's position meets a resting order, as the order of an attempt to close it. The taker pays no trading fee but
// its liquidation fee, which goes to the insurance fund; the maker is treated as ever (rule 4.6).
struct ForcedFill {
  AccountIndex account;
  OrderId order;
  Slot maker = no_slot;
  Lots lots{};
  Usdx liquidation_fee{};
};
void liquidation_trade(Step& step, Market& market, const ForcedFill& fill);

}  // namespace svc::engine
