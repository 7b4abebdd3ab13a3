#include "sim/engine/order_exit.h"

#include <algorithm>

#include "sim/engine/resting.h"

namespace svc::engine {

std::vector<Slot> live_orders(const State& state, const Account& account, std::optional<MarketIndex> market,
                              CancelScope scope) {
  std::vector<Slot> slots;
  for (const Market& candidate : state.markets) {
    if (market && candidate.index != *market) continue;
    const Holding& holding = account.holdings[candidate.index.value];
    for (const OpenSide* side : {&holding.buys, &holding.sells}) {
      for (const OpenEntry& entry : side->entries()) slots.push_back(entry.slot);
    }
    if (scope == CancelScope::everything) slots.insert(slots.end(), holding.waiting.begin(), holding.waiting.end());
  }
  std::sort(slots.begin(), slots.end(),
            [&](Slot a, Slot b) { return state.orders[a].priority < state.orders[b].priority; });
  return slots;
}

void cancel_one(Step& step, const CancelOrder& command) {
  State& state = step.state;
  const Slot slot = state.orders.find(command.order);
  const AccountIndex owner = state.account_by_address.find(command.account);
  if (slot == no_slot || state.orders[slot].account != owner) {
    state.outcome.reject = Reject::order_not_found;
    return;
  }
  state.outcome.orders.emplace_back().order = cancel(step, slot, CancelReason::user);
}

void cancel_all(Step& step, const CancelAll& command) {
  State& state = step.state;
  if (command.market && command.market->value >= state.markets.size()) {
    state.outcome.reject = Reject::unknown_market;
    return;
  }
  const auto owner = state.find_account(command.account);
  if (!owner) return;
  for (const Slot slot : live_orders(state, state.account(*owner), command.market, command.scope)) {
    state.outcome.orders.emplace_back().order = cancel(step, slot, command.reason);
  }
}

void cancel_in_market(Step& step, AccountIndex account, MarketIndex market, CancelReason reason) {
  for (const Slot slot : live_orders(step.state, step.state.account(account), market, CancelScope::everything)) {
    cancel(step, slot, reason);
  }
}

void expire_orders(Step& step) {
  for (auto due = step.state.expiries.first(); due && due->first <= step.state.now_ms;
       due = step.state.expiries.first()) {
    const Slot slot = step.state.orders.find(due->second);
    SVC_ASSERT(slot != no_slot);
    cancel(step, slot, CancelReason::expired, OrderStatus::expired);
  }
}

}  // namespace svc::engine
