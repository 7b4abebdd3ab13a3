// Time is an argument: code that needs it is given a Clock. Unix milliseconds, UTC.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace svc {

using TimestampMs = std::int64_t;

inline constexpr std::int64_t second_ms = 1'000;
inline constexpr std::int64_t minute_ms = 60 * second_ms;
inline constexpr std::int64_t hour_ms = 60 * minute_ms;
inline constexpr std::int64_t day_ms = 24 * hour_ms;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimestampMs now_ms() const = 0;
};

// The machine's clock.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] TimestampMs now_ms() const override;
};

// A clock of the machine that nobody sets, for waits.
[[nodiscard]] std::int64_t steady_ms();
// Since the machine started, including sleep.
[[nodiscard]] std::int64_t uptime_ms();

// Stopped until set. Safe to read from any thread.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(TimestampMs start_ms) : now_ms_(start_ms) {}
  [[nodiscard]] TimestampMs now_ms() const override { return now_ms_.load(std::memory_order_relaxed); }
  void advance(std::int64_t delta_ms) { now_ms_.fetch_add(delta_ms, std::memory_order_relaxed); }
  void set(TimestampMs now_ms) { now_ms_.store(now_ms, std::memory_order_relaxed); }

 private:
  std::atomic<TimestampMs> now_ms_;
};

// RFC 3339, UTC, milliseconds ("2026-09-21T12:00:00.000Z"); years 1970 to 9999.
[[nodiscard]] std::string utc_text(TimestampMs at_ms);

}  // namespace svc
