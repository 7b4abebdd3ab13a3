#include "sim/engine/settings.h"

#include <algorithm>

#include "sim/engine/margin.h"
#include "sim/engine/order_entry.h"

namespace svc::engine {
namespace {

// ceil(rate * notional)
i128 floor_margin(const Market& market, const Exposure& exposure) {
  const Rational& rate = market.spec.withdrawal_floor_rate;
  return div_round(market.notional(exposure) * rate.num, rate.den, Rounding::up);
}

Reject check_removal(const Market& market, const Holding& holding, Usdx amount) {
  const Position& position = holding.position;
  if (amount > position.isolated) return Reject::insufficient_margin;
  const i128 left = isolated_health(holding).equity - amount.value;
  return left >= std::max(holding.valuation.initial, floor_margin(market, position)) ? Reject::none
                                                                                     : Reject::insufficient_margin;
}

}  // namespace

Reject set_leverage(Step& step, const SetLeverage& command) {
  State& state = step.state;
  if (command.market.value >= state.markets.size()) return Reject::unknown_market;
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
  step.touch(account, command.market);
  return Reject::none;
}

Reject set_margin_mode(Step& step, const SetMarginMode& command) {
  State& state = step.state;
  if (command.market.value >= state.markets.size()) return Reject::unknown_market;
  const AccountIndex account = step.open_account(command.account);
  Holding& holding = state.holding(account, command.market);
  if (holding.mode == command.mode) return Reject::none;
  if (holding.has_position() || holding.has_orders()) return Reject::margin_mode_locked;
  holding.mode = command.mode;
  step.emit(MarginModeChanged{.account = command.account, .market = command.market, .mode = command.mode});
  return Reject::none;
}

Reject adjust_margin(Step& step, const AdjustMargin& command) {
  State& state = step.state;
  if (command.market.value >= state.markets.size()) return Reject::unknown_market;
  if (command.amount <= Usdx{}) return Reject::invalid_amount;
  const AccountIndex account = step.open_account(command.account);
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
