#include "sim/engine/funds.h"

#include <algorithm>

#include "base/limits.h"
#include "sim/engine/margin.h"

namespace svc::engine {
namespace {

// The venue's arithmetic is proven up to this amount.
Reject check_inflow(const State& state, Usdx amount) {
  if (amount <= Usdx{}) return Reject::invalid_amount;
  const i128 after = static_cast<i128>(state.ledger.net_deposits.value) + amount.value;
  return after <= limits::funds_venue_max ? Reject::none : Reject::funds_limit_exceeded;
}

// Funds affect every market of the account: the health of its cross bucket may change.
void touch_cross(Step& step, AccountIndex account) {
  step.touch(account, MarketIndex{0});
}

Reject check_outflow(const State& state, const Account& account, Usdx amount) {
  if (amount <= Usdx{}) return Reject::invalid_amount;
  if (holds_in_halted_market(state, account)) return Reject::market_halted;
  if (in_liquidation(account)) return Reject::account_in_liquidation;
  return amount <= withdrawable(state, account) ? Reject::none : Reject::insufficient_balance;
}

bool flat_and_unreserved(const Account& account) {
  return std::none_of(account.holdings.begin(), account.holdings.end(),
                      [](const Holding& holding) { return holding.has_position() || holding.has_orders(); });
}

}  // namespace

Reject deposit(Step& step, const Deposit& command) {
  if (const Reject reject = check_inflow(step.state, command.amount); reject != Reject::none) return reject;
  const AccountIndex account = step.open_account(command.account);
  step.state.ledger.net_deposits += command.amount;
  step.emit(FundsMoved{.account = command.account, .kind = command.kind, .amount = command.amount});
  step.add_balance(account, command.amount, BalanceCause::funds);
  touch_cross(step, account);
  step.state.outcome.balance = step.state.account(account).balance;
  return Reject::none;
}

Reject withdraw(Step& step, const Withdraw& command) {
  const AccountIndex account = step.open_account(command.account);
  const Reject reject = check_outflow(step.state, step.state.account(account), command.amount);
  if (reject != Reject::none) return reject;
  step.state.ledger.net_deposits -= command.amount;
  step.emit(
      FundsMoved{.account = command.account, .kind = command.kind, .amount = command.amount, .record = command.record});
  step.add_balance(account, -command.amount, BalanceCause::funds);
  touch_cross(step, account);
  step.state.outcome.balance = step.state.account(account).balance;
  return Reject::none;
}

Reject transfer(Step& step, const Transfer& command) {
  const AccountIndex from = step.open_account(command.from);
  if (command.from == command.to) return Reject::invalid_amount;
  const Account& source = step.state.account(from);
  if (command.amount > Usdx{} && !flat_and_unreserved(source)) return Reject::account_not_flat;
  const Reject reject = check_outflow(step.state, source, command.amount);
  if (reject != Reject::none) return reject;
  const AccountIndex to = step.open_account(command.to);
  step.emit(TransferMade{.from = command.from, .to = command.to, .amount = command.amount, .record = command.record});
  step.add_balance(from, -command.amount, BalanceCause::transfer);
  step.add_balance(to, command.amount, BalanceCause::transfer);
  touch_cross(step, from);
  touch_cross(step, to);
  step.state.outcome.balance = step.state.account(from).balance;
  return Reject::none;
}

Reject fund_insurance(Step& step, Usdx amount) {
  if (const Reject reject = check_inflow(step.state, amount); reject != Reject::none) return reject;
  step.state.ledger.net_deposits += amount;
  step.add_insurance(amount, FundCause::deposit, {}, {});
  return Reject::none;
}

}  // namespace svc::engine
