#include "sim/engine/bucket.h"

#include <algorithm>

#include "sim/engine/step.h"

namespace svc::engine {

bool belongs(const State& state, const Bucket& bucket, MarketIndex market) {
  if (bucket.isolated) return *bucket.isolated == market;
  return state.holding(bucket.account, market).mode == MarginMode::cross;
}

Bucket bucket_of(const State& state, AccountIndex account, MarketIndex market) {
  if (state.holding(account, market).mode == MarginMode::cross) return {.account = account};
  return {.account = account, .isolated = market};
}

Health health_of(const State& state, const Bucket& bucket) {
  if (!bucket.isolated) return cross_health(state, state.account(bucket.account));
  return isolated_health(state.holding(bucket.account, *bucket.isolated));
}

namespace {

// Markets in which the bucket has a position, as far as they are wanted; largest maintenance first, then by market id.
template <class Wanted>
std::vector<MarketIndex> held_markets(const State& state, const Bucket& bucket, Wanted wanted) {
  std::vector<MarketIndex> found;
  for (const Market& market : state.markets) {
    if (!wanted(market) || !belongs(state, bucket, market.index)) continue;
    if (state.holding(bucket.account, market.index).has_position()) found.push_back(market.index);
  }
  const auto maintenance = [&](MarketIndex index) {
    return state.holding(bucket.account, index).valuation.maintenance;
  };
  std::sort(found.begin(), found.end(), [&](MarketIndex a, MarketIndex b) {
    const i128 left = maintenance(a);
    const i128 right = maintenance(b);
    return left != right ? left > right : state.market(a).spec.id < state.market(b).spec.id;
  });
  return found;
}

}  // namespace

std::vector<MarketIndex> open_markets(const State& state, const Bucket& bucket) {
  return held_markets(state, bucket, [](const Market& market) { return market.active(); });
}

MarketIndex largest_position(const State& state, const Bucket& bucket) {
  const std::vector<MarketIndex> open = open_markets(state, bucket);
  if (!open.empty()) return open.front();
  return held_markets(state, bucket, [](const Market&) { return true; }).front();
}

void receive(Step& step, const Bucket& bucket, Usdx amount, FundCause cause, MarketIndex market) {
  if (amount == Usdx{}) return;
  const Address address = step.state.account(bucket.account).address;
  step.state.account(bucket.account).supported += amount;
  step.add_insurance(-amount, cause, address, market);
  if (bucket.isolated) {
    Holding& holding = step.state.holding(bucket.account, *bucket.isolated);
    if (holding.has_position()) {
      holding.position.isolated += amount;
      step.tell_position(bucket.account, step.state.market(*bucket.isolated), PositionCause::insurance);
      return;
    }
  }
  step.add_balance(bucket.account, amount, BalanceCause::insurance);
}

i128 zero_quote(const State& state, const Bucket& bucket, const Market& market, Lots lots) {
  const Holding& holding = state.holding(bucket.account, market.index);
  const Position& position = holding.position;
  const Health health = health_of(state, bucket);
  SVC_ASSERT(health.maintenance > 0 && lots <= magnitude(position.size));
  const Lots left = magnitude(position.size) - lots;
  const i128 released = holding.valuation.maintenance - market.schedule.maintenance(market.value(market.mark, left));
  // equity * released / maintenance, rounded down, without a product of more than 128 bits.
  const i128 whole = health.equity / health.maintenance;
  const i128 part = health.equity % health.maintenance;
  const i128 share = whole * released + div_round(part * released, health.maintenance, Rounding::down);
  const i128 at_mark = market.value(market.mark, lots);
  return position.size > Lots{} ? at_mark - share : at_mark + share;
}

}  // namespace svc::engine
