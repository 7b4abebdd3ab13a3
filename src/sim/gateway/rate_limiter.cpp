#include "sim/gateway/rate_limiter.h"

#include <algorithm>

#include "base/assert.h"
#include "base/decimal.h"

namespace svc::sim {
namespace {

constexpr std::string_view unresolved_client;  // key of the shared buckets: no address is an empty text

Meter read(Bucket name, TokenBucket& tokens, TimestampMs now_ms) {
  return {.bucket = name,
          .limit = tokens.limit(),
          .remaining = tokens.remaining(now_ms),
          .full_at_ms = tokens.full_at_ms(now_ms)};
}

}  // namespace

std::string RateLimiter::answer(std::string_view question) {
  const auto asked = from_archive<Question>(question);
  Answer answer;
  if (!asked || asked->rate == api::RateClass::login) return to_archive(answer);
  switch (asked->kind) {
    case Question::Kind::charge: {
      const auto meter = charge_here(asked->payer, asked->rate, asked->cost, asked->now_ms);
      if (meter)
        answer.meter = *meter;
      else
        answer.refusal = meter.error();
      break;
    }
    case Question::Kind::list: answer.list = buckets_here(asked->payer, asked->now_ms); break;
    case Question::Kind::reset: reset_here(asked->payer.account, asked->key_ids); break;
  }
  return to_archive(answer);
}

Charge RateLimiter::charge(const Payer& payer, api::RateClass rate, std::uint64_t cost, TimestampMs now_ms) {
  if (has_keeper(payer.tier)) {
    const auto told = ask_keeper({.payer = payer, .rate = rate, .cost = cost, .now_ms = now_ms});
    if (told && told->refusal) return unexpected(*told->refusal);
    if (told && told->meter) return *told->meter;
  }
  return charge_here(payer, rate, cost, now_ms);
}

std::vector<Meter> RateLimiter::buckets_here(const Payer& payer, TimestampMs now_ms) {
  using enum api::RateClass;
  if (api::limits_of(payer.tier).per_client_address) return {};
  const std::lock_guard lock(mutex_);
  std::vector<Meter> meters;
  for (const api::RateClass rate : {request, order, cancel})
    for (const auto& [name, tokens] : of_payer(payer, rate, now_ms)) meters.push_back(read(name, *tokens, now_ms));
  return meters;
}

TokenBucket& RateLimiter::at_client(TextPool& pool, const ClientAddress& client_address, ClientRates rates,
                                    TimestampMs now_ms) const {
  if (client_address) return pool.at(std::string_view(*client_address), scaled(rates.resolved), now_ms);
  return pool.at(unresolved_client, scaled(rates.unresolved), now_ms);
}

RateLimiter::Charged RateLimiter::of_payer(const Payer& payer, api::RateClass rate, TimestampMs now_ms) {
  SVC_ASSERT(rate != api::RateClass::login);
  const api::TierLimits& tier = api::limits_of(payer.tier);
  // The table does not specify cancels of such a tier; like order writes they use the one bucket. (D-225)
  if (tier.per_client_address) return {of_client(payer.client_address, api::RateClass::request, now_ms)};

  if (rate == api::RateClass::order)
    return {{Bucket::order, &orders_.at(payer.account, scaled(tier.orders_per_second), now_ms)}};
  if (rate == api::RateClass::cancel)
    return {{Bucket::cancel, &cancels_.at(payer.account, scaled(tier.cancels_per_second), now_ms)}};

  TokenBucket& owner = owners_.at(payer.account, scaled(tier.requests_per_second), now_ms);
  if (payer.key_id.empty() || payer.key_ceiling_per_second == 0) return {{Bucket::owner, &owner}};
  TokenBucket& key = keys_.at(payer.key_id, scaled(payer.key_ceiling_per_second), now_ms);
  return {{Bucket::key, &key}, {Bucket::owner, &owner}};
}

BudgetRefusal RateLimiter::refusal_of(const NamedBucket& bucket, api::Tier tier, std::uint64_t cost,
                                      TimestampMs now_ms) {
  const std::int64_t wait_ms = bucket.tokens->passes_at_ms(cost, now_ms) - now_ms;
  SVC_ASSERT(wait_ms > 0);
  return {.meter = read(bucket.name, *bucket.tokens, now_ms),
          .tier = tier,
          .retry_after_s = narrow(div_round(wait_ms, second_ms, Rounding::up))};
}

Charge RateLimiter::take(const Charged& charged, api::Tier tier, std::uint64_t cost, TimestampMs now_ms) const {
  const bool charging = scale_.multiplier != 0;
  for (const NamedBucket& bucket : charged)
    if (charging && !bucket.tokens->can_take(cost, now_ms)) return unexpected(refusal_of(bucket, tier, cost, now_ms));
  std::optional<Meter> tightest;
  for (const auto& [name, tokens] : charged) {
    if (charging) tokens->take(cost, now_ms);
    const Meter meter = read(name, *tokens, now_ms);
    if (!tightest || meter.remaining < tightest->remaining) tightest = meter;
  }
  return *tightest;
}

TokenBucket::TokenBucket(std::uint32_t per_second, TimestampMs now_ms, std::int64_t burst_s)
    : per_second_(per_second), burst_s_(burst_s), micros_(capacity_micros()), refilled_at_ms_(now_ms) {
  SVC_ASSERT(per_second > 0);
}

// A clock that stands still refills nothing, nor do requests that come out of order: one may have waited for another
// node, whose clock differs. A revert puts the clock far back: what was spent later than that was never spent.
void TokenBucket::refill(TimestampMs now_ms) {
  if (now_ms < refilled_at_ms_ - minute_ms) {
    micros_ = capacity_micros();
    refilled_at_ms_ = now_ms;
  }
  if (now_ms <= refilled_at_ms_) return;
  const std::int64_t elapsed_ms = std::min(now_ms - refilled_at_ms_, burst_s_ * second_ms);
  micros_ = std::min(capacity_micros(), micros_ + elapsed_ms * micros_per_ms());
  refilled_at_ms_ = now_ms;
}

}  // namespace svc::sim
