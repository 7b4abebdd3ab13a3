// A bucket that refills continuously and holds at most one second of tokens.
//
// Exact: tokens are counted in millionths and time in milliseconds, so a rate of R tokens per second is
// R * 1000 millionths per millisecond and nothing is ever rounded away. (API: Limits, cost model)
//
// Not thread-safe; owned by a BucketPool.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace svc::sim {

class TokenBucket {
 public:
  // Full, at `now_ms`. `per_second` is its rate and its capacity; at least 1.
  TokenBucket(std::uint32_t per_second, TimestampMs now_ms);

  // The part of `cost` that is charged: at most one second of tokens, so that every request can pass
  // some time. (API: Limits, rule 1)
  [[nodiscard]] std::uint64_t charge_of(std::uint64_t cost) const;

  [[nodiscard]] bool can_take(std::uint64_t cost, TimestampMs now_ms);
  // Requires can_take.
  void take(std::uint64_t cost, TimestampMs now_ms);

  [[nodiscard]] std::uint32_t limit() const { return per_second_; }
  // Whole tokens left: how many requests of cost 1 would pass now.
  [[nodiscard]] std::uint32_t remaining(TimestampMs now_ms);
  // When it will be full again; 0 if it is full.
  [[nodiscard]] TimestampMs full_at_ms(TimestampMs now_ms);
  // When a request of that cost will pass; now_ms if it passes now.
  [[nodiscard]] TimestampMs passes_at_ms(std::uint64_t cost, TimestampMs now_ms);

 private:
  static constexpr std::int64_t micros_per_token = 1'000'000;

  void refill(TimestampMs now_ms);
  [[nodiscard]] std::int64_t capacity_micros() const { return per_second_ * micros_per_token; }
  [[nodiscard]] std::int64_t micros_per_ms() const { return per_second_ * (micros_per_token / second_ms); }
  // Milliseconds until that many tokens are there, rounded up.
  [[nodiscard]] std::int64_t wait_ms(std::int64_t wanted_micros) const;

  std::uint32_t per_second_;
  std::int64_t micros_;  // in [0, capacity]
  TimestampMs refilled_at_ms_;
};

}  // namespace svc::sim
