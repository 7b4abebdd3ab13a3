#include "sim/engine/liquidation.h"

#include <algorithm>

#include "sim/engine/adl.h"
#include "sim/engine/liquidation_sweep.h"
#include "sim/engine/order_exit.h"

namespace svc::engine {
namespace {

// Every bucket of an account that has a position.
void add_buckets(const State& state, AccountIndex account, std::set<Bucket>& buckets) {
  for (const Market& market : state.markets) {
    if (state.holding(account, market.index).has_position()) buckets.insert(bucket_of(state, account, market.index));
  }
}

std::set<Bucket> buckets_to_check(const Step& step) {
  const State& state = step.state;
  std::set<Bucket> buckets = state.waiting;
  if (step.everyone_unchecked()) {
    for (std::uint32_t i = 0; i < state.accounts.size(); ++i) add_buckets(state, {i}, buckets);
  } else {
    for (const AccountIndex account : step.unchecked()) add_buckets(state, account, buckets);
  }
  return buckets;
}

// An episode ends when the bucket is healthy: the next one starts with a partial attempt again.
void end_episode(State& state, const Bucket& bucket) {
  if (state.waiting.erase(bucket) == 0) return;
  for (const Market& market : state.markets) {
    if (!belongs(state, bucket, market.index)) continue;
    Holding& holding = state.holding(bucket.account, market.index);
    holding.partially_liquidated = false;
    holding.cooldown_until_ms = 0;
  }
}

// The ordinary case, without allocating: nobody waits and nobody touched is under water.
bool nothing_to_do(const Step& step) {
  const State& state = step.state;
  if (step.everyone_unchecked() || !state.waiting.empty()) return false;
  return std::none_of(step.unchecked().begin(), step.unchecked().end(),
                      [&](AccountIndex account) { return in_liquidation(state.account(account)); });
}

struct Candidate {
  Bucket bucket;
  Health health;
};

// Ascending equity / maintenance, exactly; then account id; then the cross bucket first.
bool worse(const State& state, const Candidate& a, const Candidate& b) {
  const i128 left = a.health.equity * b.health.maintenance;
  const i128 right = b.health.equity * a.health.maintenance;
  if (left != right) return left < right;
  const Address& first = state.account(a.bucket.account).address;
  const Address& second = state.account(b.bucket.account).address;
  return first != second ? first < second : a.bucket < b.bucket;
}

std::vector<Candidate> find_candidates(Step& step) {
  State& state = step.state;
  std::vector<Candidate> candidates;
  for (const Bucket& bucket : buckets_to_check(step)) {
    const Health health = health_of(state, bucket);
    if (health.under_water())
      candidates.push_back({bucket, health});
    else
      end_episode(state, bucket);
  }
  std::sort(candidates.begin(), candidates.end(),
            [&](const Candidate& a, const Candidate& b) { return worse(state, a, b); });
  return candidates;
}

// Step 1. True if there was anything to cancel.
bool cancel_orders(Step& step, const Bucket& bucket) {
  bool any = false;
  for (const Market& market : step.state.markets) {
    if (!belongs(step.state, bucket, market.index)) continue;
    if (!step.state.holding(bucket.account, market.index).has_orders()) continue;
    cancel_in_market(step, bucket.account, market.index, CancelReason::liquidation);
    any = true;
  }
  return any;
}

void tell_start(Step& step, const Bucket& bucket, const Health& health) {
  if (!step.state.waiting.insert(bucket).second) return;
  step.emit(LiquidationStarted{.account = step.state.account(bucket.account).address,
                               .mode = bucket.isolated ? MarginMode::isolated : MarginMode::cross,
                               .market = largest_position(step.state, bucket),
                               .equity = saturated(health.equity),
                               .maintenance = saturated(health.maintenance)});
}

// One turn of a bucket; true if it changed anything. Its health is asked again between positions and steps. Where all
// its positions are in markets that do not trade, only its orders go.
bool liquidate(Step& step, const Bucket& bucket) {
  State& state = step.state;
  tell_start(step, bucket, health_of(state, bucket));
  bool progress = cancel_orders(step, bucket);
  const auto for_each_position = [&](auto allowed, auto act) {
    for (const MarketIndex market : open_markets(state, bucket)) {
      const Health health = health_of(state, bucket);
      if (!health.under_water() || !allowed(health, market)) continue;
      progress |= act(step, bucket, state.market(market));
    }
  };
  for_each_position([](const Health& health, MarketIndex) { return health.equity >= 0; }, sell_at_zero_price);
  for_each_position(
      [&](const Health& health, MarketIndex market) { return below_backstop(state.market(market), health); },
      sweep_on_the_fund);
  const Health health = health_of(state, bucket);
  if (health.has_position && health.equity < 0 && !open_markets(state, bucket).empty()) {
    deleverage(step, bucket);
    progress = true;
  }
  return progress;
}

}  // namespace

void run_liquidations(Step& step) {
  if (nothing_to_do(step)) {
    step.all_checked();
    return;
  }
  for (bool progress = true; progress;) {
    progress = false;
    const std::vector<Candidate> candidates = find_candidates(step);
    step.all_checked();
    for (const Candidate& candidate : candidates) {
      if (!health_of(step.state, candidate.bucket).under_water()) continue;
      progress |= liquidate(step, candidate.bucket);
    }
  }
}

std::optional<TimestampMs> next_cooldown_ms(const State& state) {
  std::optional<TimestampMs> next;
  for (const Bucket& bucket : state.waiting) {
    for (const Market& market : state.markets) {
      const TimestampMs until_ms = state.holding(bucket.account, market.index).cooldown_until_ms;
      if (until_ms > state.now_ms && (!next || until_ms < *next)) next = until_ms;
    }
  }
  return next;
}

}  // namespace svc::engine
