// Executing trades: books both legs, takes fees, emits the prints.
#pragma once

#include "sim/engine/plan.h"
#include "sim/engine/step.h"

namespace svc::engine {

// The taker side of one trade.
struct Aggressor {
  AccountIndex account;
  OrderId order{};
  const ClientId& client_id;
  Side side = Side::buy;
};

// Executes a plan made on the present state. Fills are appended to the outcome.
void execute(Step& step, Market& market, const Aggressor& taker, const Plan& plan);

// Books a leg on an account: position, totals, balance, closed-position record. The fee leaves the account; the
// caller decides where it goes.
struct LegCause {
  PositionCause position = PositionCause::fill;
  BalanceCause balance = BalanceCause::trade;
};
LegEffect settle_leg(Step& step, AccountIndex account, Market& market, const Leg& leg, LegCause cause = {});

// A bucket's position fills against a resting order, as part of an attempt to close it. The taker pays no trading
// fee but its liquidation fee, which goes to the insurance fund; the maker is treated as usual (rule 4.6).
struct ForcedFill {
  AccountIndex account;
  OrderId order;
  Slot maker = no_slot;
  Lots lots{};
  Usdx liquidation_fee{};
};
void liquidation_trade(Step& step, Market& market, const ForcedFill& fill);

}  // namespace svc::engine
