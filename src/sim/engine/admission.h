// Whether an order may act, check by check in the order of rule 3.16. Nothing is changed here.
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/engine.h"
#include "sim/engine/plan.h"
#include "sim/engine/state.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// What the parameters alone, the market and the clock can tell: halted, stale, grid, bounds, triggers, time in
// force, minimum notional.
[[nodiscard]] Reject check_form(const Market& market, const OrderParams& params, TimestampMs now_ms);

// The order that sound parameters describe; it has no id yet.
[[nodiscard]] Order order_from(const State& state, AccountIndex account, const OrderParams& params);
// Whether the account may use this client id: it is new, or the request repeats a live order.
struct ClientIdCheck {
  Reject reject = Reject::none;
  Slot repeated = no_slot;
};
[[nodiscard]] ClientIdCheck check_client_id(const State& state, const Order& order, const ClientId& client_id);

// An order about to act on the book, and what was found out about it.
struct Entry {
  Order order{};                             // reduce-only: its quantity is clamped by admit
  Slot replaces = no_slot;                   // the order it takes the place of
  bool keeps_place = false;                  // in that order's place in the queue, so it cannot trade
  Plan* plan = nullptr;                      // filled in by admit; not null
  CancelReason killed = CancelReason::none;  // fill-or-kill that cannot: it ends without a fill (rule 3.2)
};

// Everything that depends on the account, its orders and the book, from AccountInLiquidation to
// InsufficientMargin. On Reject::none the plan may be executed, unless the order was killed.
[[nodiscard]] Reject admit(const State& state, const Market& market, Entry& entry);

// TooManyOpenOrders if it would rest or wait and the account has as many such orders as it may have. An order that only
// takes is never refused for that. After admit, which the last check follows. (D-660)
[[nodiscard]] Reject check_room(const State& state, const Entry& entry);

// Rests on the book if anything remains of it.
[[nodiscard]] bool may_rest(const Order& order);

// What would become of an order (rule 3.15): the same checks and the same plan, and nothing is changed.

[[nodiscard]] Preview preview_order(const State& state, const PlaceOrder& command, TimestampMs now_ms);

}  // namespace svc::engine
