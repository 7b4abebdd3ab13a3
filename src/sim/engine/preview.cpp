#include "sim/engine/preview.h"

#include <algorithm>

#include "sim/engine/admission.h"
#include "sim/engine/liquidation_price.h"
#include "sim/engine/margin.h"

namespace svc::engine {
namespace {

// Equity, notional and liquidation price of the account as the plan leaves it.
void project(const State& state, const Market& market, const Shadow& after, Preview& preview) {
  const Account& account = state.account(after.account);
  i128 equity = after.balance.value;
  i128 notional = 0;
  for (const Market& other : state.markets) {
    const Holding& holding = account.holdings[other.index.value];
    const Exposure& exposure = other.index == market.index ? after.position : holding.position;
    equity += exposure.isolated.value + other.unrealized(exposure);
    notional += other.notional(exposure);
  }
  preview.equity = saturated(equity);
  preview.projected_notional = saturated(notional);
  const bool isolated = after.terms.mode == MarginMode::isolated;
  const i128 collateral =
      isolated ? after.position.isolated.value : after.balance.value + after.other_equity - after.other_maintenance;
  preview.liquidation_price = liquidation_price(market, after.position, collateral);
}

// What the account's position and orders in the market tie up.
i128 tied_up(const State& state, const Market& market, const Holding& holding, const Exposure& exposure,
             const Projected& projected) {
  const MarginTerms terms = market.terms(holding);
  const i128 position = terms.mode == MarginMode::isolated ? static_cast<i128>(exposure.isolated.value)
                                                           : market.initial_margin(exposure, terms.leverage);
  return position + order_margin(state, market, holding, exposure.size, projected);
}

}  // namespace

Preview preview_order(const State& state, const PlaceOrder& command, TimestampMs now_ms) {
  Preview preview;
  OrderParams params = command.params;
  if (params.market.value >= state.markets.size()) {
    preview.reject = Reject::unknown_market;
    return preview;
  }
  params.max_slippage_bps.reset();
  const Market& market = state.market(params.market);
  const AccountIndex account = state.find_account(command.account).value_or(stranger);
  const Holding& holding = state.holding(account, market.index);

  Plan plan;
  Projected projected;
  preview.reject = check_form(market, params, now_ms);
  if (preview.reject == Reject::none) {
    Entry entry{.order = order_from(state, account, params), .plan = &plan};
    preview.reject = check_client_id(state, entry.order, params.client_id).reject;
    if (preview.reject == Reject::none)
      preview.reject = entry.order.waiting ? Reject::none : admit(state, market, entry);
    if (preview.reject == Reject::none) preview.reject = check_room(state, entry);
    if (preview.reject == Reject::none && !entry.order.waiting && entry.killed == CancelReason::none) {
      projected = plan.own;
      preview.fill_quote = plan.quote;
      preview.fill_lots = plan.filled;
      preview.fees = plan.fees;
    } else {
      plan.shadows.clear();
    }
  }
  if (plan.shadows.empty()) plan.shadows.push_back(shadow_of(state, market, account));
  project(state, market, plan.taker(), preview);
  const i128 before = tied_up(state, market, holding, holding.position, {});
  const i128 after = tied_up(state, market, holding, plan.taker().position, projected);
  preview.required_initial_margin = saturated(std::max<i128>(0, after - before));
  return preview;
}

}  // namespace svc::engine
