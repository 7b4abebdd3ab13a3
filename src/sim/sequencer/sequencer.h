// The single writer. It gives each command its time and its place, logs it, applies it to the engine
// and hands the events on, one command at a time.
//
// Invariants
//   (S1) a command is in the log before the engine sees it, and nothing enters the engine otherwise
//   (S2) command times never go back
//   (S3) what was due by the time of a command (schedule.h) happened before it
//   (S4) when submit() returns, every follower has seen the command's events
//
// Safe to use from any thread: writers queue for their turn, a bounded number of them; beyond that a
// submission is refused and nothing happens. Readers of the engine take the same
// turn; whatever can be read from the views should be.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "sim/engine/engine.h"
#include "sim/sequencer/command_log.h"
#include "sim/sequencer/follower.h"
#include "sim/sequencer/schedule.h"

namespace svc::sim {

// Why a command was not even tried. Nothing happened.
enum class WriteRefusal : std::uint8_t {
  queue_full,  // too many writers wait
  not_logged,  // the log did not take it
};

// What became of a command that was applied; a refusal by the engine is in the outcome.
struct Applied {
  engine::Outcome outcome;
  TimestampMs at_ms = 0;
  std::uint64_t log_position = 0;
};

class Sequencer {
 public:
  // The clock and the log must outlive this.
  Sequencer(engine::EngineConfig config, const Clock& clock, CommandLog& log,
            std::size_t writers_max = limits::writers_waiting_max);

  // Before the first command. The follower must outlive this.
  void add_follower(Follower& follower);

  [[nodiscard]] Result<Applied, WriteRefusal> submit(CommandBody body);

  // Does what is due by now. Called whenever time was moved, and regularly while it runs by itself.
  void pass_time();

  // Looks at the engine between two commands: f(const engine::Engine&, TimestampMs now).
  template <class F>
  auto read(F&& f) const {
    const std::lock_guard turn(turn_);
    return std::forward<F>(f)(std::as_const(engine_), clock_.now_ms());
  }

 private:
  [[nodiscard]] Result<Applied, WriteRefusal> apply_now(CommandBody body, TimestampMs now_ms);
  void pass_time_until(TimestampMs now_ms);

  const Clock& clock_;
  CommandLog& log_;
  const std::size_t writers_max_;
  mutable std::mutex turn_;
  std::atomic<std::size_t> writers_{0};  // the one at work and those who wait
  engine::Engine engine_;
  Schedule schedule_;
  std::vector<Follower*> followers_;
  engine::EventLog events_;  // of the command being applied
};

}  // namespace svc::sim
