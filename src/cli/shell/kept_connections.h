// Connections that outlive the command that opened them, so that the next one need not wait for a handshake.
//
// A kept connection serves again only within `kept_ms_max`: servers close idle ones, and a write that meets the closing
// would have an unknown outcome.
#pragma once

#include <cstdint>
#include <memory>

#include "cli/machine/environment.h"

namespace svc::cli {

inline constexpr std::int64_t kept_ms_max = 5'000;

class KeptConnections {
 public:
  // `clock` must outlive this object and everything connected through it.
  KeptConnections(Connect connect, const Clock& clock);

  // Connects like the one given, or hands out a connection of the same route that nobody uses. Safe on any thread.
  [[nodiscard]] Connect connect() const;

 private:
  struct Pool;
  std::shared_ptr<Pool> pool_;
};

}  // namespace svc::cli
