// A command log without durability: keeps the latest entries so that they can be read back while the
// process lives, and forgets the older ones.
//
// Safe to use from any thread.
#pragma once

#include <deque>
#include <mutex>

#include "base/limits.h"
#include "base/lock_order.h"
#include "sim/sequencer/command_log.h"

namespace svc::sim {

class MemoryLog final : public CommandLog {
 public:
  // With a capacity of 0 it only counts.
  explicit MemoryLog(std::size_t capacity = limits::memory_log_entries_max) : capacity_(capacity) {}

  [[nodiscard]] Result<std::uint64_t, LogError> append(TimestampMs at_ms, std::span<const Unit* const> units,
                                                       const std::optional<StateMark>& mark) override;
  [[nodiscard]] Result<void, LogError> read(std::uint64_t position,
                                            const std::function<bool(const LogEntry&)>& each) const override;
  [[nodiscard]] std::uint64_t last_position() const override;

 private:
  const std::size_t capacity_;
  mutable Ranked<LockRank::log> mutex_;
  std::uint64_t last_ = 0;
  std::deque<LogEntry> latest_;
};

}  // namespace svc::sim
