#include "sim/gateway/rate_limiter.h"

#include <algorithm>

#include "api/tiers.h"
#include "base/assert.h"
#include "base/decimal.h"
#include "base/limits.h"

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

std::string_view to_string(Bucket bucket) {
  switch (bucket) {
    case Bucket::key: return "key";
    case Bucket::owner: return "owner";
    case Bucket::order: return "order";
    case Bucket::cancel: return "cancel";
    case Bucket::ip: return "ip";
    case Bucket::login: return "login";
  }
  SVC_ASSERT(false);
}

RateLimiter::RateLimiter(RateLimitScale scale, std::size_t buckets_max)
    : scale_(scale),
      keys_(buckets_max),
      owners_(buckets_max),
      orders_(buckets_max),
      cancels_(buckets_max),
      clients_(buckets_max),
      logins_(buckets_max),
      failures_(buckets_max),
      cancel_failures_(buckets_max) {}

Result<Meter, BudgetRefusal> RateLimiter::charge_client(const std::optional<std::string>& client_address,
                                                        api::RateClass rate, std::uint64_t cost, TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  return take(of_client(client_address, rate, now_ms), api::Tier::pro, cost, now_ms);
}

Meter RateLimiter::peek_client(const std::optional<std::string>& client_address, TimestampMs now_ms) {
  const auto meter = charge_client(client_address, api::RateClass::request, 0, now_ms);
  SVC_ASSERT(meter);  // a charge of 0 always succeeds
  return *meter;
}

Result<void, BudgetRefusal> RateLimiter::may_recover(const std::optional<std::string>& client_address,
                                                     api::RateClass rate, TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  const Charged charged = of_failures(client_address, rate, now_ms);
  if (scale_.multiplier == 0 || charged.buckets[0].tokens->can_take(1, now_ms)) return {};
  return unexpected(refusal_of(charged.buckets[0], api::Tier::pro, 1, now_ms));
}

void RateLimiter::charge_failed_signature(const std::optional<std::string>& client_address, api::RateClass rate,
                                          TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  // If several admitted at once fail together, the bucket is just empty.
  (void)take(of_failures(client_address, rate, now_ms), api::Tier::pro, 1, now_ms);
}

Result<Meter, BudgetRefusal> RateLimiter::charge(const Payer& payer, api::RateClass rate, std::uint64_t cost,
                                                 TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  return take(of_payer(payer, rate, now_ms), payer.tier, cost, now_ms);
}

Meter RateLimiter::peek(const Payer& payer, api::RateClass rate, TimestampMs now_ms) {
  const auto meter = charge(payer, rate, 0, now_ms);
  SVC_ASSERT(meter);  // a charge of 0 always succeeds
  return *meter;
}

std::vector<Meter> RateLimiter::buckets_of(const Payer& payer, TimestampMs now_ms) {
  using enum api::RateClass;
  if (payer.tier == api::Tier::unlimited) return {};
  const std::lock_guard lock(mutex_);
  std::vector<Meter> meters;
  for (const api::RateClass rate : {request, order, cancel}) {
    const Charged charged = of_payer(payer, rate, now_ms);
    for (std::size_t i = 0; i < charged.count; ++i)
      meters.push_back(read(charged.buckets[i].name, *charged.buckets[i].tokens, now_ms));
  }
  return meters;
}

void RateLimiter::reset(const Address& account, std::span<const std::string> key_ids) {
  const std::lock_guard lock(mutex_);
  for (auto* pool : {&owners_, &orders_, &cancels_}) pool->forget(account);
  for (const std::string& id : key_ids) keys_.forget(id);
}

std::uint32_t RateLimiter::scaled(std::uint32_t per_second) const {
  return per_second * std::max(scale_.multiplier, 1u);
}

RateLimiter::Charged RateLimiter::of_client(const std::optional<std::string>& client_address, api::RateClass rate,
                                            TimestampMs now_ms) {
  const bool login = rate == api::RateClass::login;
  const std::uint32_t per_second =
      client_address ? (login ? limits::client_logins_per_second : limits::client_reads_per_second)
                     : (login ? limits::unresolved_logins_per_second : limits::unresolved_reads_per_second);
  const std::string_view key = client_address ? std::string_view(*client_address) : unresolved_client;
  TokenBucket& tokens = (login ? logins_ : clients_).at(key, scaled(per_second), now_ms);
  return {{{{login ? Bucket::login : Bucket::ip, &tokens}}}, 1};
}

RateLimiter::Charged RateLimiter::of_failures(const std::optional<std::string>& client_address, api::RateClass rate,
                                              TimestampMs now_ms) {
  const std::uint32_t per_second =
      client_address ? limits::client_reads_per_second : limits::unresolved_reads_per_second;
  const std::string_view key = client_address ? std::string_view(*client_address) : unresolved_client;
  auto& pool = rate == api::RateClass::cancel ? cancel_failures_ : failures_;
  return {{{{Bucket::ip, &pool.at(key, scaled(per_second), now_ms)}}}, 1};
}

