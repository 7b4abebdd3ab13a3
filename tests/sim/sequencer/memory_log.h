// The log of a sequencer that a test reads back.
#pragma once

#include <deque>

#include "sim/sequencer/command_log.h"

namespace svc::sim {

// A command log without durability: keeps the latest entries readable, and forgets older ones. Safe to use from any
// thread.
class MemoryLog final : public CommandLog {
 public:
  explicit MemoryLog(std::size_t capacity = 4'096) : capacity_(capacity) {}

  [[nodiscard]] Result<std::uint64_t, LogError> append(TimestampMs at_ms, std::span<const Unit* const> units,
                                                       const std::optional<StateMark>&) override {
    const std::lock_guard lock(mutex_);
    const std::uint64_t first = last_ + 1;
    for (const Unit* unit : units) {
      ++last_;
      latest_.push_back({.position = last_, .at_ms = at_ms, .unit = *unit});
      if (latest_.size() > capacity_) latest_.pop_front();
    }
    return first;
  }
  [[nodiscard]] Result<void, LogError> read(std::uint64_t position,
                                            const std::function<bool(const LogEntry&)>& each) const {
    std::deque<LogEntry> entries;  // a caller's code never runs under the lock
    {
      const std::lock_guard lock(mutex_);
      const std::uint64_t first = last_ - latest_.size() + 1;
      if (position < first || position > last_ + 1) return unexpected(LogError::gone);
      entries.assign(latest_.begin() + static_cast<std::ptrdiff_t>(position - first), latest_.end());
    }
    for (const LogEntry& entry : entries)
      if (!each(entry)) break;
    return {};
  }
  [[nodiscard]] std::uint64_t last_position() const { return copy_under(mutex_, last_); }

 private:
  const std::size_t capacity_;
  mutable Ranked<LockRank::log> mutex_;
  std::uint64_t last_ = 0;
  std::deque<LogEntry> latest_;
};

}  // namespace svc::sim
