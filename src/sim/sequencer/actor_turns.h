// Those who trade here by themselves: the index process, the bots, a tape that is played back. They are asked like
// other timed work (timed_work.h), see the exchange as anybody could at that instant, and what they send goes the way
// of every command: logged first, checked and charged by the engine like anybody's. (D-390)
//
// Calls come on the writer's thread. One turn is one commit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "sim/engine/engine.h"
#include "sim/sequencer/unit.h"

namespace svc::sim {

class ActorTurns {
 public:
  enum class Kind : std::uint8_t {
    prices,  // an oracle batch: before the samples and settlements of the same instant (docs/trading.md, 12)
    orders,  // after them
  };
  struct Turn {
    TimestampMs at_ms = 0;
    Kind kind = Kind::orders;
  };

  virtual ~ActorTurns() = default;

  // The earliest turn due by now; nullopt if there is none.
  [[nodiscard]] virtual std::optional<Turn> next_turn(TimestampMs now_ms) = 0;
  // What happens in that turn, at `at_ms`; may be nothing. The units are taken out of it. If the log refuses them,
  // the same turn comes up again and gives the same.
  [[nodiscard]] virtual std::vector<Unit> take_turn(TimestampMs at_ms, const engine::Engine& engine) = 0;
  // They were applied.
  virtual void turn_done() = 0;
};

// Sees what was sent and what became of it, but for what the clock alone causes.
class CommandWitness {
 public:
  virtual ~CommandWitness() = default;
  virtual void witness(const engine::Command& command, const engine::Outcome& outcome) = 0;
};

}  // namespace svc::sim
