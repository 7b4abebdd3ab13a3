// Whoever keeps up with the exchange: read models, streams. Each command's events arrive as one unit,
// in sequence, on the writer's thread.
#pragma once

#include <span>

#include "base/clock.h"
#include "sim/engine/events.h"
#include "sim/engine/ids.h"

namespace svc::sim {

// When and as which command something happened.
struct Stamp {
  engine::Sequence sequence;
  TimestampMs at_ms = 0;
};

class Follower {
 public:
  virtual ~Follower() = default;
  // Returns quickly: the writer waits. The events are valid during the call.
  virtual void follow(const Stamp& stamp, std::span<const engine::Event> events) = 0;
};

}  // namespace svc::sim