RateLimiter::Charged RateLimiter::of_payer(const Payer& payer, api::RateClass rate, TimestampMs now_ms) {
  SVC_ASSERT(rate != api::RateClass::login);
  // The table does not specify cancels of this tier; like order writes they use the one bucket. (D-225)
  if (payer.tier == api::Tier::unlimited) return of_client(payer.client_address, api::RateClass::request, now_ms);

  const api::TierLimits& tier = api::limits_of(payer.tier);
  if (rate == api::RateClass::order)
    return {{{{Bucket::order, &orders_.at(payer.account, scaled(tier.orders_per_second), now_ms)}}}, 1};
  if (rate == api::RateClass::cancel)
    return {{{{Bucket::cancel, &cancels_.at(payer.account, scaled(tier.cancels_per_second), now_ms)}}}, 1};

  TokenBucket& owner = owners_.at(payer.account, scaled(tier.requests_per_second), now_ms);
  if (payer.key_id.empty() || payer.key_ceiling_per_second == 0) return {{{{Bucket::owner, &owner}}}, 1};
  TokenBucket& key = keys_.at(payer.key_id, scaled(payer.key_ceiling_per_second), now_ms);
  return {{{{Bucket::key, &key}, {Bucket::owner, &owner}}}, 2};
}

BudgetRefusal RateLimiter::refusal_of(const Charged::One& bucket, api::Tier tier, std::uint64_t cost,
                                      TimestampMs now_ms) {
  const std::int64_t wait_ms = bucket.tokens->passes_at_ms(cost, now_ms) - now_ms;
  SVC_ASSERT(wait_ms > 0);
  return {.meter = read(bucket.name, *bucket.tokens, now_ms),
          .tier = tier,
          .retry_after_s = narrow(div_round(wait_ms, second_ms, Rounding::up))};
}

Result<Meter, BudgetRefusal> RateLimiter::take(const Charged& charged, api::Tier tier, std::uint64_t cost,
                                               TimestampMs now_ms) const {
  const bool charging = scale_.multiplier != 0;
  for (std::size_t i = 0; i < charged.count && charging; ++i) {
    if (!charged.buckets[i].tokens->can_take(cost, now_ms))
      return unexpected(refusal_of(charged.buckets[i], tier, cost, now_ms));
  }
  std::optional<Meter> tightest;
  for (std::size_t i = 0; i < charged.count; ++i) {
    const auto [name, tokens] = charged.buckets[i];
    if (charging) tokens->take(cost, now_ms);
    const Meter meter = read(name, *tokens, now_ms);
    if (!tightest || meter.remaining < tightest->remaining) tightest = meter;
  }
  return *tightest;
}

TokenBucket::TokenBucket(std::uint32_t per_second, TimestampMs now_ms)
    : per_second_(per_second), micros_(capacity_micros()), refilled_at_ms_(now_ms) {
  SVC_ASSERT(per_second > 0);
}

std::uint64_t TokenBucket::charge_of(std::uint64_t cost) const {
  return std::min<std::uint64_t>(cost, per_second_);
}

bool TokenBucket::can_take(std::uint64_t cost, TimestampMs now_ms) {
  refill(now_ms);
  return static_cast<std::int64_t>(charge_of(cost)) * micros_per_token <= micros_;
}

void TokenBucket::take(std::uint64_t cost, TimestampMs now_ms) {
  SVC_ASSERT(can_take(cost, now_ms));
  micros_ -= static_cast<std::int64_t>(charge_of(cost)) * micros_per_token;
}

std::uint32_t TokenBucket::remaining(TimestampMs now_ms) {
  refill(now_ms);
  return static_cast<std::uint32_t>(micros_ / micros_per_token);
}

TimestampMs TokenBucket::full_at_ms(TimestampMs now_ms) {
  refill(now_ms);
  return micros_ == capacity_micros() ? 0 : now_ms + wait_ms(capacity_micros());
}

TimestampMs TokenBucket::passes_at_ms(std::uint64_t cost, TimestampMs now_ms) {
  refill(now_ms);
  return now_ms + wait_ms(static_cast<std::int64_t>(charge_of(cost)) * micros_per_token);
}

// A clock that stands still or goes back refills nothing.
void TokenBucket::refill(TimestampMs now_ms) {
  if (now_ms <= refilled_at_ms_) return;
  const std::int64_t elapsed_ms = std::min(now_ms - refilled_at_ms_, second_ms);
  micros_ = std::min(capacity_micros(), micros_ + elapsed_ms * micros_per_ms());
  refilled_at_ms_ = now_ms;
}

std::int64_t TokenBucket::wait_ms(std::int64_t wanted_micros) const {
  if (wanted_micros <= micros_) return 0;
  return narrow(div_round(wanted_micros - micros_, micros_per_ms(), Rounding::up));
}

}  // namespace svc::sim
