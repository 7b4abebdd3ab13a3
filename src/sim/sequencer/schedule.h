// Events caused by the clock alone: expiries and ends of cool-downs when the engine says so, premium samples at
// every full minute, funding settlements at every full hour (UTC).
//
// At one instant they come in this order: expiries, sample, settlement. No instant is skipped, even when the clock
// jumps over several, so a jump has the same effect as waiting.
//
// Not thread-safe; owned by the sequencer.
#pragma once

#include "base/assert.h"
#include "sim/engine/engine.h"
#include "sim/engine/terms.h"
#include "sim/sequencer/unit.h"

namespace svc::sim {

class Schedule {
 public:
  // Requires that all markets share one cadence. Begins after `start_ms`.
  Schedule(const engine::Engine& engine, TimestampMs start_ms)
      : sample_ms_(engine.spec({}).funding_sample_ms),
        settle_ms_(engine.spec({}).funding_interval_ms),
        next_sample_ms_((start_ms / sample_ms_ + 1) * sample_ms_),
        next_settle_ms_((start_ms / settle_ms_ + 1) * settle_ms_) {
    for (std::size_t i = 0; i < engine.market_count(); ++i) {
      const engine::MarketSpec& spec = engine.spec({static_cast<std::uint16_t>(i)});
      SVC_ASSERT(spec.funding_sample_ms == sample_ms_ && spec.funding_interval_ms == settle_ms_);
    }
  }

  struct Due {
    TimestampMs at_ms = 0;
    CommandBody body;
  };
  // The earliest event due by now; nullopt if there is none. The caller applies it and calls done().
  [[nodiscard]] std::optional<Due> next(const engine::Engine& engine, TimestampMs now_ms) const {
    const TimestampMs timer = engine.next_timer_ms().value_or(now_ms + 1);
    const TimestampMs at_ms = std::min({timer, next_sample_ms_, next_settle_ms_});
    if (at_ms > now_ms) return std::nullopt;
    if (at_ms == timer) return Due{at_ms, engine::PassTime{}};
    if (at_ms == next_sample_ms_) return Due{at_ms, engine::SampleFunding{}};
    return Due{at_ms, engine::SettleFunding{}};
  }
  void done(const Due& due) {
    if (std::holds_alternative<engine::SampleFunding>(due.body)) next_sample_ms_ += sample_ms_;
    if (std::holds_alternative<engine::SettleFunding>(due.body)) next_settle_ms_ += settle_ms_;
  }

  // Whether the schedule is possible after a unit of that time.
  [[nodiscard]] bool fits(TimestampMs last_ms) const {
    const auto is_next = [&](TimestampMs next_ms, std::int64_t period_ms) {
      return next_ms % period_ms == 0 && next_ms >= last_ms && next_ms - last_ms <= period_ms;
    };
    return is_next(next_sample_ms_, sample_ms_) && is_next(next_settle_ms_, settle_ms_);
  }

  SVC_KEEPS(next_sample_ms_, next_settle_ms_);  // the cadence is that of the markets

 private:
  std::int64_t sample_ms_;
  std::int64_t settle_ms_;
  TimestampMs next_sample_ms_;
  TimestampMs next_settle_ms_;
};

// The simulated traders: the index process, the bots, a tape that is played back. They are asked before every commit
// and whenever time passes, and see the exchange as anybody could at that instant. Their commands are logged first,
// then checked and charged by the engine, like all others. (D-390)
//
// Calls come on the writer's thread. One turn is one commit.
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
  // The time of the earliest turn, whether it is due or not; nullopt if there is none. Any thread.
  [[nodiscard]] virtual std::optional<TimestampMs> next_ms() const = 0;
  // The units of that turn, at `at_ms`; may be none. The caller takes ownership. If the log refuses them, the same
  // turn is asked again and must return the same units.
  [[nodiscard]] virtual std::vector<Unit> take_turn(TimestampMs at_ms, const engine::Engine& engine) = 0;
  // The units were applied.
  virtual void turn_done() = 0;

  // Live and in a replay: obeys an order of the log, and returns what is remembered from now on. False: the order
  // makes no sense, and nothing happened.
  [[nodiscard]] virtual bool obey(const ActorOrder& order, TimestampMs at_ms, ActorMemories& memories) = 0;
  // In a replay: the memory of another run. False if it makes no sense.
  [[nodiscard]] virtual bool recall(const ActorMemory& memory) = 0;
};

// Sees every command and its outcome, except those that the schedule alone causes.
class CommandWitness {
 public:
  virtual ~CommandWitness() = default;
  virtual void witness(const engine::Command& command, const engine::Outcome& outcome) = 0;
};

}  // namespace svc::sim
