// What happens by the clock alone: expiries and ends of cool-downs when the engine says so, premium
// samples at every full minute, funding settlements at every full hour (UTC).
//
// Things of one instant come in this order: expiries, sample, settlement. Every instant gets its turn,
// also when the clock jumps over several, so that a jump leaves the same trace as waiting.
//
// Not thread-safe; owned by the sequencer.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "sim/engine/engine.h"
#include "sim/sequencer/unit.h"

namespace svc::sim {

class Schedule {
 public:
  // Requires that all markets share one cadence. Begins after `start_ms`.
  Schedule(const engine::Engine& engine, TimestampMs start_ms);

  struct Due {
    TimestampMs at_ms = 0;
    CommandBody body;
  };
  // The earliest thing due by now; nullopt if there is none. The caller applies it and calls done().
  [[nodiscard]] std::optional<Due> next(const engine::Engine& engine, TimestampMs now_ms) const;
  void done(const Due& due);

  // Whether it can stand so after a unit of that time.
  [[nodiscard]] bool fits(TimestampMs last_ms) const;

  // The cadence is the markets'.
  template <class Archive>
  void archive(Archive& archive) {
    archive(next_sample_ms_, next_settle_ms_);
  }

 private:
  std::int64_t sample_ms_;
  std::int64_t settle_ms_;
  TimestampMs next_sample_ms_;
  TimestampMs next_settle_ms_;
};

}  // namespace svc::sim
