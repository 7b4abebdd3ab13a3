// Every command in the order in which it was applied: the journal of the exchange. Replaying it into a
// fresh engine of the same configuration gives the same state, hash and events.
//
// Positions count from 1 without gaps. The log assumes nothing about where it lives: a second
// implementation puts it on disk, a third may put it on a replicated log.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "sim/engine/commands.h"

namespace svc::sim {

struct LogEntry {
  std::uint64_t position = 0;
  engine::Command command;
};

enum class LogError : std::uint8_t {
  not_written,  // nothing was appended; the command must not be applied
  gone,         // the position asked for is no longer (or not yet) readable
};

class CommandLog {
 public:
  virtual ~CommandLog() = default;

  // Appends at the next position and returns it. Called by the writer only.
  [[nodiscard]] virtual Result<std::uint64_t, LogError> append(const engine::Command& command) = 0;

  // Hands over the entries from `position` on, oldest first, until none is left or `each` answers false.
  [[nodiscard]] virtual Result<void, LogError> read(std::uint64_t position,
                                                    const std::function<bool(const LogEntry&)>& each) const = 0;

  // Of the entry appended last; 0 if none was.
  [[nodiscard]] virtual std::uint64_t last_position() const = 0;
};

}  // namespace svc::sim
