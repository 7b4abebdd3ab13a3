// The single writer: gives each unit its time and its place, logs it, applies it to the engine and passes the
// events on.
//
// Writers share commits: a writer who arrives during a commit waits for its end, and then one of the waiting
// writers commits for all of them. The units of one commit have one time. Writers in fibers (base/fibers.h) are
// included by their thread, once none of them has anything else to do. (D-581)
//
// Invariants
//   (S1) a unit is logged before the engine sees it, and nothing else reaches the engine; what a
//        reader sees is therefore durable
//   (S2) times of units never go back, unless a unit brings an image
//   (S3) what was due by the time of a unit (schedule.h, Services::next_due_ms) happened before it. It follows
//        from the times of units, live and in a replay
//   (S4) when submit() returns, every follower has seen the command's events
//
// Safe to use from any thread. A bounded number of writers wait; beyond that a submission is refused and nothing
// happens. Readers of the engine never wait for the log, only for a commit that is being applied; whatever the
// views can answer should be read from them.
#pragma once

#include <atomic>
#include <map>

#include "base/assert.h"
#include "base/fibers.h"
#include "sim/engine/events.h"
#include "sim/engine/ids.h"
#include "sim/sequencer/command_log.h"
#include "sim/sequencer/schedule.h"
#include "sim/services/services.h"

namespace svc::sim {

// Time and sequence number of a command.
struct Stamp {
  engine::Sequence sequence;
  TimestampMs at_ms = 0;
};

// Whoever follows the exchange: read models, streams. Each command's events arrive together, in order, on the
// writer's thread.
class Follower {
 public:
  virtual ~Follower() = default;
  // Must return quickly: the writer waits. The events are valid during the call.
  virtual void follow(const Stamp& stamp, std::span<const engine::Event> events) = 0;
};

// Why a unit was not tried. Nothing of it happened, but for the last.
enum class WriteRefusal : std::uint8_t {
  queue_full,  // too many writers wait
  not_logged,  // the log did not take it
  unusual,     // a number or a text of it is one that no log may hold: is_usual()
  revoked,     // the caller's key or agent was revoked before; only the nonces were spent
  unknown,     // it may have happened: its entry cannot be read here any more
};

// The result of an applied unit; a refusal by the engine is in the outcome.
struct Applied {
  // Of its engine command, and of the engine command that the services made of theirs.
  engine::Outcome outcome;
  Result<ServiceValue, api::ApiError> value = ServiceValue{};  // of its command to the services
  bool nonces_fresh = true;                                    // or nothing but spending them happened
  bool was_entitled = true;                                    // likewise
  TimestampMs at_ms = 0;
};

// Takes units to the process that writes, when this one does not. (sim/cluster)
class RemoteWriter {
 public:
  virtual ~RemoteWriter() = default;
  // All happen or none, in one commit. Returns when this process has applied them as well.
  [[nodiscard]] virtual Result<void, WriteRefusal> submit(std::span<Unit> units, std::span<Applied> answers) = 0;
};

// Whoever must know when the log grows. Called on the writer's thread.
class CommitWatcher {
 public:
  virtual ~CommitWatcher() = default;
  // Nothing is appended until it returns; it holds up every writer meanwhile.
  virtual void before_append() = 0;
  // What was appended is in the log, and not applied yet.
  virtual void after_append() = 0;
  // Of each commit, when it was applied; also of one that appended nothing.
  virtual void after_commit() = 0;
};

class Sequencer final : private IdleWork {
 public:
  // The services, the clock and the log must outlive this. Events of the clock alone begin after `started_ms`.
  Sequencer(engine::EngineConfig config, Services& services, const Clock& clock, CommandLog& log,
            TimestampMs started_ms, std::size_t writers_max = limits::writers_waiting_max);

  // Logs and applies the unit. If refused, nothing of it happened, but for WriteRefusal::unknown.
  [[nodiscard]] Result<Applied, WriteRefusal> submit(Unit unit);
  [[nodiscard]] Result<Applied, WriteRefusal> submit(UnitBody body) { return submit(Unit{.body = std::move(body)}); }
  enum class Purpose : std::uint8_t {
    write,      // for one request, or by the sandbox itself, whose units need no credential
    received,   // from another process: if this one does not write any more, they are refused
    pass_time,  // an empty unit, logged only if needed
  };
  // Several units in one commit: all happen or none. As submit() otherwise.
  [[nodiscard]] Result<std::vector<Applied>, WriteRefusal> submit_together(std::vector<Unit> units,
                                                                           Purpose purpose = Purpose::write);

  // Does not wait: logged before the next unit, with this time. A crash may lose it. Of one account the latest
  // counts. If another process writes, the next pass_time() takes it there.
  void note_presence(const NotePresence& presence, TimestampMs at_ms) {
    const std::lock_guard lock(queue_mutex_);
    presences_.insert_or_assign(presence.account, Presence{.note = presence, .at_ms = at_ms});
  }

