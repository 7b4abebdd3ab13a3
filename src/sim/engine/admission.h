// Whether an order may act, in the order of checks of rule 3.16. Changes nothing.
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/engine.h"
#include "sim/engine/plan.h"
#include "sim/engine/state.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// The checks that need only the parameters, the market and the clock: halted, stale, grid, bounds, triggers, time
// in force, minimum notional.
[[nodiscard]] Reject check_form(const Market& market, const OrderParams& params, TimestampMs now_ms);

// The order that valid parameters describe; it has no id yet.
[[nodiscard]] Order order_from(const State& state, AccountIndex account, const OrderParams& params);

// The live order that this request repeats: it has the same client id and the same parameters. no_slot if there is
// none. It is answered before any check: a retry is told of its order while the market is halted too. (D-932)
[[nodiscard]] Slot repeated_order(const State& state, AccountIndex account, const OrderParams& params);
// Whether the account has used this client id.
[[nodiscard]] Reject check_client_id(const State& state, AccountIndex account, const ClientId& client_id);

// An order about to act on the book, and the results of its checks.
struct Entry {
  Order order{};                             // reduce-only: admit clamps the quantity
  Slot replaces = no_slot;                   // the order it replaces
  bool keeps_place = false;                  // it takes over that order's queue place, so it cannot trade
  bool previews = false;                     // the plan is not executed
  Plan* plan = nullptr;                      // filled in by admit; not null
  CancelReason killed = CancelReason::none;  // a fill-or-kill that cannot fill: it ends without a fill (rule 3.2)
};

// The checks that depend on the account, its orders and the book, from AccountInLiquidation to InsufficientMargin.
// On Reject::none the plan may be executed, unless the order was killed.
[[nodiscard]] Reject admit(const State& state, const Market& market, Entry& entry);

// TooManyOpenOrders if the order would rest or wait and the account already has as many such orders as allowed. An
// order that only takes is never refused for that. Called after admit, as the last check. (D-660)
[[nodiscard]] Reject check_room(const State& state, const Entry& entry);

// Whether the account has a position, or money for the margin of the market's smallest order.
[[nodiscard]] bool has_means(const Account& account, const Market& market);
// InsufficientMargin for an account without a position and without the margin of the market's smallest order, once the
// venue has taken many orders. This check comes last. (D-1145)
[[nodiscard]] Reject check_means(const State& state, const Market& market, AccountIndex account);

// Whether a remainder of the order rests on the book.
[[nodiscard]] inline bool may_rest(const Order& order) {
  return !is_market_family(order.type) &&
         (order.time_in_force == TimeInForce::gtc || order.time_in_force == TimeInForce::post_only);
}

// All of them, for a new order: why it is refused. If it is not, the entry may act.
[[nodiscard]] Reject check_new_order(const State& state, const Market& market, AccountIndex account,
                                     const OrderParams& params, TimestampMs now_ms, Entry& entry);

// What would become of an order (rule 3.15), by the same checks and the same plan, which is made in `plan`, to keep its
// memory; of its steps only those that concern the caller's own orders are kept.
[[nodiscard]] Preview preview_order(const State& state, Plan& plan, const PlaceOrder& command, TimestampMs now_ms);

}  // namespace svc::engine
