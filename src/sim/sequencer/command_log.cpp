#include "sim/sequencer/command_log.h"

namespace svc::sim {

Result<std::uint64_t, LogError> MemoryLog::append(TimestampMs at_ms, std::span<const Unit* const> units,
                                                  const std::optional<StateMark>&) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t first = last_ + 1;
  for (const Unit* unit : units) {
    ++last_;
    if (capacity_ == 0) continue;
    latest_.push_back({.position = last_, .at_ms = at_ms, .unit = *unit});
    if (latest_.size() > capacity_) latest_.pop_front();
  }
  return first;
}

Result<void, LogError> MemoryLog::read(std::uint64_t position, const std::function<bool(const LogEntry&)>& each) const {
  std::deque<LogEntry> entries;  // no foreign code runs under the lock
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

std::uint64_t MemoryLog::last_position() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

}  // namespace svc::sim
