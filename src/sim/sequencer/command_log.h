// Every unit in the order of application: the journal of the exchange. Replaying it into a fresh engine of the same
// configuration gives the same state, hash and events.
//
// Positions count from 1 without gaps. The interfaces do not depend on the storage: one implementation counts
// entries only, one writes to this machine's disk (journal.h), one to an etcd (sim/etcd/etcd_log.h).
#pragma once

#include <functional>
#include <limits>
#include <span>

#include "base/clock.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "base/result.h"
#include "sim/sequencer/unit.h"

namespace svc::sim {

struct LogEntry {
  std::uint64_t position = 0;
  TimestampMs at_ms = 0;  // timed work due until then happened before it (schedule.h)
  Unit unit;
};

// The engine's state hash after the entry at that position; a replay must reproduce it.
struct StateMark {
  std::uint64_t position = 0;
  std::uint64_t state_hash = 0;

  bool operator==(const StateMark&) const = default;
};

enum class LogError : std::uint8_t {
  not_written,  // nothing was appended: none of the units may be applied
  gone,         // the entry at that position is no longer (or not yet) readable
  gap,          // entries before those are missing here
  unreadable,   // the entry is invalid
  unreachable,  // what keeps the entries does not answer
};

// A log as the sequencer writes it.
class CommandLog {
 public:
  virtual ~CommandLog() = default;

  // Appends the units, all or none, and returns the position of the first. They are durable when this returns.
  // `mark`, if given, is written with them. Called by one writer at a time.
  [[nodiscard]] virtual Result<std::uint64_t, LogError> append(TimestampMs at_ms, std::span<const Unit* const> units,
                                                               const std::optional<StateMark>& mark) = 0;

  // Whether the next append should include a mark.
  [[nodiscard]] virtual bool wants_mark() const { return false; }

  // Whether an append waits to learn what became of it: a further one would only wait behind it. Any thread.
  [[nodiscard]] virtual bool is_stuck() const { return false; }
  // From now on `told` is called, on the thread that appends, whenever is_stuck() became true. To be called before the
  // first append.
  virtual void when_stuck(std::function<void()> /*told*/) {}
};

// What a log is about, by name.
struct LogFacts {
  using Names = std::map<std::string, std::string>;

  Names identity{};  // must be the same whenever the log is opened: network, seed, ...
  Names opening{};   // how it began: kept as it was the first time, whatever is said later
};

// Moves with the bytes of a unit, and with the rules by which units are replayed. (D-700)
inline constexpr std::int64_t log_format = 12;

// Everything as of one entry.
struct Snapshot {
  std::uint64_t position = 0;
  std::string image;
};

// A log that outlives the process. Whoever opens one may still refuse what it says: until begin() no entry is changed.
//
// Appending is the sequencer's; everything else may come from any thread.
class DurableLog : public CommandLog {
 public:
  // Once, before the first append. The error is one line for the user.
  [[nodiscard]] virtual Result<void, std::string> begin() = 0;
  [[nodiscard]] const LogFacts::Names& opening() const { return opening_; }
  // Passes the entries from `position` on, oldest first, to `each`, until the end or until `each` returns false.
  [[nodiscard]] virtual Result<void, LogError> read(std::uint64_t position,
                                                    const std::function<bool(const LogEntry&)>& each) const = 0;
  // The position of the last entry; 0 if there is none.
  [[nodiscard]] std::uint64_t last_position() const { return copy_under(mutex_, last_); }

  [[nodiscard]] bool wants_mark() const final {
    const std::lock_guard lock(mutex_);
    return last_ >= marked_ + limits::state_mark_entries;
  }
  // Those at or after the position, oldest first.
  [[nodiscard]] virtual std::vector<StateMark> marks(std::uint64_t position) const = 0;
  // Outside of an append: at the end of a run, say.
  [[nodiscard]] virtual bool put_mark(const StateMark& mark) = 0;

  // The newest one before that position; nullopt: there is none. Or LogError::unreachable.
  [[nodiscard]] virtual Result<std::optional<Snapshot>, LogError> snapshot_before(std::uint64_t position) const = 0;
  [[nodiscard]] Result<std::optional<Snapshot>, LogError> latest_snapshot() const {
    return snapshot_before(std::numeric_limits<std::int64_t>::max());
  }
  // Positions of those that were found damaged: the entries prove the state.
  [[nodiscard]] std::vector<std::uint64_t> dropped_snapshots() const { return copy_under(mutex_, dropped_snapshots_); }
  // Keeps the latest limits::snapshots_kept of them.
  [[nodiscard]] virtual Result<void, std::string> put_snapshot(const Snapshot& snapshot) = 0;
  [[nodiscard]] virtual bool wants_snapshot() const = 0;
  // Entries are gone: whether another process took a snapshot since this was opened. Then this is as if opened anew.
  // Or LogError::unreachable, or unreadable: problem() says why.
  [[nodiscard]] virtual Result<bool, LogError> look_again() { return false; }

  // Of the latest append, if it failed or waits; else empty.
  [[nodiscard]] std::string problem() const { return copy_under(problem_mutex_, problem_); }

 protected:
  void set_problem(std::string why) {
    const std::lock_guard lock(problem_mutex_);
    problem_ = std::move(why);
  }

  mutable Ranked<LockRank::log> mutex_;  // guards what follows
  LogFacts::Names opening_;              // set when it is opened
  std::uint64_t last_ = 0;
  std::uint64_t link_ = 0;    // of the last entry
  std::uint64_t marked_ = 0;  // position of the latest mark
  mutable std::vector<std::uint64_t> dropped_snapshots_;

 private:
  mutable std::mutex problem_mutex_;  // whoever asks for the problem does not wait for the log
  std::string problem_;
};

// The log of an exchange that lives in memory: it numbers the entries and keeps none.
class CountingLog final : public CommandLog {
 public:
  [[nodiscard]] Result<std::uint64_t, LogError> append(TimestampMs, std::span<const Unit* const> units,
                                                       const std::optional<StateMark>&) override {
    return std::exchange(last_, last_ + units.size()) + 1;
  }

 private:
  std::uint64_t last_ = 0;
};

}  // namespace svc::sim
