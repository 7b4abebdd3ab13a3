#include "sim/sequencer/sequencer.h"

#include <algorithm>

namespace svc::sim {

Sequencer::Sequencer(engine::EngineConfig config, const Clock& clock, CommandLog& log, TimestampMs started_ms,
                     std::size_t writers_max)
    : config_(std::move(config)),
      clock_(clock),
      log_(log),
      writers_max_(writers_max),
      engine_(config_),
      schedule_(engine_, started_ms) {}

Applied Sequencer::apply(Unit& unit, std::uint64_t position, TimestampMs now_ms,
                         const std::function<void(const RecordChange&)>* restored) {
  const bool brings_prices = unit.command && std::holds_alternative<engine::OracleTick>(*unit.command);
  pass_time_until(now_ms, brings_prices ? InstantScope::timers_only : InstantScope::all);
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

void Sequencer::pass_time_until(TimestampMs now_ms, InstantScope part) {
  while (const auto due = schedule_.next(engine_, now_ms)) {
    const bool is_timer = std::holds_alternative<engine::PassTime>(due->body);
    if (part == InstantScope::timers_only && due->at_ms == now_ms && !is_timer) return;
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

// Read once per commit; the machine's clock may have gone back since the last one.
TimestampMs Sequencer::time_of_next_unit() const {
  const TimestampMs now = clock_.now_ms();
  const std::lock_guard turn(turn_);
  return std::max(now, last_ms_);
}

// Group commits: how writers share them, and what one commit does.

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

// If the log refuses, the next call tries again.
void Sequencer::pass_time() {
  (void)write({}, Purpose::pass_time);
}

Result<Applied, WriteRefusal> Sequencer::write(Unit&& unit, Purpose purpose) {
  Applied applied;
  SVC_TRY(commit(purpose, {&unit, 1}, {&applied, 1}));
  return applied;
}

Result<std::vector<Applied>, WriteRefusal> Sequencer::submit_together(std::vector<Unit> units) {
  SVC_ASSERT(!units.empty());
  std::vector<Applied> applied(units.size());
  SVC_TRY(commit(Purpose::write, units, applied));
  return applied;
}

Result<void, WriteRefusal> Sequencer::commit(Purpose purpose, std::span<Unit> units, std::span<Applied> answers) {
  if (log_.is_stuck()) return unexpected(WriteRefusal::not_logged);
  const Place place(writers_, writers_max_);
  if (!place.granted()) return unexpected(WriteRefusal::queue_full);
  Writer writer{.purpose = purpose, .units = units, .answers = answers};
  answer(writer);
  if (writer.refusal) return unexpected(*writer.refusal);
  return {};
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
  if (!done) later_.merge(later);  // changes made meanwhile stay
  const std::vector<Writer*> answered = std::exchange(group_, {});
  Writer* const next = hand_over();
  queue.unlock();
  // Starts the next commit before waking the writers of this one.
  if (next != nullptr) next->waiter.wake();
  for (Writer* writer : answered)
    if (writer != own) writer->waiter.wake();
}

Sequencer::Writer* Sequencer::hand_over() {
  is_led_ = false;
  if (queue_.empty()) return nullptr;
  // A fiber thread continues on its own: its writers may join with their next write.
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
    if (writer->purpose == Purpose::write)
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
    const bool happens = writer->purpose == Purpose::write || (for_time_alone && writer == group_.front());
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
      if (!take_actor_turn(*turn_of_actors)) return false;
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

// Actors react to what they see: first everything due until then happens.
bool Sequencer::take_actor_turn(const ActorTurns::Turn& turn_of_actors) {
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

std::string Sequencer::image() const {
  ArchiveWriter writer;
  writer(engine_.image(), schedule_, tables_, last_ms_);
  return writer.take();
}

Result<Sequencer::Held, std::string> Sequencer::held_of(std::string_view bytes) const {
  engine::Engine fresh(config_);
  Schedule schedule(fresh, 0);
  Held held{.engine = std::move(fresh), .schedule = schedule, .tables = {}};
  std::string engine;
  ArchiveReader reader(bytes);
  reader(engine, held.schedule, held.tables, held.last_ms);
  if (!reader.done()) return unexpected(std::string("the image is damaged"));
  SVC_TRY(held.engine.restore(engine));
  const bool times_fit = is_log_time(held.last_ms) && held.engine.now_ms() <= held.last_ms &&
                         held.schedule.fits(held.last_ms) && held.tables.is_valid();
  if (!times_fit) return unexpected(std::string("the image does not make a state of a sandbox"));
  return held;
}

void Sequencer::set_image_taker(TakeImage take) {
  const std::lock_guard turn(turn_);
  take_image_ = std::move(take);
}

Result<void, WriteRefusal> Sequencer::submit_image(std::string image) {
  SVC_TRY(write({.command = {}, .records = {}, .records_if_applied = {}, .image = std::move(image)}));
  return {};
}

void Sequencer::begin_with(Held held, std::uint64_t position) {
  const std::lock_guard turn(turn_);
  SVC_ASSERT(applied_position_ == 0);
  become(std::move(held));
  applied_position_ = position;
}

void Sequencer::become(Held held) {
  for (const auto& [key, row] : held.tables.rows()) pass_record_ticket(row.ticket);
  engine_ = std::move(held.engine);
  schedule_ = std::move(held.schedule);
  tables_ = std::move(held.tables);
  last_ms_ = held.last_ms;
}

}  // namespace svc::sim