  // Does what is due by now, and logs what note_presence() left. Called regularly while it runs.
  void pass_time();
  // As pass_time(), whoever writes. Called when time was moved.
  void do_due();
  // The process ends: turns of actors that are due, thousands after a jump of the clock, are left to the next start.
  void leave_turns() { leaves_turns_ = true; }

  // Applies an entry read from the log. Entries come in order, before the first submission or while another process
  // writes. nullopt if it makes no sense.
  [[nodiscard]] std::optional<Applied> replay(LogEntry entry);

  // Another process writes from now on: units go there, and their entries come back by replay(). Writers that wait for
  // a commit are refused at once. Returns when none is under way. `remote` must outlive this.
  void stop_writing(RemoteWriter& remote);
  // This process writes from now on. Everything in the log was applied.
  void start_writing();
  [[nodiscard]] bool is_writing() const { return remote_.load() == nullptr; }

  // While nobody writes.
  void set_commit_watcher(CommitWatcher* watcher) { commit_watcher_ = watcher; }
  // By the nodes of a cluster.
  [[nodiscard]] bool is_shared() const { return commit_watcher_ != nullptr; }

  // Everything the sequencer holds, after one unit.
  struct Held {
    engine::Engine engine;
    Schedule schedule;
    ServicesState services;
    std::map<std::string, std::string> memories;  // of the actors
    std::optional<ClockAnchor> clock{};           // as of its last change
    TimestampMs last_ms = 0;
  };

  // Whoever follows what it does, or takes part in it. Called on the writer's thread; all of it outlives this.
  struct Environment {
    std::vector<Follower*> followers{};
    Follower* last_follower = nullptr;  // after all others, whenever they are added
    ActorTurns* actors = nullptr;       // at one instant their turns come after what the schedule and the services do
    std::vector<CommandWitness*> witnesses{};
    // When a unit brings an image, which replaces everything: returns what is held from then on. Times of units may go
    // back then, and nobody else may write meanwhile. (D-022)
    std::function<Held(std::string_view image)> take_image{};
    // Told about changes of the clock as they are applied, whoever wrote them.
    std::function<void(const ClockAnchor& anchor)> take_clock{};
  };
  // To be completed before the first submission.
  [[nodiscard]] Environment& environment() {
    const std::lock_guard turn(turn_);
    SVC_ASSERT(!is_begun_);
    return around_;
  }
  void add_follower(Follower& follower) { environment().followers.push_back(&follower); }

  // f(bytes, position): what is held, and after which unit. No unit is applied during the call.
  template <class F>
  auto read_image(F&& f) const {
    const std::lock_guard turn(turn_);
    return std::forward<F>(f)(image(), applied_position_);
  }
  // Parses such bytes, for the same markets; the error is one sentence. Changes nothing.
  [[nodiscard]] Result<Held, std::string> held_of(std::string_view bytes) const;

  // Goes on as if all units up to the position had been replayed. Before the first submission, or while another
  // process writes.
  void begin_with(Held held, std::uint64_t position);
  // What the actors remember, as of the latest unit.
  [[nodiscard]] std::map<std::string, std::string> memories() const { return copy_under(turn_, memories_); }

  // Reads the engine between two commands: f(const engine::Engine&, TimestampMs now). Followers may call it too;
  // they see the state of the command they are told about, at its time. While turns of actors are due, it is not later
  // than the first of them: the prices of now are still to come.
  template <class F>
  auto read(F&& f) const {
    const std::lock_guard turn(turn_);
    return std::forward<F>(f)(std::as_const(engine_), step_ms_ ? *step_ms_ : lived_until());
  }

  // The number of writers waiting for the next commit.
  [[nodiscard]] std::size_t waiting() const {
    const std::lock_guard queue(queue_mutex_);
    return queue_.size();
  }
  // Appends to the log so far, by this process; each is synced once.
  [[nodiscard]] std::uint64_t commits() const { return commits_; }
  // Of the latest unit that was applied; 0 if none was.
  [[nodiscard]] std::uint64_t position() const { return copy_under(turn_, applied_position_); }
  // The latest time of a unit; 0 if there was none.
  [[nodiscard]] TimestampMs last_ms() const { return copy_under(turn_, last_ms_); }
  [[nodiscard]] std::optional<ClockAnchor> clock_anchor() const { return copy_under(turn_, clock_anchor_); }
  // The state's mark after the latest unit.
  [[nodiscard]] StateMark mark() const {
    const std::lock_guard turn(turn_);
    return {.position = applied_position_, .state_hash = engine_.state_hash()};
  }

 private:
  using QueueMutex = Ranked<LockRank::queue>;
  // A caller that waits for its answers; its units are committed together.
  struct Writer {
    const Purpose purpose;
    const std::span<Unit> units;
    const std::span<Applied> answers;  // one per unit; owned by whoever commits until the writer is woken
    std::optional<WriteRefusal> refusal{};
    bool leads = false;  // it commits for the others, or was woken to do so, instead of waiting for its answer
    Waiter waiter{};
  };

