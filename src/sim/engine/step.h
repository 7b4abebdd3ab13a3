// One command being applied: the state it changes, the events it tells, the accounts it touched.
#pragma once

#include <utility>
#include <vector>

#include "sim/engine/events.h"
#include "sim/engine/state.h"

namespace svc::engine {

class Step {
 public:
  Step(State& the_state, EventSink& sink);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  void emit(const Event& event) { sink_.emit(event); }

  // The account's health and its reservations in the market are looked at again before the step ends.
  void touch(AccountIndex account, MarketIndex market);

  // The health of every account is looked at again: prices moved, or funding was paid.
  void touch_everyone() { everyone_ = true; }

  // Accounts whose health was not looked at since they were touched.
  [[nodiscard]] bool everyone_unchecked() const { return everyone_; }
  [[nodiscard]] const std::vector<AccountIndex>& unchecked() const { return state.unchecked; }
  void all_checked();

  // Opens the account if it is new.
  [[nodiscard]] AccountIndex open_account(const Address& address);

  // Moves money into (or, if negative, out of) a cross balance.
  void add_balance(AccountIndex account, Usdx delta, BalanceCause cause);
  void add_insurance(Usdx delta, FundCause cause, const Address& account, MarketIndex market);

  // Every change of an order is told through here; the order being watched is kept up to date.
  void tell_order(const OrderRecord& record) {
    if (watched_ != nullptr && watched_->id == record.id) *watched_ = record;
    emit(OrderChanged{record});
  }
  // The order a command answers with, from its id on, until another one is watched.
  void watch(OrderRecord* record) { watched_ = record; }

  void tell_position(AccountIndex account, const Market& market, PositionCause cause);
  void tell_level(Market& market, Side side, Ticks price);
  // Tells what changed in the reservations of touched accounts.
  void tell_order_margins();

  State& state;

 private:
  EventSink& sink_;
  OrderRecord* watched_ = nullptr;
  bool everyone_ = false;
};

// The order as the outside sees it.
[[nodiscard]] OrderRecord record_of(const State& state, const Order& order, const ClientId& client_id);
[[nodiscard]] OrderRecord record_of(const State& state, Slot slot);

}  // namespace svc::engine
