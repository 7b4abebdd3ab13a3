#include "sim/gateway/token_bucket.h"

#include <algorithm>

#include "base/assert.h"
#include "base/fixed.h"

namespace svc::sim {

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

// A clock that stands still or went back refills nothing.
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
