#include "sim/actors/actor.h"

#include "sim/views/views.h"

namespace svc::sim {
namespace {

template <class Unit>
engine::Measured<Unit> on_grid(Unit value) {
  return {.value = value, .grid = engine::Grid::on};
}

}  // namespace

Scene::Scene(const engine::Engine& the_engine, engine::MarketIndex the_market, TimestampMs at_ms,
             const MarketConditions& the_conditions)
    : engine(the_engine),
      market(the_market),
      now_ms(at_ms),
      conditions(the_conditions),
      spec(the_engine.spec(the_market)),
      figures(the_engine.market(the_market, at_ms)),
      tick_unit_(engine::tick_unit(spec)),
      quote_unit_(engine::quote_unit(spec)) {}

Lots Scene::lots_worth(Usdx value, Ticks price) const {
  const i128 lot = static_cast<i128>(price.value) * quote_unit_;
  const i128 wanted = div_round(value.value, lot, Rounding::half_up);
  const i128 smallest = div_round(spec.min_notional.value, lot, Rounding::up) + 1;
  const i128 least = std::max<i128>(smallest, spec.min_order_size.value);
  // The largest order of a market may be worth less than min_notional.
  return {narrow(std::min<i128>(std::max(wanted, least), spec.max_order_size.value))};
}

std::int64_t moved(std::int64_t price, std::int64_t ppb) {
  return mul_div(price, ppb_one + ppb, ppb_one, Rounding::half_up);
}

std::int64_t distance_ppb(std::int64_t price, std::int64_t from) {
  const i128 distance = div_round(static_cast<i128>(price - from) * ppb_one, from, Rounding::half_up);
  return narrow(std::clamp<i128>(distance, -distance_max_ppb, distance_max_ppb));
}

engine::OrderParams OrderSender::params(engine::Side side, engine::OrderType type, Lots lots) const {
  engine::OrderParams order;
  order.market = scene_.market;
  order.side = side;
  order.type = type;
  order.quantity = on_grid(std::min(lots, scene_.spec.max_order_size));
  if (is_market_family(type)) order.time_in_force = engine::TimeInForce::ioc;
  return order;
}

void OrderSender::limit(engine::Side side, Ticks price, Lots lots, engine::TimeInForce tif, TimestampMs until_ms) {
  auto order = params(side, engine::OrderType::limit, lots);
  order.price = on_grid(price);
  order.time_in_force = tif;
  order.expires_at_ms = until_ms;
  place(order);
}

void OrderSender::at_trigger(engine::OrderType type, engine::Side side, Ticks trigger, Lots lots) {
  auto order = params(side, type, lots);
  order.trigger = on_grid(trigger);
  order.reduce_only = true;
  place(order);
}

void OrderSender::amend(engine::OrderId order, Ticks price, Lots size) {
  send(engine::AmendOrder{.account = account_, .order = order, .price = on_grid(price), .size = on_grid(size)});
}

Actor::Actor(ActorTerms the_terms, std::uint64_t seed)
    : terms(std::move(the_terms)), account(house_account(terms.name)), chance(seed, terms.name) {}

}  // namespace svc::sim
