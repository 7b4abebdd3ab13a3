#include "sim/sequencer/journal.h"

#include <utility>

#include "base/limits.h"
#include "sim/sequencer/chain.h"
#include "sim/sequencer/journal_seals.h"

namespace svc::sim {

using Step = SqliteStatement::Step;

Journal::Journal(Parts parts)
    : path_(std::move(parts.path)), file_(std::move(parts.file)), acknowledged_(std::move(parts.acknowledged)) {}

Result<void, std::string> Journal::prepare_statements() {
  const auto prepare = [this](std::optional<SqliteStatement>& statement, std::string_view sql) {
    auto prepared = file_.prepare(sql);
    if (prepared) statement.emplace(std::move(*prepared));
    return prepared.has_value();
  };
  if (!prepare(begin_, "BEGIN IMMEDIATE") || !prepare(commit_, "COMMIT") ||
      !prepare(insert_, "INSERT INTO log (position, at_ms, unit, link) VALUES (?, ?, ?, ?)") ||
      !prepare(insert_mark_, "INSERT OR REPLACE INTO marks (position, state_hash, seal) VALUES (?, ?, ?)"))
    return unexpected(path_.string() + ": " + file_.problem());
  return {};
}

Result<std::uint64_t, LogError> Journal::append(TimestampMs at_ms, std::span<const Unit* const> units,
                                                const std::optional<StateMark>& mark) {
  const std::lock_guard lock(mutex_);
  if (is_lost_) return unexpected(LogError::not_written);
  const Acknowledgement before = *acknowledged_.latest();
  const std::uint64_t link_before = link_;
  if (!write(at_ms, units, mark)) {
    problem_ = file_.problem();
    file_.roll_back();
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
  if (!acknowledged_.note({.position = last_, .link = link_}, before.refused ? Sync::yes : Sync::no)) {
    // Nobody may be told that it is safe, and it cannot be taken back any more.
    problem_ = "the acknowledgement file cannot be written";
    is_lost_ = true;
    return unexpected(LogError::not_written);
  }
  return first;
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
  if (is_lost_ || !insert_mark(mark)) return false;
  marked_ = mark.position;
  return true;
}

Result<void, LogError> Journal::read(std::uint64_t position, const std::function<bool(const LogEntry&)>& each) const {
  const std::lock_guard lock(mutex_);
  if (position == 0 || position > last_ + 1) return unexpected(LogError::gone);
  auto rows = file_.prepare("SELECT position, at_ms, unit FROM log WHERE position >= ? ORDER BY position");
  if (!rows) return unexpected(LogError::unreadable);
  rows->bind(1, static_cast<std::int64_t>(position));
  Step step = rows->step();
  for (; step == Step::row; step = rows->step()) {
    auto unit = read_unit(rows->bytes(2));
    if (!unit) return unexpected(LogError::unreadable);
    const LogEntry entry{
        .position = static_cast<std::uint64_t>(rows->integer(0)), .at_ms = rows->integer(1), .unit = std::move(*unit)};
    if (!each(entry)) return {};
  }
  if (step == Step::failed) return unexpected(LogError::unreadable);
  return {};
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
  auto rows = file_.prepare("SELECT position, state_hash FROM marks WHERE position >= ? ORDER BY position");
  if (!rows) return marks;
  rows->bind(1, static_cast<std::int64_t>(position));
  while (rows->step() == Step::row)
    marks.push_back({.position = static_cast<std::uint64_t>(rows->integer(0)),
                     .state_hash = static_cast<std::uint64_t>(rows->integer(1))});
  return marks;
}

std::optional<Snapshot> Journal::snapshot_before(std::uint64_t position) const {
  const std::lock_guard lock(mutex_);
  auto rows = file_.prepare("SELECT position, image FROM snapshots WHERE position < ? ORDER BY position DESC LIMIT 1");
  if (!rows) return std::nullopt;
  rows->bind(1, static_cast<std::int64_t>(position));
  if (rows->step() != Step::row) return std::nullopt;
  return Snapshot{.position = static_cast<std::uint64_t>(rows->integer(0)), .image = std::string(rows->bytes(1))};
}

bool Journal::wants_snapshot() const {
  const std::lock_guard lock(mutex_);
  return !is_lost_ && last_ >= snapshot_at_ + limits::snapshot_entries;
}

Result<void, std::string> Journal::put_snapshot(const Snapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  const auto fail = [this] {
    const std::string why = file_.problem();
    file_.roll_back();
    return unexpected(why);
  };
  auto insert = file_.prepare("INSERT OR REPLACE INTO snapshots (position, image, seal) VALUES (?, ?, ?)");
  auto drop = file_.prepare(
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
