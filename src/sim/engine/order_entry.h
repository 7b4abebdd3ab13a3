// Orders as they come and go; what the commands share with the rest of the engine.
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/step.h"

namespace svc::engine {

// Fires the conditionals hit by the new marks of one oracle tick, in order of acceptance across its markets;
// liquidations run after each (rule 3.5).
void fire_triggers(Step& step, const OracleTick& tick);

// The outcome of a batch that changes nothing: of an account without orders, a position or money for any, every order
// is refused. Nothing if that is not certain. (D-1155)
[[nodiscard]] std::optional<Outcome> refused_batch(State& state, const PlaceBatch& batch, TimestampMs now_ms);

// Ends every expired order; this precedes all other events of an instant (rule 3.2).
void expire_orders(Step& step);

// Cancels the account's orders of one market, conditionals included.
void cancel_in_market(Step& step, AccountIndex account, MarketIndex market, CancelReason reason);

// Live orders of an account by priority: a conditional that fired comes after those that were accepted before that.
[[nodiscard]] std::vector<Slot> live_orders(const State& state, const Account& account,
                                            std::optional<MarketIndex> market, CancelScope scope);

// Adding orders to the book, shrinking and removing them: only these functions change the store, the book, the
// owner's list and the reservations, and they keep them consistent.

// Stores an order and adds it to the end of its price's queue, or to the triggers.
Slot store_order(State& state, const Order& order, const ClientId& client_id);

// Fills a resting order by that much; a completely filled one is removed. Reports the order.
void fill_resting(Step& step, Slot slot, Lots lots);

// Reduces a live order's quantity (reduce-only trimming, decrementing); an order with nothing left is cancelled for
// the given reason.
void shrink(Step& step, Slot slot, Lots by, CancelReason reason);

// Ends a live order, resting or waiting. Reports and returns its last record.
const OrderRecord& cancel(Step& step, Slot slot, CancelReason reason, OrderStatus status = OrderStatus::cancelled);

// After a fill that changed a position of that size: cuts the reduce-only orders to it, best first (rule 3.6); if it
// is flat now, the reduce-only conditionals are cancelled as well.
void follow_position(Step& step, AccountIndex account, const Market& market, Lots before);

// Recomputes the margins of a holding after its leverage changed.
void reprice(State& state, const Market& market, Holding& holding);

}  // namespace svc::engine
