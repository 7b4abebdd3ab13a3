#include "sim/sequencer/sequencer.h"

#include "base/assert.h"
#include "base/limits.h"

namespace svc::sim {
namespace {

// Counts a writer from its arrival to its answer.
class Place {
 public:
  Place(std::atomic<std::size_t>& writers, std::size_t max)
      : writers_(writers), granted_(writers.fetch_add(1, std::memory_order_relaxed) < max) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { writers_.fetch_sub(1, std::memory_order_relaxed); }

  [[nodiscard]] bool granted() const { return granted_; }

 private:
  std::atomic<std::size_t>& writers_;
  const bool granted_;
};

}  // namespace

Sequencer::Sequencer(engine::EngineConfig config, const Clock& clock, CommandLog& log, std::size_t writers_max)
    : clock_(clock),
      log_(log),
      writers_max_(writers_max),
      engine_(std::move(config)),
      schedule_(engine_, clock.now_ms()) {}

void Sequencer::add_follower(Follower& follower) {
  const std::lock_guard turn(turn_);
  SVC_ASSERT(!engine_.sequence().exists());
  followers_.push_back(&follower);
}

Result<Applied, WriteRefusal> Sequencer::submit(CommandBody body) {
  const Place place(writers_, writers_max_);
  if (!place.granted()) return unexpected(WriteRefusal::queue_full);
  const std::lock_guard turn(turn_);
  // Read inside the turn, so that the order of times is the order of commands.
  const TimestampMs now = clock_.now_ms();
  pass_time_until(now);
  return apply_now(std::move(body), now);
}

void Sequencer::pass_time() {
  const std::lock_guard turn(turn_);
  pass_time_until(clock_.now_ms());
}

Result<Applied, WriteRefusal> Sequencer::apply_now(CommandBody body, TimestampMs now_ms) {
  const engine::Command command{.now_ms = now_ms, .body = std::move(body)};
  const auto position = log_.append(command);
  if (!position) return unexpected(WriteRefusal::not_logged);
  events_.clear();
  Applied applied{.outcome = engine_.apply(command, events_), .at_ms = now_ms, .log_position = *position};
  const Stamp stamp{.sequence = applied.outcome.sequence, .at_ms = now_ms};
  for (Follower* follower : followers_) follower->follow(stamp, events_.events());
  return applied;
}

void Sequencer::pass_time_until(TimestampMs now_ms) {
  while (const auto due = schedule_.next(engine_, now_ms)) {
    if (!apply_now(due->body, due->at_ms)) return;
    schedule_.done(*due);
  }
}

}  // namespace svc::sim