  [[nodiscard]] Result<void, WriteRefusal> commit(Purpose purpose, std::span<Unit> units, std::span<Applied> answers);
  // Returns when the writer has its answers or is refused.
  void answer(Writer& writer);
  // One commit for all waiting writers; `own` is the leading writer, if it is one of them.
  void lead(std::unique_lock<QueueMutex>& queue, const Writer* own);
  // Passes the lead to another waiting writer, if any. Requires the lock; wake the returned writer after releasing
  // it.
  [[nodiscard]] Writer* hand_over();
  // Refuses those who wait for the next commit, of whom nothing was sent, and wakes them without the lock.
  void refuse_waiting(std::unique_lock<QueueMutex> queue);
  // Likewise, when an append of this thread is stuck.
  void refuse_behind_append();
  void do_idle_work() override;
  // Sends the presences to the process that writes.
  void send_presences(RemoteWriter& remote);
  struct Presence {
    NotePresence note;
    TimestampMs at_ms = 0;
  };
  using Presences = std::map<Address, Presence>;

  // Logs and applies the presences, what is due, and what the group submits. Takes out the presences that are logged.
  // False: nothing of the group happened.
  [[nodiscard]] bool commit_group(Presences& presences);
  // Empties the bodies of units that nothing entitles any more.
  void drop_revoked(TimestampMs now_ms);
  // Answers batches that the engine refuses whole for want of money, and empties them: a wallet without money must not
  // fill the log. (D-1155)
  void drop_refused(TimestampMs now_ms);
  // Logs units_ without applying them.
  [[nodiscard]] Result<std::uint64_t, LogError> append(TimestampMs now_ms);
  // Logs and applies them, if there are any. False if the log refused them.
  [[nodiscard]] bool carry_out(std::span<Unit> units, TimestampMs at_ms);
  [[nodiscard]] bool log_presences(Presences& presences);
  // All turns of actors due by then, one by one. False if the log refused any.
  [[nodiscard]] bool take_actor_turns(TimestampMs now_ms);
  [[nodiscard]] bool take_actor_turn(const ActorTurns::Turn& turn);
  [[nodiscard]] Applied apply(Unit& unit, std::uint64_t position, TimestampMs now_ms);
  void apply_body(UnitBody& body, Applied& applied);
  // Passes a turn of the services to f; returns the outcome of their engine command, if they made one.
  template <class F>
  engine::Outcome serve(TimestampMs now_ms, F f);
  engine::Outcome apply_witnessed(CommandBody&& body, TimestampMs now_ms);
  const engine::Outcome& apply_command(CommandBody&& body, TimestampMs now_ms);
  void remember(const ActorMemories& memories) {
    for (const auto& [key, value] : memories) memories_.insert_or_assign(key, value);
  }
  // timers_only excludes the samples and settlements of that instant: they come after a unit that brings prices.
  enum class InstantScope : std::uint8_t { all, timers_only };
  void pass_time_until(TimestampMs now_ms, InstantScope part);
  [[nodiscard]] std::string image() const;
  void become(Held held);
  [[nodiscard]] TimestampMs lived_until() const;
  [[nodiscard]] bool is_due(TimestampMs now_ms) const;

  const engine::EngineConfig config_;
  Services& services_;
  const Clock& clock_;
  CommandLog& log_;
  const std::size_t writers_max_;
  std::atomic<std::size_t> writers_{0};  // at work or waiting
  std::atomic<CommitWatcher*> commit_watcher_{nullptr};
  std::atomic<std::uint64_t> commits_{0};
  std::atomic<bool> leaves_turns_{false};

  // Guarded by queue_mutex_.
  mutable QueueMutex queue_mutex_;
  std::vector<Writer*> queue_;  // waiting for the next commit, oldest first
  bool is_led_ = false;         // somebody commits or was told to; or another process writes
  Waiter* stopping_ = nullptr;  // stop_writing() waits for the end of a commit
  Presences presences_;
  std::atomic<RemoteWriter*> remote_{nullptr};  // changed under the lock

  // Used by the leader only.
  std::vector<Writer*> group_;
  std::vector<const Unit*> units_;
  bool is_group_sent_ = false;  // false: what is due before the group is being appended
  bool is_begun_ = false;       // somebody has written; guarded by turn_

  mutable RankedRecursive<LockRank::turn> turn_;  // guards what follows
  engine::Engine engine_;
  Schedule schedule_;
  std::map<std::string, std::string> memories_;
  std::optional<ClockAnchor> clock_anchor_;
  TimestampMs last_ms_ = 0;
  std::uint64_t applied_position_ = 0;
  Environment around_;
  engine::EventLog events_;             // of the command being applied
  std::optional<TimestampMs> step_ms_;  // the time of the command that followers are being told about
};

}  // namespace svc::sim
