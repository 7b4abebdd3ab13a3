// The application of one command: the state it changes, the events it emits, the accounts it touches.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/engine/events.h"
#include "sim/engine/state.h"

namespace svc::engine {

// How an order ended; a live order has none.
struct Ending {
  OrderStatus status = OrderStatus::open;  // open: still live
  CancelReason reason = CancelReason::none;
  Reject reject = Reject::none;
  OrderId replaced_by{};
};

// A counterparty of deleveragings.
struct Ranked {
  AccountIndex account{};
  i128 score = 0;  // 1e-9
  i128 notional = 0;
};

// The counterparties of one side of a market.
struct Ranking {
  struct Before {
    const State* state;
    bool operator()(const Ranked& a, const Ranked& b) const;
  };
  using Rows = std::set<Ranked, Before>;

  Rows rows;  // first to be deleveraged first
  boost::unordered_flat_map<std::uint32_t, Rows::iterator> by_account{};
};

class Step {
 public:
  Step(State& the_state, EventLog& log) : state(the_state), log_(log) {}
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  template <class E>
  void emit(E&& event) {
    log_.emit(std::forward<E>(event));
  }
  // An event to be filled in before the next one is emitted.
  template <class E>
  [[nodiscard]] E& begin() {
    return log_.begin<E>();
  }

  // The number of events emitted so far, and one of them.
  [[nodiscard]] std::size_t emitted() const { return log_.events().size(); }
  template <class E>
  [[nodiscard]] const E& emitted(std::size_t index) const {
    return *std::get_if<E>(&log_.events()[index]);
  }

  // Marks the account's health and its reservations in the market for a check before the step ends.
  void touch(AccountIndex account, MarketIndex market) {
    touch_health(account);
    touch_orders(account, market);
  }
  // Marks only the health: a price moved, or money did.
  void touch_health(AccountIndex account) {
    Account& owner = state.account(account);
    owner.in_liquidation.reset();
    if (!rankings.empty()) moved.push_back(account);
    if (owner.unchecked) return;
    owner.unchecked = true;
    state.unchecked.push_back(account);
  }
  // Marks only the reservations: orders were added, changed or removed.
  void touch_orders(AccountIndex account, MarketIndex market) {
    Holding& holding = state.holding(account, market);
    if (holding.touched) return;
    holding.touched = true;
    state.touched.emplace_back(account, market);
  }

  // The health of all touched accounts.
  void all_checked();

  // Opens the account if it is new.
  [[nodiscard]] AccountIndex open_account(const Address& address);

  // Moves money into (or, if negative, out of) a cross balance.
  void add_balance(AccountIndex account, Usdx delta, BalanceCause cause);
  void add_insurance(Usdx delta, FundCause cause, const Address& account, MarketIndex market);

  // Every change of an order is reported through here: the order as it now is, or how it ended. The record is valid
  // until the next event.
  const OrderRecord& report_order(const Order& order, const ClientId& client_id, const Ending& ending = {});
  const OrderRecord& report_order(Slot slot, const Ending& ending = {}) {
    const Order& order = state.orders[slot];
    return report_order(order, state.orders.client_id(order), ending);
  }
  // The order of the outcome's last item; from here on it is reported at least once.
  void watch(OrderId id) { watched_ = id; }
  // Puts the last report of the watched order into the outcome and stops watching.
  void answer_watched();

  void report_position(AccountIndex account, const Market& market, PositionCause cause);
  void report_level(Market& market, Side side, Ticks price);
  // Reports the changed reservations of touched accounts.
  void report_order_margins();

  State& state;

  // Made when first needed. Afterwards only accounts whose health changed are ranked again: a crash may deleverage as
  // many accounts as there are counterparties. (D-1153)
  std::map<std::pair<MarketIndex, Side>, Ranking> rankings;
  std::vector<AccountIndex> moved;  // their health was touched since the rankings were made or repaired

 private:
  EventLog& log_;
  OrderId watched_;
  std::size_t watched_event_ = 0;
};

// The position of the account and its totals, as seen from outside; the cause of a change is left as it is.
void describe(const Account& owner, const Market& market, PositionChanged& told);
// The order as seen from outside.
[[nodiscard]] OrderRecord record_of(const State& state, Slot slot);

}  // namespace svc::engine
