#include "sim/sequencer/sequencer.h"

#include <algorithm>
#include <variant>

#include "base/assert.h"

namespace svc::sim {

Sequencer::Sequencer(engine::EngineConfig config, const Clock& clock, CommandLog& log, TimestampMs started_ms,
                     std::size_t writers_max)
    : config_(std::move(config)),
      clock_(clock),
      log_(log),
      writers_max_(writers_max),
      engine_(config_),
      schedule_(engine_, started_ms) {}

void Sequencer::add_follower(Follower& follower) {
  const std::lock_guard turn(turn_);
  SVC_ASSERT(!is_begun_);
  followers_.push_back(&follower);
}

void Sequencer::add_timed_work(TimedWork& work) {
  const std::lock_guard turn(turn_);
  SVC_ASSERT(!is_begun_);
  timed_work_.push_back(&work);
}

void Sequencer::set_actors(ActorTurns& actors) {
  const std::lock_guard turn(turn_);
  SVC_ASSERT(!is_begun_);
  actors_ = &actors;
}

void Sequencer::set_witness(CommandWitness& witness) {
  const std::lock_guard turn(turn_);
  SVC_ASSERT(!is_begun_);
  witness_ = &witness;
}

Applied Sequencer::apply(Unit& unit, std::uint64_t position, TimestampMs now_ms,
                         const std::function<void(const RecordChange&)>* restored) {
  const bool brings_prices = unit.command && std::holds_alternative<engine::OracleTick>(*unit.command);
  pass_time_until(now_ms, brings_prices ? OfTheInstant::timers_only : OfTheInstant::all);
  last_ms_ = std::max(last_ms_, now_ms);
  applied_position_ = position;
  Applied applied{.outcome = {}, .at_ms = now_ms, .log_position = position};
  if (unit.image) {
    become(take_image_(*unit.image));
    return applied;
  }
  if (unit.command && witness_ != nullptr) {
    const engine::Command command{.now_ms = now_ms, .body = *unit.command};
    applied.outcome = apply_command(std::move(*unit.command), now_ms);
    witness_->witness(command, applied.outcome);
  } else if (unit.command) {
    applied.outcome = apply_command(std::move(*unit.command), now_ms);
  }
  fold(unit.records, restored);
  if (unit.command && applied.outcome.ok()) fold(unit.records_if_applied, restored);
  return applied;
}

const engine::Outcome& Sequencer::apply_command(CommandBody&& body, TimestampMs now_ms) {
  events_.clear();
  const engine::Outcome& outcome = engine_.apply({.now_ms = now_ms, .body = std::move(body)}, events_);
  const Stamp stamp{.sequence = outcome.sequence, .at_ms = now_ms};
  step_ms_ = now_ms;
  for (Follower* follower : followers_) follower->follow(stamp, events_.events());
  step_ms_.reset();
  return outcome;
}

void Sequencer::fold(const RecordBatch& records, const std::function<void(const RecordChange&)>* restored) {
  for (const RecordChange& change : records) {
    if (!tables_.fold(change)) continue;
    if (restored != nullptr) (*restored)(change);
  }
}

void Sequencer::pass_time_until(TimestampMs now_ms, OfTheInstant part) {
  while (const auto due = schedule_.next(engine_, now_ms)) {
    const bool is_timer = std::holds_alternative<engine::PassTime>(due->body);
    if (part == OfTheInstant::timers_only && due->at_ms == now_ms && !is_timer) return;
    (void)apply_command(CommandBody(due->body), due->at_ms);
    schedule_.done(*due);
  }
}

void Sequencer::replay(LogEntry entry, const std::function<void(const RecordChange&)>& restored) {
  const std::lock_guard turn(turn_);
  SVC_ASSERT(entry.position == applied_position_ + 1);
  for (const RecordBatch* batch : {&entry.unit.records, &entry.unit.records_if_applied})
    for (const RecordChange& change : *batch) pass_record_ticket(change.ticket);
  (void)apply(entry.unit, entry.position, entry.at_ms, &restored);
}

TimestampMs Sequencer::last_ms() const {
  const std::lock_guard turn(turn_);
  return last_ms_;
}

std::optional<std::string> Sequencer::kept(RecordTable table, const std::string& key) const {
  const std::lock_guard turn(turn_);
  const auto row = tables_.rows().find({table, key});
  return row == tables_.rows().end() ? std::nullopt : row->second.value;
}

StateMark Sequencer::mark() const {
  const std::lock_guard turn(turn_);
  return {.position = applied_position_, .state_hash = engine_.state_hash()};
}

// Read once for a whole commit; the machine's clock may have gone back since the last one.
TimestampMs Sequencer::time_of_next_unit() const {
  const TimestampMs now = clock_.now_ms();
  const std::lock_guard turn(turn_);
  return std::max(now, last_ms_);
}

}  // namespace svc::sim
