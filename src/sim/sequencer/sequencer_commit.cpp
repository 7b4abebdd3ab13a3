// How writers come together, and what one commit does.

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "sim/sequencer/sequencer.h"

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

Result<Applied, WriteRefusal> Sequencer::submit(CommandBody body, RecordBatch records, RecordBatch if_applied) {
  return write(
      {.command = std::move(body), .records = std::move(records), .records_if_applied = std::move(if_applied)});
}

bool Sequencer::keep(RecordBatch records) {
  if (records.empty()) return true;
  return write({.command = {}, .records = std::move(records), .records_if_applied = {}}).has_value();
}

void Sequencer::keep_later(RecordBatch records) {
  const std::lock_guard lock(queue_mutex_);
  for (RecordChange& change : records) {
    const auto [row, added] = later_.try_emplace({change.table, change.key}, change);
    if (!added && row->second.ticket < change.ticket) row->second = std::move(change);
  }
}

// A log that refuses is asked again the next time somebody looks.
void Sequencer::pass_time() {
  (void)write({}, Wish::pass_time);
}

Result<Applied, WriteRefusal> Sequencer::write(Unit&& unit, Wish wish) {
  const Place place(writers_, writers_max_);
  if (!place.granted()) return unexpected(WriteRefusal::queue_full);
  Applied applied;
  Writer writer{.wish = wish, .units = {&unit, 1}, .answers = {&applied, 1}};
  answer(writer);
  if (writer.refusal) return unexpected(*writer.refusal);
  return applied;
}

Result<std::vector<Applied>, WriteRefusal> Sequencer::submit_together(std::vector<Unit> units) {
  const Place place(writers_, writers_max_);
  if (!place.granted()) return unexpected(WriteRefusal::queue_full);
  SVC_ASSERT(!units.empty());
  std::vector<Applied> applied(units.size());
  Writer writer{.wish = Wish::write, .units = units, .answers = applied};
  answer(writer);
  if (writer.refusal) return unexpected(*writer.refusal);
  return applied;
}

void Sequencer::answer(Writer& writer) {
  FiberThread* const fibers = writer.waiter.fiber_thread();
  std::unique_lock queue(queue_mutex_);
  queue_.push_back(&writer);
  if (fibers == nullptr && !is_led_) return lead(queue, &writer);
  queue.unlock();
  if (fibers != nullptr) when_idle(*fibers, *this);
  writer.waiter.wait();
  if (!writer.leads) return;
  queue.lock();
  lead(queue, &writer);
}

void Sequencer::do_idle_work() {
  std::unique_lock queue(queue_mutex_);
  if (!is_led_ && !queue_.empty()) lead(queue, nullptr);
}

void Sequencer::lead(std::unique_lock<QueueMutex>& queue, const Writer* own) {
  is_led_ = true;
  group_.swap(queue_);
  auto later = std::exchange(later_, {});
  queue.unlock();

  late_.records.clear();
  for (const auto& [row, change] : later) late_.records.push_back(change);
  const bool done = commit_group();

  queue.lock();
  if (!done) later_.merge(later);  // what was changed again meanwhile stays
  const std::vector<Writer*> answered = std::exchange(group_, {});
  Writer* const next = hand_over();
  queue.unlock();
  // The next commit begins before those of this one are told.
  if (next != nullptr) next->waiter.wake();
  for (Writer* writer : answered)
    if (writer != own) writer->waiter.wake();
}

Sequencer::Writer* Sequencer::hand_over() {
  is_led_ = false;
  if (queue_.empty()) return nullptr;
  // A thread of fibers goes on by itself: those who have their answer now may come along with their next write.
  FiberThread* fibers = current_fiber_thread();
  if (fibers == nullptr) fibers = queue_.front()->waiter.fiber_thread();
  if (fibers != nullptr) {
    when_idle(*fibers, *this);
    return nullptr;
  }
  is_led_ = true;
  queue_.front()->leads = true;
  return queue_.front();
}

