#include "sim/sequencer/sequencer.h"

#include <absl/cleanup/cleanup.h>

#include <algorithm>

#include "base/archive.h"

namespace svc::sim {

Sequencer::Sequencer(engine::EngineConfig config, Services& services, const Clock& clock, CommandLog& log,
                     TimestampMs started_ms, std::size_t writers_max)
    : config_(std::move(config)),
      services_(services),
      clock_(clock),
      log_(log),
      writers_max_(writers_max),
      engine_(config_),
      schedule_(engine_, started_ms) {
  log_.when_stuck([this] { refuse_behind_append(); });
}

Applied Sequencer::apply(Unit& unit, std::uint64_t position, TimestampMs now_ms) {
  const auto* command = std::get_if<CommandBody>(&unit.body);
  const bool brings_prices = command != nullptr && std::holds_alternative<engine::OracleTick>(*command);
  const auto* service = std::get_if<ServiceCommand>(&unit.body);
  const bool is_restart = service != nullptr && std::holds_alternative<NoteRestart>(*service);
  Applied applied;
  applied.at_ms = now_ms;
  // Before the time passes, so that no timer of a lost stream ends in it. (D-350)
  if (is_restart) apply_body(unit.body, applied);
  pass_time_until(now_ms, brings_prices ? InstantScope::timers_only : InstantScope::all);
  last_ms_ = std::max(last_ms_, now_ms);
  applied_position_ = position;
  if (const auto* image = std::get_if<Image>(&unit.body)) {
    become(around_.take_image(image->bytes));
    return applied;
  }
  applied.nonces_fresh = services_.spend(unit.nonces);
  if (applied.nonces_fresh && !is_restart) apply_body(unit.body, applied);
  remember(unit.memories);
  return applied;
}

void Sequencer::apply_body(UnitBody& body, Applied& applied) {
  if (auto* command = std::get_if<CommandBody>(&body)) {
    applied.outcome = apply_witnessed(std::move(*command), applied.at_ms);
  } else if (const auto* service = std::get_if<ServiceCommand>(&body)) {
    applied.outcome =
        serve(applied.at_ms, [&](const Services::Turn& turn) { applied.value = services_.apply(*service, turn); });
  } else if (const auto* order = std::get_if<ActorOrder>(&body)) {
    ActorMemories memories;
    if (around_.actors == nullptr || !around_.actors->obey(*order, applied.at_ms, memories))
      applied.value = api::refused(api::ErrorCode::unprocessable, "no order to the simulated traders");
    remember(memories);
  } else if (const auto* anchor = std::get_if<ClockAnchor>(&body)) {
    clock_anchor_ = *anchor;
    if (around_.take_clock) around_.take_clock(*anchor);
  }
}

template <class F>
engine::Outcome Sequencer::serve(TimestampMs now_ms, F f) {
  engine::Outcome outcome{.sequence = engine_.sequence()};
  const std::function<engine::Outcome(CommandBody)> command = [&](CommandBody body) {
    return outcome = apply_witnessed(std::move(body), now_ms);
  };
  f(Services::Turn{.now_ms = now_ms, .engine = engine_, .command = command});
  return outcome;
}

engine::Outcome Sequencer::apply_witnessed(CommandBody&& body, TimestampMs now_ms) {
  if (around_.witnesses.empty()) return apply_command(std::move(body), now_ms);
  const engine::Command command{.now_ms = now_ms, .body = body};
  engine::Outcome outcome = apply_command(std::move(body), now_ms);
  for (CommandWitness* one : around_.witnesses) one->witness(command, outcome);
  return outcome;
}

const engine::Outcome& Sequencer::apply_command(CommandBody&& body, TimestampMs now_ms) {
  events_.clear();
  const engine::Outcome& outcome = engine_.apply({.now_ms = now_ms, .body = std::move(body)}, events_);
  const Stamp stamp{.sequence = outcome.sequence, .at_ms = now_ms};
  step_ms_ = now_ms;
  for (Follower* follower : around_.followers) follower->follow(stamp, events_.events());
  if (around_.last_follower != nullptr) around_.last_follower->follow(stamp, events_.events());
  step_ms_.reset();
  return outcome;
}

// At one instant: the engine's timers, then the services, then samples and settlements.
void Sequencer::pass_time_until(TimestampMs now_ms, InstantScope part) {
  while (true) {
    const auto due = schedule_.next(engine_, now_ms);
    const bool is_timer = due && std::holds_alternative<engine::PassTime>(due->body);
    const auto service_ms = services_.next_due_ms();
    if (service_ms && *service_ms <= now_ms && (!due || *service_ms < due->at_ms + (is_timer ? 0 : 1))) {
      last_ms_ = std::max(last_ms_, *service_ms);
      (void)serve(last_ms_, [&](const Services::Turn& turn) { services_.do_due(turn); });
      continue;
    }
    if (!due || (part == InstantScope::timers_only && due->at_ms == now_ms && !is_timer)) return;
    last_ms_ = std::max(last_ms_, due->at_ms);
    (void)apply_command(CommandBody(due->body), due->at_ms);
    schedule_.done(*due);
  }
}

std::optional<Applied> Sequencer::replay(LogEntry entry) {
  const std::lock_guard turn(turn_);
  SVC_ASSERT(entry.position == applied_position_ + 1);
  for (const ActorMemory& memory : entry.unit.memories)
    if (around_.actors != nullptr && !around_.actors->recall(memory)) return std::nullopt;
  const bool is_order = std::holds_alternative<ActorOrder>(entry.unit.body);
  Applied applied = apply(entry.unit, entry.position, entry.at_ms);
  if (is_order && !applied.value) return std::nullopt;
  return applied;
}

// Turns of actors that are due happen before anything later, so that is not now yet.
TimestampMs Sequencer::lived_until() const {
  const TimestampMs now_ms = clock_.now_ms();
  const bool acts = around_.actors != nullptr && is_writing() && !leaves_turns_;
  const auto next_ms = acts ? around_.actors->next_ms() : std::nullopt;
  return next_ms && *next_ms < now_ms ? std::max(*next_ms, last_ms_) : now_ms;
}

// Group commits: how writers share them, and what one commit does.

// If the log refuses, the next call tries again.
void Sequencer::pass_time() {
  if (RemoteWriter* const remote = remote_.load()) return send_presences(*remote);
  Unit time_alone;
  Applied applied;
  (void)commit(Purpose::pass_time, {&time_alone, 1}, {&applied, 1});
}

// A unit that only lets time pass has the time of the process that writes.
void Sequencer::do_due() {
  if (is_writing())
    pass_time();
  else
    (void)submit(Unit{});
}

void Sequencer::send_presences(RemoteWriter& remote) {
  Presences presences;
  {
    const std::lock_guard lock(queue_mutex_);
    presences.swap(presences_);
  }
  if (presences.empty()) return;
  std::vector<Unit> units;
  for (const auto& [account, presence] : presences) units.push_back({.body = ServiceCommand(presence.note)});
  std::vector<Applied> applied(units.size());
  if (remote.submit(units, applied)) return;
  const std::lock_guard lock(queue_mutex_);
  presences_.merge(presences);  // what was noted meanwhile stays
}

Result<Applied, WriteRefusal> Sequencer::submit(Unit unit) {
  Applied applied;
  SVC_TRY(commit(Purpose::write, {&unit, 1}, {&applied, 1}));
  if (!applied.was_entitled) return unexpected(WriteRefusal::revoked);
  return applied;
}

Result<std::vector<Applied>, WriteRefusal> Sequencer::submit_together(std::vector<Unit> units, Purpose purpose) {
  SVC_ASSERT(!units.empty());
  std::vector<Applied> applied(units.size());
  SVC_TRY(commit(purpose, units, applied));
  return applied;
}

// A log is checked by the same rule when it is read, so nothing that breaks the rule may be written.
Result<void, WriteRefusal> Sequencer::commit(Purpose purpose, std::span<Unit> units, std::span<Applied> answers) {
  for (const Unit& unit : units)
    if (!is_usual(unit)) return unexpected(WriteRefusal::unusual);
  if (RemoteWriter* const remote = remote_.load(); remote != nullptr && purpose != Purpose::received)
    return remote->submit(units, answers);
  const bool has_place = writers_.fetch_add(1, std::memory_order_relaxed) < writers_max_;
  const absl::Cleanup leaves([this] { writers_.fetch_sub(1, std::memory_order_relaxed); });
  if (!has_place) return unexpected(WriteRefusal::queue_full);
  Writer writer{.purpose = purpose, .units = units, .answers = answers};
  answer(writer);
  if (writer.refusal) return unexpected(*writer.refusal);
  return {};
}

void Sequencer::answer(Writer& writer) {
  FiberThread* const fibers = writer.waiter.fiber_thread();
  std::unique_lock queue(queue_mutex_);
  if (!is_writing() || log_.is_stuck()) {
    writer.refusal = WriteRefusal::not_logged;
    return;
  }
  queue_.push_back(&writer);
  if (fibers == nullptr && !is_led_) {
    writer.leads = true;
    return lead(queue, &writer);
  }
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
  Presences presences = std::exchange(presences_, {});
  queue.unlock();

  const bool done = commit_group(presences);
  if (CommitWatcher* const watcher = commit_watcher_) watcher->after_commit();

  queue.lock();
  if (!done) presences_.merge(presences);  // what was noted meanwhile stays
  const std::vector<Writer*> answered = std::exchange(group_, {});
  Waiter* const stopping = std::exchange(stopping_, nullptr);
  Writer* const next = stopping == nullptr ? hand_over() : nullptr;
  queue.unlock();
  // Starts the next commit before waking the writers of this one.
  if (next != nullptr) next->waiter.wake();
  const WakesTogether together;
  for (Writer* writer : answered)
    if (writer != own) writer->waiter.wake();
  if (stopping != nullptr) stopping->wake();
}

void Sequencer::refuse_waiting(std::unique_lock<QueueMutex> queue) {
  std::vector<Writer*> refused;
  std::erase_if(queue_, [&](Writer* writer) {
    if (writer->leads) return false;
    writer->refusal = WriteRefusal::not_logged;
    refused.push_back(writer);
    return true;
  });
  queue.unlock();
  const WakesTogether together;
  for (Writer* writer : refused) writer->waiter.wake();
}

// A presence or a turn of actors is appended before the group, whose writers are in no batch then.
void Sequencer::refuse_behind_append() {
  std::unique_lock queue(queue_mutex_);
  if (!is_group_sent_)
    std::erase_if(group_, [this](Writer* writer) {
      if (!writer->leads) queue_.push_back(writer);
      return !writer->leads;
    });
  refuse_waiting(std::move(queue));
}

void Sequencer::stop_writing(RemoteWriter& remote) {
  Waiter waiter;
  std::unique_lock queue(queue_mutex_);
  SVC_ASSERT(is_writing());
  remote_ = &remote;
  const bool commits = std::exchange(is_led_, true);
  if (commits) stopping_ = &waiter;
  refuse_waiting(std::move(queue));
  if (commits) waiter.wait();
}

void Sequencer::start_writing() {
  const std::lock_guard queue(queue_mutex_);
  SVC_ASSERT(!is_writing() && is_led_ && queue_.empty());
  is_led_ = false;
  remote_ = nullptr;
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

bool Sequencer::commit_group(Presences& presences) {
  const auto refuse_all = [this] {
    for (Writer* writer : group_) writer->refusal = WriteRefusal::not_logged;
    return false;
  };
  is_group_sent_ = false;
  if (!log_presences(presences)) return refuse_all();
  // Read once per commit; the machine's clock may have gone back since the last one.
  const TimestampMs now = std::max(clock_.now_ms(), last_ms());
  if (!take_actor_turns(now)) return refuse_all();
  drop_revoked(now);
  drop_refused(now);

  units_.clear();
  for (const Writer* writer : group_)
    if (writer->purpose != Purpose::pass_time)
      for (const Unit& unit : writer->units) units_.push_back(&unit);
  const bool for_time_alone = units_.empty() && !group_.empty() && is_due(now);
  if (for_time_alone) units_.push_back(&group_.front()->units.front());
  if (units_.empty()) {
    for (Writer* writer : group_) writer->answers.front().at_ms = now;
    return true;
  }

  is_group_sent_ = true;
  const auto first = append(now);
  if (!first) return refuse_all();
  const std::lock_guard turn(turn_);
  is_begun_ = true;
  std::uint64_t position = *first;
  for (Writer* writer : group_) {
    const bool happens = writer->purpose != Purpose::pass_time || (for_time_alone && writer == group_.front());
    for (std::size_t i = 0; i < writer->units.size(); ++i) {
      Applied& answer = writer->answers[i];
      const bool was_entitled = answer.was_entitled;
      engine::Outcome refused = std::exchange(answer.outcome, {});
      if (happens) answer = apply(writer->units[i], position++, now);
      answer.at_ms = now;
      answer.was_entitled = was_entitled;
      if (!refused.orders.empty()) answer.outcome = std::move(refused);
    }
  }
  return true;
}

// What was revoked before in the log, in this commit as well, entitles nobody. A revocation of this commit counts even
// if it is refused itself: its sender wanted it. (D-916)
void Sequencer::drop_revoked(TimestampMs now_ms) {
  Entitlements revoked;
  const auto stands = [&](const Entitlement& one) {
    return std::ranges::none_of(revoked, [&](const Entitlement& ended) {
      const bool is_own = ended.by == decltype(ended.by)(ended.account);  // an agent may end itself (D-1147)
      return ended == one || (is_own && ended.by == one.by);
    });
  };
  for (Writer* writer : group_) {
    for (std::size_t i = 0; i < writer->units.size(); ++i) {
      Unit& unit = writer->units[i];
      const bool is_entitled =
          unit.by.empty() || (std::ranges::all_of(unit.by, stands) && services_.look()->all_stand(unit.by, now_ms));
      if (!is_entitled) {
        unit = {.nonces = std::move(unit.nonces), .origin = unit.origin};
        writer->answers[i].was_entitled = false;
      } else if (const auto* command = std::get_if<ServiceCommand>(&unit.body)) {
        if (auto one = revoked_by(*command)) revoked.push_back(std::move(*one));
      }
    }
  }
}

void Sequencer::drop_refused(TimestampMs now_ms) {
  const auto places = [](const Unit& unit, const Address& account) {
    const auto* command = std::get_if<CommandBody>(&unit.body);
    if (command == nullptr) return false;
    const auto* order = std::get_if<engine::PlaceOrder>(command);
    const auto* batch = std::get_if<engine::PlaceBatch>(command);
    return (order != nullptr && order->account == account) || (batch != nullptr && batch->account == account);
  };
  for (Writer* writer : group_) {
    // Another process would not learn the outcome, and several units build on each other.
    if (writer->purpose != Purpose::write || writer->units.size() != 1) continue;
    Unit& unit = writer->units.front();
    const auto* command = std::get_if<CommandBody>(&unit.body);
    const auto* batch = command == nullptr ? nullptr : std::get_if<engine::PlaceBatch>(command);
    if (batch == nullptr) continue;
    const std::lock_guard turn(turn_);
    auto outcome = engine_.refused(*batch, now_ms);
    if (!outcome) continue;
    // It may repeat an order of this commit. (D-932)
    const bool may_repeat = std::any_of(group_.begin(), std::ranges::find(group_, writer), [&](const Writer* before) {
      return std::ranges::any_of(before->units, [&](const Unit& one) { return places(one, batch->account); });
    });
    if (may_repeat) continue;
    writer->answers.front().outcome = std::move(*outcome);
    unit.body = TimeAlone{};
  }
}

bool Sequencer::is_due(TimestampMs now_ms) const {
  const std::lock_guard turn(turn_);
  const auto service_ms = services_.next_due_ms();
  return (service_ms && *service_ms <= now_ms) || schedule_.next(engine_, now_ms).has_value();
}

Result<std::uint64_t, LogError> Sequencer::append(TimestampMs now_ms) {
  std::optional<StateMark> known;
  if (log_.wants_mark()) known = mark();
  CommitWatcher* const watcher = commit_watcher_;
  if (watcher != nullptr) watcher->before_append();
  const auto first = log_.append(now_ms, units_, known);
  if (!first) return first;
  ++commits_;
  if (watcher != nullptr) watcher->after_append();
  return first;
}

bool Sequencer::carry_out(std::span<Unit> units, TimestampMs at_ms) {
  if (units.empty()) return true;
  units_.clear();
  for (const Unit& unit : units) units_.push_back(&unit);
  const auto first = append(at_ms);
  if (!first) return false;
  const std::lock_guard turn(turn_);
  is_begun_ = true;
  std::uint64_t position = *first;
  for (Unit& unit : units) (void)apply(unit, position++, at_ms);
  return true;
}

bool Sequencer::log_presences(Presences& presences) {
  while (!presences.empty()) {
    const auto first = std::ranges::min_element(presences, {}, [](const auto& entry) { return entry.second.at_ms; });
    const TimestampMs at_ms = std::max(first->second.at_ms, last_ms());
    if (!take_actor_turns(at_ms)) return false;
    Unit unit{.body = ServiceCommand(first->second.note)};
    if (!carry_out({&unit, 1}, at_ms)) return false;
    presences.erase(first);
  }
  return true;
}

bool Sequencer::take_actor_turns(TimestampMs now_ms) {
  while (const auto turn = around_.actors == nullptr ? std::nullopt : around_.actors->next_turn(now_ms))
    if (leaves_turns_ || !take_actor_turn(*turn)) return false;
  return true;
}

// Actors react to what they see: first everything due until then happens.
bool Sequencer::take_actor_turn(const ActorTurns::Turn& turn_of_actors) {
  const TimestampMs at_ms = std::max(turn_of_actors.at_ms, last_ms());
  if (turn_of_actors.kind == ActorTurns::Kind::orders && is_due(at_ms)) {
    Unit time_alone;
    if (!carry_out({&time_alone, 1}, at_ms)) return false;
  }
  std::vector<Unit> acts;
  {
    const std::lock_guard turn(turn_);
    acts = around_.actors->take_turn(at_ms, engine_);
  }
  if (!carry_out(acts, at_ms)) return false;
  around_.actors->turn_done();
  return true;
}

std::string Sequencer::image() const {
  return to_archive(engine_.image(), schedule_, services_.image(), memories_, clock_anchor_, last_ms_);
}

Result<Sequencer::Held, std::string> Sequencer::held_of(std::string_view bytes) const {
  engine::Engine fresh(config_);
  Schedule schedule(fresh, 0);
  std::string engine;
  std::string services;
  std::map<std::string, std::string> memories;
  std::optional<ClockAnchor> clock;
  TimestampMs last_ms = 0;
  if (!read_archive(bytes, engine, schedule, services, memories, clock, last_ms))
    return unexpected(std::string("the image is damaged"));
  SVC_TRY(fresh.restore(engine));
  const bool times_fit =
      is_log_time(last_ms) && fresh.now_ms() <= last_ms && schedule.fits(last_ms) && (!clock || clock->is_valid());
  if (!times_fit) return unexpected(std::string("the image does not make a state of a sandbox"));
  auto state = SVC_TRY(services_.state_of(services, last_ms));
  return Held{.engine = std::move(fresh),
              .schedule = schedule,
              .services = std::move(state),
              .memories = std::move(memories),
              .clock = clock,
              .last_ms = last_ms};
}

void Sequencer::begin_with(Held held, std::uint64_t position) {
  const std::lock_guard turn(turn_);
  SVC_ASSERT(position >= applied_position_);
  become(std::move(held));
  applied_position_ = position;
}

void Sequencer::become(Held held) {
  engine_ = std::move(held.engine);
  schedule_ = std::move(held.schedule);
  services_.become(std::move(held.services));
  memories_ = std::move(held.memories);
  clock_anchor_ = held.clock;
  last_ms_ = held.last_ms;
}

}  // namespace svc::sim
