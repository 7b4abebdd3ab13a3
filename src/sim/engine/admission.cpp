#include "sim/engine/admission.h"

#include <algorithm>

#include "sim/engine/liquidation.h"
#include "sim/engine/margin.h"

namespace svc::engine {
namespace {

Reject check_quantity(const Market& market, const MeasuredLots& quantity) {
  if (quantity.grid == Grid::off) return Reject::invalid_lot_size;
  const bool in_range = quantity.grid == Grid::on && quantity.value >= market.spec.min_order_size &&
                        quantity.value <= market.spec.max_order_size;
  return in_range ? Reject::none : Reject::invalid_quantity;
}

Reject check_price(const Market& market, const MeasuredPrice& price, Reject out_of_range) {
  if (price.grid == Grid::off) return Reject::invalid_tick_size;
  const bool in_range = price.grid == Grid::on && price.value > Ticks{} && price.value <= market.spec.price_max;
  return in_range ? Reject::none : out_of_range;
}

bool within(const std::optional<std::int32_t>& bps, std::int32_t high) {
  return bps && *bps >= 0 && *bps <= high;
}

// The price of an order for the minimum notional: its own, else its trigger, else the mark.
Ticks reference_price(const Market& market, const OrderParams& params) {
  if (needs_price(params.type)) return params.price.value;
  if (is_stop(params.type) || is_take_profit(params.type)) return params.trigger.value;
  return market.mark;
}

Reject check_reduce_only(Order& order, Lots size) {
  if (!opposes(order.side, size)) return Reject::reduce_only_would_increase;
  const Lots clamped = std::min(order.remaining(), magnitude(size));
  order.quantity = order.filled + static_cast<std::int32_t>(clamped.value);
  return Reject::none;
}

Reject check_liquidity(const Market& market, const Order& order) {
  if (order.time_in_force == TimeInForce::post_only) {
    return market.book.crosses(order.side, {order.price}) ? Reject::would_take_liquidity : Reject::none;
  }
  if (!is_market_family(order.type)) return Reject::none;
  const bool needs_both_sides = order.max_slippage_bps >= 0;
  const bool missing = market.book.empty(opposite(order.side)) || (needs_both_sides && market.book.empty(order.side));
  return missing ? Reject::insufficient_liquidity : Reject::none;
}

Taker taker_of(const Market& market, const Order& order) {
  Taker taker{.account = order.account, .side = order.side, .lots = order.remaining(), .stp = order.stp};
  if (!is_market_family(order.type)) {
    taker.limit = {order.price};
    return taker;
  }
  taker.limit = market.band_limit(order.side);
  taker.limit_is_band = true;
  if (order.max_slippage_bps >= 0) {
    taker.cap = SlippageCap{*market.book.best(Side::buy), *market.book.best(Side::sell), order.max_slippage_bps};
  }
  return taker;
}

// All positions of one account together have a value in 64 bits, whatever the prices become.
std::int64_t open_interest_value_max(const State& state) {
  constexpr auto all = limits::markets_of_full_value;
  return limits::open_interest_value_max / static_cast<std::int64_t>(std::max(state.markets.size(), all)) *
         static_cast<std::int64_t>(all);
}

Reject check_open_interest(const State& state, const Market& market, const Plan& plan) {
  if (plan.open_interest_change <= Lots{}) return Reject::none;
  const Lots after = market.open_interest + plan.open_interest_change;
  const Usdx cap = market.spec.open_interest_cap;
  const bool above_cap = cap != Usdx{} && market.value(market.mark, after) > cap.value;
  const bool too_large = market.value(market.spec.price_max, after) > open_interest_value_max(state);
  return above_cap || too_large ? Reject::open_interest_cap_exceeded : Reject::none;
}

// The taker's own orders after the plan, and its remainder that would rest.
void project_own_orders(const State& state, const Entry& entry) {
  Projected& projected = entry.plan->own;
  projected.changes.clear();
  projected.extra_lots = {};
  const Order& order = entry.order;
  for (const PlanStep& step : entry.plan->steps) {
    const Order& maker = state.orders[step.maker];
    if (maker.account != order.account) continue;
    const bool dropped = step.kind == PlanStep::Kind::drop;
    projected.changes.push_back({step.maker, dropped ? Lots{} : maker.remaining() - step.lots});
  }
  const Lots left = order.remaining() - entry.plan->filled - entry.plan->decremented;
  const Lots resting = may_rest(order) && entry.plan->stop == CancelReason::none && !order.reduce_only ? left : Lots{};
  if (entry.keeps_place) {
    projected.changes.push_back({entry.replaces, resting});
    return;
  }
  if (entry.replaces != no_slot) projected.changes.push_back({entry.replaces, Lots{}});
  projected.extra_side = order.side;
  projected.extra_price = {order.price};
  projected.extra_lots = resting;
}

// Rule 5.5: the exact state after the plan, the rest resting and reserved.
Reject check_margin(const State& state, const Market& market, const Entry& entry) {
  const Order& order = entry.order;
  const Plan& plan = *entry.plan;
  const Account& account = state.account(order.account);
  const Holding& holding = account.holdings[market.index.value];
  const MarginTerms terms = market.terms(holding);
  const bool isolated = terms.mode == MarginMode::isolated;
  const bool fills = plan.filled > Lots{};
  if (fills && plan.taker().negative_payout) return Reject::insufficient_margin;

  if (strictly_reduces(order.side, order.remaining(), holding.position.size)) {
    if (!fills) return Reject::none;
    const Shadow& after = plan.taker();
    const i128 equity = isolated ? after.isolated().equity : after.cross().equity;
    return equity >= 0 ? Reject::none : Reject::insufficient_margin;
  }

  const Exposure& position = fills ? plan.taker().position : holding.position;
  const Valuation& at_mark = fills ? plan.taker().at_mark : holding.valuation;
  i128 available = (fills ? plan.taker().balance : account.balance).value;
  available += available_elsewhere(state, account, market.index);
  if (!isolated) available += at_mark.unrealized - at_mark.initial;
  available -= order_margin(state, market, holding, position.size, plan.own);
  if (available < 0) return Reject::insufficient_margin;
  const bool sinks = isolated && isolated_health(position, at_mark).under_water();
  return sinks ? Reject::insufficient_margin : Reject::none;
}

// True if these parameters would place the same order again (rule 3.10).
bool same_request(const Order& a, const Order& b) {
  const bool priced = needs_price(a.type);
  return a.market == b.market && a.side == b.side && a.type == b.type && a.time_in_force == b.time_in_force &&
         a.stp == b.stp && a.reduce_only == b.reduce_only && a.requested == b.requested &&
         (!priced || a.price == b.price) && a.trigger == b.trigger && a.trailing_offset_bps == b.trailing_offset_bps &&
         a.limit_offset_bps == b.limit_offset_bps && a.max_slippage_bps == b.max_slippage_bps;
}

// Equity, notional and liquidation price of the account after the plan.
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

// The margin used by the account's position and orders in the market.
i128 tied_up(const State& state, const Market& market, const Holding& holding, const Exposure& exposure,
             const Projected& projected) {
  const MarginTerms terms = market.terms(holding);
  const i128 position = terms.mode == MarginMode::isolated ? static_cast<i128>(exposure.isolated.value)
                                                           : market.initial_margin(exposure, terms.leverage);
  return position + order_margin(state, market, holding, exposure.size, projected);
}

// The checks of check_form that only the parameters and the market's specification decide: they never change.
Reject check_figures(const Market& market, const OrderParams& params) {
  if (const Reject reject = check_quantity(market, params.quantity); reject != Reject::none) return reject;
  if (needs_price(params.type)) {
    if (const Reject reject = check_price(market, params.price, Reject::invalid_price); reject != Reject::none) {
      return reject;
    }
  }
  if (is_stop(params.type) || is_take_profit(params.type)) {
    const Reject reject = check_price(market, params.trigger, Reject::invalid_trigger_price);
    if (reject != Reject::none) return reject;
  }
  if (is_trailing(params.type) && !within(params.trailing_offset_bps, limits::bps_max)) {
    return Reject::invalid_trigger_price;
  }
  if (params.type == OrderType::trailing_limit && !within(params.limit_offset_bps, limits::basis_points - 1)) {
    return Reject::invalid_price;
  }
  if (is_market_family(params.type)) {
    if (params.max_slippage_bps && !within(params.max_slippage_bps, limits::bps_max)) return Reject::invalid_price;
    if (params.time_in_force == TimeInForce::post_only) return Reject::invalid_time_in_force;
  }
  return Reject::none;
}

}  // namespace

Reject check_form(const Market& market, const OrderParams& params, TimestampMs now_ms) {
  if (!market.active()) return Reject::market_halted;
  if (market.stale(now_ms)) return Reject::oracle_stale;
  if (const Reject reject = check_figures(market, params); reject != Reject::none) return reject;
  if (params.expires_at_ms != 0 && params.expires_at_ms <= now_ms) return Reject::invalid_time_in_force;
  if (!params.reduce_only) {
    const i128 notional = market.value(reference_price(market, params), params.quantity.value);
    if (notional < market.spec.min_notional.value) return Reject::min_notional;
  }
  return Reject::none;
}

Order order_from(const State& state, AccountIndex account, const OrderParams& params) {
  const auto narrow32 = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  Order order;
  order.account = account;
  order.market = params.market;
  order.side = params.side;
  order.type = params.type;
  order.time_in_force = params.time_in_force;
  order.stp = params.stp;
  order.reduce_only = params.reduce_only;
  order.requested = order.quantity = narrow32(params.quantity.value.value);
  if (needs_price(params.type)) order.price = narrow32(params.price.value.value);
  if (is_stop(params.type) || is_take_profit(params.type)) order.trigger = narrow32(params.trigger.value.value);
  if (is_trailing(params.type)) order.trailing_offset_bps = *params.trailing_offset_bps;
  if (params.type == OrderType::trailing_limit) order.limit_offset_bps = *params.limit_offset_bps;
  if (is_market_family(params.type)) order.max_slippage_bps = params.max_slippage_bps.value_or(-1);
  order.waiting = is_conditional(params.type);
  order.expires = params.expires_at_ms != 0;
  order.created_ms = order.updated_ms = state.now_ms;
  return order;
}

Reject check_room(const State& state, const Entry& entry) {
  const Order& order = entry.order;
  if (state.open_orders_max == 0) return Reject::none;
  if (!order.waiting) {
    const Plan& plan = *entry.plan;
    const bool rests = entry.killed == CancelReason::none && may_rest(order) && plan.stop == CancelReason::none &&
                       plan.filled + plan.decremented < order.remaining();
    if (!rests) return Reject::none;
  }
  std::size_t open = 0;
  for (const Holding& holding : state.account(order.account).holdings) open += holding.open_orders();
  return open < state.open_orders_max ? Reject::none : Reject::too_many_open_orders;
}

bool has_means(const Account& account, const Market& market) {
  const i128 affordable = static_cast<i128>(account.balance.value) * market.ceiling;
  return affordable >= std::max<i128>(1, market.spec.min_notional.value) ||
         std::ranges::any_of(account.holdings, &Holding::has_position);
}

Reject check_means(const State& state, const Market& market, AccountIndex account) {
  const bool asked = state.last_order.value >= limits::moneyless_orders_max;
  return asked && !has_means(state.account(account), market) ? Reject::insufficient_margin : Reject::none;
}

Reject check_client_id(const State& state, AccountIndex account, const ClientId& client_id) {
  const bool taken = !client_id.empty() && state.client_ids.find(account, client_id);
  return taken ? Reject::client_id_taken : Reject::none;
}

Slot repeated_order(const State& state, AccountIndex account, const OrderParams& params) {
  if (params.client_id.empty()) return no_slot;
  const auto used_by = state.client_ids.find(account, params.client_id);
  if (!used_by) return no_slot;
  const Slot slot = state.orders.find(*used_by);
  if (slot == no_slot || check_figures(state.market(params.market), params) != Reject::none) return no_slot;
  return same_request(state.orders[slot], order_from(state, account, params)) ? slot : no_slot;
}

Reject admit(const State& state, const Market& market, Entry& entry) {
  Order& order = entry.order;
  const Account& account = state.account(order.account);
  if (in_liquidation(account)) return Reject::account_in_liquidation;
  if (order.waiting) return Reject::none;  // judged when its trigger comes
  if (order.reduce_only) {
    const Lots size = account.holdings[market.index.value].position.size;
    if (const Reject reject = check_reduce_only(order, size); reject != Reject::none) return reject;
  }
  if (!is_market_family(order.type) && beyond(order.side, {order.price}, market.band_limit(order.side)))
    return Reject::price_band_exceeded;
  if (const Reject reject = check_liquidity(market, order); reject != Reject::none) return reject;

  Taker taker = taker_of(market, order);
  taker.own_steps_only = entry.previews;
  make_plan(state, market, taker, *entry.plan);
  if (order.time_in_force == TimeInForce::fok && entry.plan->filled < order.remaining()) {
    // Decremented quantity reduces the fill, and ended matching only if nothing of the taker was left. (D-171)
    entry.killed = entry.plan->stop != CancelReason::none ? entry.plan->stop : CancelReason::expired;
    return Reject::none;
  }
  if (const Reject reject = check_open_interest(state, market, *entry.plan); reject != Reject::none) return reject;
  project_own_orders(state, entry);
  return check_margin(state, market, entry);
}

Reject check_new_order(const State& state, const Market& market, AccountIndex account, const OrderParams& params,
                       TimestampMs now_ms, Entry& entry) {
  if (const Reject reject = check_form(market, params, now_ms); reject != Reject::none) return reject;
  if (const Reject reject = check_client_id(state, account, params.client_id); reject != Reject::none) return reject;
  entry.order = order_from(state, account, params);
  if (const Reject reject = admit(state, market, entry); reject != Reject::none) return reject;
  if (const Reject reject = check_room(state, entry); reject != Reject::none) return reject;
  return check_means(state, market, account);
}

Preview preview_order(const State& state, Plan& plan, const PlaceOrder& command, TimestampMs now_ms) {
  Preview preview;
  OrderParams params = command.params;
  if (params.market.value >= state.markets.size()) {
    preview.reject = Reject::unknown_market;
    return preview;
  }
  params.max_slippage_bps.reset();  // the walk goes beyond it, but its form is checked
  const Market& market = state.market(params.market);
  const AccountIndex account = state.known_or_stranger(command.account);
  const Holding& holding = state.holding(account, market.index);

  plan.clear();
  Projected projected;
  const bool repeats = repeated_order(state, account, command.params) != no_slot;
  if (!repeats) preview.reject = check_form(market, command.params, now_ms);
  if (!repeats && preview.reject == Reject::none) {
    Entry entry{.previews = true, .plan = &plan};
    preview.reject = check_new_order(state, market, account, params, now_ms, entry);
    // Who lacks margin is told how much it takes.
    const bool is_planned = preview.reject == Reject::none || preview.reject == Reject::insufficient_margin;
    if (is_planned && !entry.order.waiting && entry.killed == CancelReason::none) {
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