bool Sequencer::commit_group() {
  const auto refuse_all = [this] {
    for (Writer* writer : group_) writer->refusal = WriteRefusal::not_logged;
    return false;
  };
  const TimestampMs now = time_of_next_unit();
  if (!do_timed_work(now)) return refuse_all();

  units_.clear();
  if (!late_.records.empty()) units_.push_back(&late_);
  for (const Writer* writer : group_)
    if (writer->wish == Wish::write)
      for (const Unit& unit : writer->units) units_.push_back(&unit);
  const bool for_time_alone = units_.empty() && is_due(now);
  if (for_time_alone) units_.push_back(&group_.front()->units.front());
  if (units_.empty()) {
    for (Writer* writer : group_) writer->answers.front().at_ms = now;
    return true;
  }

  const auto first = append(now);
  if (!first) return refuse_all();
  const std::lock_guard turn(turn_);
  is_begun_ = true;
  std::uint64_t position = *first;
  if (!late_.records.empty()) (void)apply(late_, position++, now, nullptr);
  for (Writer* writer : group_) {
    const bool happens = writer->wish == Wish::write || (for_time_alone && writer == group_.front());
    for (std::size_t i = 0; i < writer->units.size(); ++i) {
      if (happens)
        writer->answers[i] = apply(writer->units[i], position++, now, nullptr);
      else
        writer->answers[i].at_ms = now;
    }
  }
  return true;
}

bool Sequencer::is_due(TimestampMs now_ms) const {
  const std::lock_guard turn(turn_);
  return schedule_.next(engine_, now_ms).has_value();
}

Result<std::uint64_t, LogError> Sequencer::append(TimestampMs now_ms) {
  std::optional<StateMark> known;
  if (log_.wants_mark()) known = mark();
  return log_.append(now_ms, units_, known);
}

bool Sequencer::do_timed_work(TimestampMs now_ms) {
  while (true) {
    auto [work, due] = earliest_timed_work(now_ms);
    const auto turn_of_actors = actors_ == nullptr ? std::nullopt : actors_->next_turn(now_ms);
    if (turn_of_actors && (!due || turn_of_actors->at_ms < due->at_ms)) {
      if (!let_act(*turn_of_actors)) return false;
      continue;
    }
    if (work == nullptr) return true;
    const TimestampMs at_ms = std::max(due->at_ms, last_ms());
    Unit unit{.command = due->body, .records = due->records, .records_if_applied = due->records_if_applied};
    units_.assign(1, &unit);
    const auto position = append(at_ms);
    if (!position) return false;
    const std::lock_guard turn(turn_);
    work->done(*due, apply(unit, *position, at_ms, nullptr).outcome.reject);
  }
}

// What actors do depends on what they see: first everything happens that was due by then.
bool Sequencer::let_act(const ActorTurns::Turn& turn_of_actors) {
  const TimestampMs at_ms = std::max(turn_of_actors.at_ms, last_ms());
  if (turn_of_actors.kind == ActorTurns::Kind::orders && is_due(at_ms)) {
    Unit time_alone;
    units_.assign(1, &time_alone);
    const auto position = append(at_ms);
    if (!position) return false;
    const std::lock_guard turn(turn_);
    (void)apply(time_alone, *position, at_ms, nullptr);
  }
  std::vector<Unit> acts;
  {
    const std::lock_guard turn(turn_);
    acts = actors_->take_turn(at_ms, engine_);
  }
  units_.clear();
  for (const Unit& act : acts) units_.push_back(&act);
  if (!units_.empty()) {
    const auto first = append(at_ms);
    if (!first) return false;
    const std::lock_guard turn(turn_);
    std::uint64_t position = *first;
    for (Unit& act : acts) (void)apply(act, position++, at_ms, nullptr);
  }
  actors_->turn_done();
  return true;
}

std::pair<TimedWork*, std::optional<TimedWork::Due>> Sequencer::earliest_timed_work(TimestampMs now_ms) const {
  std::pair<TimedWork*, std::optional<TimedWork::Due>> earliest;
  for (TimedWork* work : timed_work_) {
    auto due = work->next_due(now_ms);
    if (due && (!earliest.second || due->at_ms < earliest.second->at_ms)) earliest = {work, std::move(due)};
  }
  return earliest;
}

}  // namespace svc::sim
