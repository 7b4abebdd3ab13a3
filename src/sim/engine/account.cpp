#include "sim/engine/account.h"

#include <algorithm>

#include "sim/engine/order_entry.h"

namespace svc::engine {
namespace {

Reject check_inflow(const State& state, Usdx amount, std::int64_t most = limits::funds_venue_max) {
  if (amount <= Usdx{}) return Reject::invalid_amount;
  const i128 after = static_cast<i128>(state.ledger.net_deposits.value) + amount.value;
  return after <= most ? Reject::none : Reject::funds_limit_exceeded;
}

// Funds affect every market of the account: the health of its cross bucket may change.
void touch_cross(Step& step, AccountIndex account) {
  step.touch(account, MarketIndex{0});
}

bool holds_in_halted_market(const State& state, const Account& account) {
  for (const Market& market : state.markets) {
    if (market.status == MarketStatus::halted && account.holdings[market.index.value].has_position()) return true;
  }
  return false;
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

// ceil(rate * notional)
i128 floor_margin(const Market& market, const Exposure& exposure) {
  const Rational& rate = market.spec.withdrawal_floor_rate;
  return div_round(market.notional(exposure) * rate.num, rate.den, Rounding::up);
}

Reject check_removal(const Market& market, const Holding& holding, Usdx amount) {
  const Position& position = holding.position;
  if (amount > position.isolated) return Reject::insufficient_margin;
  const i128 left = isolated_health(position, holding.valuation).equity - amount.value;
  return left >= std::max(holding.valuation.initial, floor_margin(market, position)) ? Reject::none
                                                                                     : Reject::insufficient_margin;
}

}  // namespace

Reject perform(Step& step, const Deposit& command) {
  // What was the venue's before comes back, whoever took its place. (D-1144)
  const bool returns = command.kind == FundsKind::withdrawal_reversal;
  const std::int64_t most = returns ? limits::funds_with_reversals_max : limits::funds_venue_max;
  if (const Reject reject = check_inflow(step.state, command.amount, most); reject != Reject::none) return reject;
  const AccountIndex account = step.open_account(command.account);
  step.state.ledger.net_deposits += command.amount;
  step.emit(FundsMoved{.account = command.account, .kind = command.kind, .amount = command.amount});
  step.add_balance(account, command.amount, BalanceCause::funds);
  touch_cross(step, account);
  step.state.outcome.balance = step.state.account(account).balance;
  return Reject::none;
}

Reject perform(Step& step, const Withdraw& command) {
  const AccountIndex account = step.state.known_or_stranger(command.account);
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

Reject perform(Step& step, const Transfer& command) {
  const AccountIndex from = step.state.known_or_stranger(command.from);
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

Reject perform(Step& step, const FundInsurance& command) {
  if (const Reject reject = check_inflow(step.state, command.amount); reject != Reject::none) return reject;
  step.state.ledger.net_deposits += command.amount;
  step.add_insurance(command.amount, FundCause::deposit, {}, {});
  return Reject::none;
}

Reject perform(Step& step, const SetLeverage& command) {
  State& state = step.state;
  const Market& market = state.market(command.market);
  if (command.leverage < 1 || command.leverage > market.ceiling) return Reject::invalid_leverage;
  const AccountIndex account = step.open_account(command.account);
  Holding& holding = state.holding(account, command.market);

  const std::int64_t before = market.terms(holding).leverage;
  const std::int64_t set_before = holding.leverage;
  holding.leverage = command.leverage;
  reprice(state, market, holding);
  // Checked after the change: lower leverage needs more margin, which must be available (rule 5.8).
  if (command.leverage < before && available(state, state.account(account)) < 0) {
    holding.leverage = set_before;
    reprice(state, market, holding);
    return Reject::insufficient_margin;
  }
  step.emit(LeverageChanged{.account = command.account, .market = command.market, .leverage = command.leverage});
  // The margin of the position changed with it.
  if (command.leverage != before && holding.has_position())
    step.report_position(account, market, PositionCause::margin);
  step.touch(account, command.market);
  return Reject::none;
}

Reject perform(Step& step, const SetMarginMode& command) {
  State& state = step.state;
  if (state.holding(state.known_or_stranger(command.account), command.market).mode == command.mode) return Reject::none;
  const AccountIndex account = step.open_account(command.account);
  Holding& holding = state.holding(account, command.market);
  if (holding.has_position() || holding.has_orders()) return Reject::margin_mode_locked;
  holding.mode = command.mode;
  // Liquidations of the bucket that it leaves are none of the one that it joins.
  holding.partially_liquidated = false;
  holding.cooldown_until_ms = 0;
  step.touch_health(account);
  step.emit(MarginModeChanged{.account = command.account, .market = command.market, .mode = command.mode});
  return Reject::none;
}

Reject perform(Step& step, const AdjustMargin& command) {
  State& state = step.state;
  if (command.amount <= Usdx{}) return Reject::invalid_amount;
  const AccountIndex account = state.known_or_stranger(command.account);
  const Market& market = state.market(command.market);
  Holding& holding = state.holding(account, command.market);
  if (!holding.has_position()) return Reject::no_open_position;
  if (holding.mode != MarginMode::isolated) return Reject::margin_mode_not_isolated;

  const bool add = command.direction == MarginDirection::add;
  if (add) {
    if (command.amount > withdrawable(state, state.account(account))) return Reject::insufficient_balance;
  } else {
    if (market.status == MarketStatus::halted) return Reject::market_halted;
    const Reject reject = check_removal(market, holding, command.amount);
    if (reject != Reject::none) return reject;
  }
  const Usdx delta = add ? command.amount : -command.amount;
  holding.position.isolated += delta;
  step.report_position(account, market, PositionCause::margin);
  step.add_balance(account, -delta, BalanceCause::margin);
  step.touch(account, command.market);
  state.outcome.amount = holding.position.isolated;
  state.outcome.balance = state.account(account).balance;
  return Reject::none;
}

}  // namespace svc::engine
