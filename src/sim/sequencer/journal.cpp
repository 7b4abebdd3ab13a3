#include "sim/sequencer/journal.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/limits.h"
#include "sim/sequencer/chain.h"
#include "sim/sequencer/journal_seals.h"

namespace svc::sim {

using Step = SqliteStatement::Step;

Journal::Journal(Parts parts)
    : path_(std::move(parts.path)),
      disk_(std::move(parts.disk)),
      facts_(std::move(parts.facts)),
      acknowledged_(std::move(parts.acknowledged)) {}

Result<void, std::string> Journal::prepare_statements() {
  const auto prepare = [this](std::optional<SqliteStatement>& statement, std::string_view sql) {
    auto prepared = file_->prepare(sql);
    if (prepared) statement.emplace(std::move(*prepared));
    return prepared.has_value();
  };
  if (!prepare(begin_, "BEGIN IMMEDIATE") || !prepare(commit_, "COMMIT") ||
      !prepare(insert_, "INSERT INTO log (position, at_ms, unit, link) VALUES (?, ?, ?, ?)") ||
      !prepare(insert_mark_, "INSERT OR REPLACE INTO marks (position, state_hash, seal) VALUES (?, ?, ?)"))
    return unexpected(path_.string() + ": " + file_->problem());
  return {};
}

Result<std::uint64_t, LogError> Journal::append(TimestampMs at_ms, std::span<const Unit* const> units,
                                                const std::optional<StateMark>& mark) {
  const std::lock_guard lock(mutex_);
  SVC_ASSERT(is_begun_);
  if (is_lost_) return unexpected(LogError::not_written);
  const Acknowledgement before = *acknowledged_.latest();
  const std::uint64_t link_before = link_;
  if (!write(at_ms, units, mark)) {
    problem_ = file_->problem();
    file_->roll_back();
    link_ = link_before;
    // A commit that failed half way may still be found on the disk: it is marked as refused.
    if (!before.refused)
      (void)acknowledged_.note({.position = last_, .link = link_, .refused = true}, AcknowledgementFile::Sync::yes);
    return unexpected(LogError::not_written);
  }
  const std::uint64_t first = last_ + 1;
  last_ += units.size();
  if (mark) marked_ = mark->position;
  using Sync = AcknowledgementFile::Sync;
  if (acknowledged_.note({.position = last_, .link = link_}, before.refused ? Sync::yes : Sync::no)) return first;
  // It stands in the log without its note: taken back, it is not there, now or after a restart.
  problem_ = "the acknowledgement file cannot be written";
  const Acknowledgement refused{.position = first - 1, .link = link_before, .refused = true};
  const auto taken_back = [&] {
    const std::string after = "DELETE FROM log WHERE position > " + std::to_string(refused.position);
    if (!file_->run("BEGIN IMMEDIATE; " + after + "; COMMIT")) {
      file_->roll_back();
      return false;
    }
    return acknowledged_.latest() == before || acknowledged_.note(refused, Sync::yes);
  };
  const bool is_gone = taken_back();
  is_lost_ = !is_gone;
  // What cannot be taken back is safe where it is and there after a restart, unless that removes it as refused. Its
  // writers are the last.
  if (!is_gone && !before.refused) return first;
  last_ = refused.position;
  link_ = link_before;
  return unexpected(LogError::not_written);
}

bool Journal::write(TimestampMs at_ms, std::span<const Unit* const> units, const std::optional<StateMark>& mark) {
  const auto run = [](SqliteStatement& statement) {
    const bool done = statement.step() == Step::done;
    statement.reset();
    return done;
  };
  if (!run(*begin_)) return false;
  std::uint64_t position = last_;
  for (const Unit* unit : units) {
    ++position;
    writer_.clear();
    write_unit(writer_, *unit);
    link_ = next_link(link_, position, at_ms, writer_.bytes());
    insert_->bind(1, static_cast<std::int64_t>(position)).bind(2, at_ms).bind_blob(3, writer_.bytes());
    insert_->bind(4, static_cast<std::int64_t>(link_));
    if (!run(*insert_)) return false;
  }
  if (mark && !insert_mark(*mark)) return false;
  return run(*commit_);
}

bool Journal::insert_mark(const StateMark& mark) {
  insert_mark_->bind(1, static_cast<std::int64_t>(mark.position));
  insert_mark_->bind(2, static_cast<std::int64_t>(mark.state_hash));
  insert_mark_->bind(3, static_cast<std::int64_t>(seal_of(mark)));
  const bool done = insert_mark_->step() == Step::done;
  insert_mark_->reset();
  return done;
}

bool Journal::put_mark(const StateMark& mark) {
  const std::lock_guard lock(mutex_);
  if (!is_begun_ || is_lost_ || !insert_mark(mark)) return false;
  marked_ = mark.position;
  return true;
}

// Some at a time: nobody else's code runs under the lock.
Result<void, LogError> Journal::read(std::uint64_t position, const std::function<bool(const LogEntry&)>& each) const {
  constexpr std::int64_t entries_at_once = 256;
  while (true) {
    std::vector<LogEntry> some;
    bool is_whole = true;
    {
      const std::lock_guard lock(mutex_);
      if (position == 0 || position > last_ + 1) return unexpected(LogError::gone);
      if (position > last_) return {};
      const auto last =
          std::min(static_cast<std::int64_t>(last_), static_cast<std::int64_t>(position) + entries_at_once - 1);
      auto rows =
          file_->prepare("SELECT position, at_ms, unit FROM log WHERE position BETWEEN ? AND ? ORDER BY position");
      if (!rows) return unexpected(LogError::unreadable);
      rows->bind(1, static_cast<std::int64_t>(position)).bind(2, last);
      Step step = rows->step();
      for (; step == Step::row; step = rows->step()) {
        auto unit = read_unit(rows->bytes(2));
        if (!unit) break;
        some.push_back({.position = static_cast<std::uint64_t>(rows->integer(0)),
                        .at_ms = rows->integer(1),
                        .unit = std::move(*unit)});
      }
      is_whole = step == Step::done && !some.empty();
    }
    for (const LogEntry& entry : some)
      if (!each(entry)) return {};
    if (!is_whole) return unexpected(LogError::unreadable);
    position += some.size();
  }
}

std::uint64_t Journal::last_position() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

bool Journal::wants_mark() const {
  const std::lock_guard lock(mutex_);
  return last_ >= marked_ + limits::state_mark_entries;
}

std::vector<StateMark> Journal::marks(std::uint64_t position) const {
  const std::lock_guard lock(mutex_);
  std::vector<StateMark> marks;
  if (!file_) return marks;
  auto rows = file_->prepare("SELECT position, state_hash FROM marks WHERE position BETWEEN ? AND ? ORDER BY position");
  if (!rows) return marks;
  rows->bind(1, static_cast<std::int64_t>(position)).bind(2, static_cast<std::int64_t>(last_));
  while (rows->step() == Step::row)
    marks.push_back({.position = static_cast<std::uint64_t>(rows->integer(0)),
                     .state_hash = static_cast<std::uint64_t>(rows->integer(1))});
  return marks;
}

std::optional<Snapshot> Journal::snapshot_before(std::uint64_t position) const {
  const std::lock_guard lock(mutex_);
  if (!file_) return std::nullopt;
  auto rows = file_->prepare("SELECT position, image FROM snapshots WHERE position < ? ORDER BY position DESC");
  if (!rows) return std::nullopt;
  rows->bind(1, static_cast<std::int64_t>(std::min(position, last_ + 1)));
  while (rows->step() == Step::row) {
    const auto found = static_cast<std::uint64_t>(rows->integer(0));
    const bool counts = std::ranges::find(dropped_snapshots_, found) == dropped_snapshots_.end();
    if (counts) return Snapshot{.position = found, .image = std::string(rows->bytes(1))};
  }
  return std::nullopt;
}

bool Journal::wants_snapshot() const {
  const std::lock_guard lock(mutex_);
  return is_begun_ && !is_lost_ && last_ >= snapshot_at_ + limits::snapshot_entries;
}

Result<void, std::string> Journal::put_snapshot(const Snapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  const auto fail = [this] {
    const std::string why = file_->problem();
    file_->roll_back();
    return unexpected(why);
  };
  auto insert = file_->prepare("INSERT OR REPLACE INTO snapshots (position, image, seal) VALUES (?, ?, ?)");
  auto drop = file_->prepare(
      "DELETE FROM snapshots WHERE position NOT IN (SELECT position FROM snapshots ORDER BY position DESC LIMIT ?)");
  if (is_lost_ || !insert || !drop || begin_->step() != Step::done) return fail();
  begin_->reset();
  insert->bind(1, static_cast<std::int64_t>(snapshot.position)).bind_blob(2, snapshot.image);
  insert->bind(3, static_cast<std::int64_t>(seal_of(snapshot)));
  drop->bind(1, static_cast<std::int64_t>(limits::snapshots_kept));
  if (insert->step() != Step::done || drop->step() != Step::done || commit_->step() != Step::done) {
    commit_->reset();
    return fail();
  }
  commit_->reset();
  snapshot_at_ = snapshot.position;
  return {};
}

std::string Journal::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace svc::sim
