// Orders coming in: placed, in batches, amended, fired by their trigger.
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/step.h"

namespace svc::engine {

// Each appends to the outcome: an order per order asked for, with its fills as taker.
void place(Step& step, const Address& account, const OrderParams& params);
void place_batch(Step& step, const PlaceBatch& batch);
void amend(Step& step, const AmendOrder& command);

// Fires the conditionals that the new marks of one oracle tick hit, in one order of acceptance across its markets;
// liquidations run after each (rule 3.5).
void fire_triggers(Step& step, const OracleTick& tick);

// Orders going out at somebody's wish or because their time is up. Never margin-checked, never blocked by a halt
// or by a liquidation (rule 3.12).

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

// Orders coming onto the book, shrinking and leaving it: the one place that keeps the store, the book, the
// owner's list and the reservations in step.

// Stores an order and puts it where it waits: at the back of its price's queue, or among the triggers.
Slot put_in(State& state, const Order& order, const ClientId& client_id);

// As above, as part of a command: the order gets fresh priority and is told. expires_at_ms: 0 = never, or already
// known.
Slot settle_in(Step& step, Order& order, const ClientId& client_id, TimestampMs expires_at_ms);

// A resting order was filled by so much; one that is filled up leaves the venue. Tells the order.
void fill_resting(Step& step, Slot slot, Lots lots);

// Takes lots off a live order's quantity (reduce-only trimming, decrementing); at nothing left it is cancelled
// for the reason given.
void shrink(Step& step, Slot slot, Lots by, CancelReason reason);

// Ends a live order, resting or waiting. Tells and returns its last record.
const OrderRecord& cancel(Step& step, Slot slot, CancelReason reason, OrderStatus status = OrderStatus::cancelled);

// Takes a live order off the book or the triggers and out of the store without a word: it is about to act again.
Order take_out(Step& step, Slot slot);

// When the order expires; 0 = never.
[[nodiscard]] TimestampMs expiry_of(const State& state, const Order& order);
void forget_expiry(State& state, const Order& order);
// The order goes on under a new id, where it is.
void rename(State& state, Slot slot, OrderId id);

// Keeps the reduce-only orders of a holding within its position, best first; the excess is cut (rule 3.6).
void trim_reduce_only(Step& step, AccountIndex account, Market& market);
// As above, after a fill that found a position of that size; if it left none, the reduce-only conditionals go as well.
void follow_position(Step& step, AccountIndex account, Market& market, Lots before);

// Computes the margins of a holding anew, after its leverage changed.
void reprice(State& state, const Market& market, Holding& holding);

}  // namespace svc::engine
