#include "sim/sequencer/journal.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/assert.h"

namespace svc::sim {

namespace {

constexpr std::int64_t application_id = 0x73766331;  // "svc1"

constexpr const char* schema =
    "CREATE TABLE facts (kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, name))"
    " WITHOUT ROWID;"
    "CREATE TABLE log (position INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, unit BLOB NOT NULL,"
    " link INTEGER NOT NULL);"
    "CREATE TABLE marks (position INTEGER PRIMARY KEY, state_hash INTEGER NOT NULL, seal INTEGER NOT NULL);"
    "CREATE TABLE snapshots (position INTEGER PRIMARY KEY, image BLOB NOT NULL, seal INTEGER NOT NULL);";

// Five words, lowest byte first: serial, position, link, refused, seal of the four.
constexpr std::size_t slot_words = 5;
constexpr std::size_t slot_bytes = slot_words * 8;
using Slot = std::array<std::uint64_t, slot_words>;
using SlotBytes = std::array<char, slot_bytes>;
static_assert(std::endian::native == std::endian::little, "slots are copied as they are");

std::uint64_t seal_of(const Slot& slot) {
  Chain chain(0);
  for (std::size_t i = 0; i + 1 < slot_words; ++i) chain.add(slot[i]);
  return chain.value();
}

}  // namespace

Result<AcknowledgementFile, std::string> AcknowledgementFile::open(const std::filesystem::path& path,
                                                                   const DiskName& disk) {
  AcknowledgementFile acknowledged(path, disk);
  if (!DiskFile::is_there(path, disk)) return acknowledged;
  const auto file = SVC_TRY(DiskFile::open(path, DiskFile::Access::read, disk));
  acknowledged.was_empty_ = file.size() == 0;
  for (std::int64_t at = 0; at < 2; ++at) {
    SlotBytes bytes{};
    if (!file.read(at * static_cast<std::int64_t>(slot_bytes), bytes)) continue;
    const auto slot = std::bit_cast<Slot>(bytes);
    if (slot[0] == 0 || slot[4] != seal_of(slot) || slot[0] <= acknowledged.serial_) continue;
    acknowledged.serial_ = slot[0];
    acknowledged.latest_ = Acknowledgement{.position = slot[1], .link = slot[2], .refused = slot[3]};
  }
  // The first note is written into the second slot.
  acknowledged.is_cut_off_ = acknowledged.serial_ > 1 && file.size() < static_cast<std::int64_t>(2 * slot_bytes);
  return acknowledged;
}

bool AcknowledgementFile::note(const Acknowledgement& acknowledgement, Sync sync) {
  if (!file_) {
    auto file = DiskFile::open(path_, DiskFile::Access::write, disk_);
    if (!file) return false;
    file_.emplace(std::move(*file));
  }
  Slot slot{serial_ + 1, acknowledgement.position, acknowledgement.link, acknowledgement.refused, 0};
  slot[4] = seal_of(slot);
  const auto bytes = std::bit_cast<SlotBytes>(slot);
  const auto at = static_cast<std::int64_t>((slot[0] % 2) * slot_bytes);
  if (!file_->write(at, std::string_view(bytes.data(), bytes.size()))) return false;
  serial_ = slot[0];
  latest_ = acknowledgement;
  return sync == Sync::no || file_->sync();
}

Journal::Journal(std::filesystem::path path, const LogFacts& facts, DiskName disk, AcknowledgementFile acknowledged)
    : path_(std::move(path)), disk_(std::move(disk)), facts_(facts), acknowledged_(std::move(acknowledged)) {}

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
  if (std::string moved = folder_ == nullptr ? std::string() : folder_->problem(); !moved.empty()) {
    set_problem(std::move(moved));
    return unexpected(LogError::not_written);
  }
  const Acknowledgement before = *acknowledged_.latest();
  const std::uint64_t link_before = link_;
  if (!write(at_ms, units, mark)) {
    set_problem(file_->problem());
    file_->roll_back();
    settle_refusal(std::exchange(link_, link_before));
    return unexpected(LogError::not_written);
  }
  const std::uint64_t first = last_ + 1;
  last_ += units.size();
  if (mark) marked_ = mark->position;
  using Sync = AcknowledgementFile::Sync;
  // The first commit makes the write-ahead file.
  is_folder_synced_ = is_folder_synced_ || DiskFile::sync_folder_of(path_, disk_);
  const Acknowledgement done{.position = last_, .link = link_};
  const bool follows_refusal = before.refused != Acknowledgement::nothing;
  if (is_folder_synced_ && acknowledged_.note(done, follows_refusal ? Sync::yes : Sync::no)) {
    // In both slots: a refusal that outlived a damaged note would take back what is acknowledged here.
    if (follows_refusal) (void)acknowledged_.note(done, Sync::yes);
    set_problem({});
    return first;
  }
  // It stands in the log without its note: taken back, it is not there, now or after a restart.
  set_problem(is_folder_synced_ ? "the acknowledgement file cannot be written" : "its folder cannot be synced");
  const Acknowledgement refused{.position = first - 1, .link = link_before, .refused = link_};
  // The note goes first: entries that are gone and noted as there would be damage, and a deletion whose frames are
  // damaged never happened.
  const bool was_noted = acknowledged_.latest() != before;
  const bool is_marked = acknowledged_.note(refused, Sync::yes) || acknowledged_.latest() == refused ||
                         (!was_noted && before.refused != Acknowledgement::nothing &&
                          (before.refused == refused.refused || before.refused == Acknowledgement::everything));
  const auto deleted = [&] {
    const std::string after = "DELETE FROM log WHERE position > " + std::to_string(refused.position);
    if (file_->run("BEGIN IMMEDIATE; " + after + "; COMMIT")) return true;
    file_->roll_back();
    return false;
  };
  const bool is_gone = (is_marked || !was_noted) && deleted();
  is_lost_ = !is_gone;
  // What cannot be taken back is safe where it is and there after a restart, unless that removes it as refused. Its
  // writers are the last.
  if (!is_gone && !is_marked) return first;
  last_ = refused.position;
  link_ = link_before;
  return unexpected(LogError::not_written);
}

// A commit that failed half way may still be found on the disk. It is marked as refused, or overwritten in the
// write-ahead log; a disk that fails at both is asked again.
void Journal::settle_refusal(std::uint64_t refused_link) {
  if (refused_link == link_) return;  // it had not begun
  const std::uint64_t before = acknowledged_.latest()->refused;
  // Of two in a row either may be there.
  const bool is_first = before == Acknowledgement::nothing || before == refused_link;
  const Acknowledgement refused{
      .position = last_, .link = link_, .refused = is_first ? refused_link : Acknowledgement::everything};
  const std::string overwriting = "BEGIN IMMEDIATE; PRAGMA user_version = " + std::to_string(log_format) + "; COMMIT";
  for (std::uint32_t i = 0; i < limits::refusal_tries; ++i) {
    if (acknowledged_.note(refused, AcknowledgementFile::Sync::yes) || file_->run(overwriting)) return;
    file_->roll_back();
  }
}

bool Journal::write(TimestampMs at_ms, std::span<const Unit* const> units, const std::optional<StateMark>& mark) {
  if (!begin_->run()) return false;
  std::uint64_t position = last_;
  std::size_t bytes = 0;
  for (const Unit* unit : units) {
    ++position;
    writer_.clear();
    writer_(*unit);
    link_ = next_link(link_, position, at_ms, writer_.bytes());
    insert_->bind(position, at_ms, writer_.bytes(), link_);
    if (!insert_->run()) return false;
    bytes += writer_.bytes().size();
  }
  if ((mark && !insert_mark(*mark)) || !commit_->run()) return false;
  bytes_since_snapshot_ += bytes;
  return true;
}

bool Journal::put_mark(const StateMark& mark) {
  const std::lock_guard lock(mutex_);
  if (!is_begun_ || is_lost_ || !insert_mark(mark)) return false;
  marked_ = mark.position;
  return true;
}

// Some at a time: nobody else's code runs under the lock.
Result<void, LogError> Journal::read(std::uint64_t position, const std::function<bool(const LogEntry&)>& each) const {
  constexpr std::uint64_t entries_at_once = 256;
  while (true) {
    std::vector<LogEntry> some;
    bool is_whole = true;
    {
      const std::lock_guard lock(mutex_);
      if (position == 0 || position > last_ + 1) return unexpected(LogError::gone);
      if (position > last_) return {};
      const std::uint64_t last = std::min(last_, position + entries_at_once - 1);
      auto rows =
          file_->prepare("SELECT position, at_ms, unit FROM log WHERE position BETWEEN ? AND ? ORDER BY position");
      if (!rows) return unexpected(LogError::unreadable);
      rows->bind(position, last);
      while (is_whole && rows->next()) {
        auto unit = from_archive<Unit>(rows->bytes(2));
        is_whole = unit.has_value();
        if (unit) some.push_back({.position = rows->number(0), .at_ms = rows->integer(1), .unit = std::move(*unit)});
      }
      is_whole = is_whole && !rows->failed() && !some.empty();
    }
    for (const LogEntry& entry : some)
      if (!each(entry)) return {};
    if (!is_whole) return unexpected(LogError::unreadable);
    position += some.size();
  }
}

std::vector<StateMark> Journal::marks(std::uint64_t position) const {
  const std::lock_guard lock(mutex_);
  std::vector<StateMark> marks;
  if (!file_) return marks;
  auto rows = file_->prepare("SELECT position, state_hash FROM marks WHERE position BETWEEN ? AND ? ORDER BY position");
  if (!rows) return marks;
  rows->bind(position, last_);
  while (rows->next()) marks.push_back({.position = rows->number(0), .state_hash = rows->number(1)});
  return marks;
}

Result<std::optional<Snapshot>, LogError> Journal::snapshot_before(std::uint64_t position) const {
  const std::lock_guard lock(mutex_);
  if (!file_) return std::optional<Snapshot>();
  auto rows = file_->prepare("SELECT position, image FROM snapshots WHERE position < ? ORDER BY position DESC");
  if (!rows) return std::optional<Snapshot>();
  rows->bind(std::min(position, last_ + 1));
  while (rows->next()) {
    const std::uint64_t found = rows->number(0);
    const bool counts = std::ranges::find(dropped_snapshots_, found) == dropped_snapshots_.end();
    if (counts) return std::optional(Snapshot{.position = found, .image = std::string(rows->bytes(1))});
  }
  return std::optional<Snapshot>();
}

bool Journal::wants_snapshot() const {
  const std::lock_guard lock(mutex_);
  return is_begun_ && !is_lost_ && last_ > snapshot_at_ &&
         (last_ >= snapshot_at_ + limits::snapshot_entries || bytes_since_snapshot_ >= limits::snapshot_log_bytes);
}

Result<void, std::string> Journal::put_snapshot(const Snapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  if (is_lost_) return unexpected(problem());  // that of the append that lost it
  const auto fail = [this] {
    const std::string why = file_->problem();
    file_->roll_back();
    return unexpected(why);
  };
  auto insert = file_->prepare("INSERT OR REPLACE INTO snapshots (position, image, seal) VALUES (?, ?, ?)");
  auto drop = file_->prepare(
      "DELETE FROM snapshots WHERE position NOT IN (SELECT position FROM snapshots ORDER BY position DESC LIMIT ?)");
  if (!insert || !drop || !begin_->run()) return fail();
  insert->bind(snapshot.position, snapshot.image, seal_of(snapshot));
  drop->bind(limits::snapshots_kept);
  if (!insert->run() || !drop->run() || !commit_->run()) return fail();
  snapshot_at_ = snapshot.position;
  bytes_since_snapshot_ = 0;
  return {};
}

// Opening a journal: what is checked before anything of it is believed.

Result<std::unique_ptr<Journal>, std::string> Journal::open(const std::filesystem::path& path, const LogFacts& facts,
                                                            const DiskName& disk) {
  std::filesystem::path beside = path;
  beside.replace_extension(".ack");
  auto acknowledged = SVC_TRY(AcknowledgementFile::open(beside, disk));
  auto journal = std::make_unique<Journal>(path, facts, disk, std::move(acknowledged));
  SVC_TRY(journal->is_there() ? journal->check() : journal->check_absent());
  return journal;
}

bool Journal::is_there() const {
  if (!DiskFile::is_there(path_, disk_)) return false;
  // A rollback journal beside it is of the first steps of its creation: afterwards there is a write-ahead log instead.
  const bool was_created = acknowledged_.latest() || !acknowledged_.was_empty();
  return was_created || !DiskFile::is_there(path_.string() + "-journal", disk_);
}

// Nothing is believed, and nothing written: SQLite would move a write-ahead log that it does not understand out of the
// way for good. (D-655)
Result<void, std::string> Journal::check() {
  if (DiskFile::is_there(path_.string() + "-journal", disk_))
    return damaged("a rollback journal that is not its own lies beside it");
  const std::string log = path_.string() + "-wal";
  if (DiskFile::is_there(log, disk_)) {
    // To SQLite a file without a page is a new one, whose write-ahead log it removes.
    const auto file = SVC_TRY(DiskFile::open(path_, DiskFile::Access::read, disk_));
    if (file.size() < sqlite_page_bytes_min) return damaged("it is cut off, with a write-ahead log beside it");
  }
  if (const auto frame = damaged_frame(log, disk_))
    return damaged("frame " + std::to_string(*frame) + " of its write-ahead log is damaged");
  file_.emplace(SVC_TRY(undamaged(SqliteFile::open(path_, DiskFile::Access::read, disk_))));
  // Nobody else opens the file (state_folder.h), so the index of the log need not be shared.
  SVC_TRY(undamaged(file_->run("PRAGMA locking_mode = EXCLUSIVE")));
  const auto tables = SVC_TRY(undamaged(file_->ask("SELECT count(*) FROM sqlite_master")));
  if (tables == "0") {
    file_.reset();
    return check_absent();
  }
  SVC_TRY(check_kind());
  SVC_TRY(check_facts());
  SVC_TRY(check_entries());
  SVC_TRY(check_marks());
  return check_snapshots();
}

Result<void, std::string> Journal::check_absent() {
  opening_ = facts_.opening;
  link_ = first_link(facts_.identity, facts_.opening);
  if (!DiskFile::is_there(path_, disk_) && DiskFile::is_there(path_.string() + "-wal", disk_))
    return damaged("its write-ahead log is there, and it is not");
  if (const auto known = acknowledged_.latest(); known && known->position > 0)
    return damaged("it is empty, but " + std::to_string(known->position) + " entries were acknowledged");
  if (!acknowledged_.latest() && !acknowledged_.was_empty()) return damaged("the file .ack beside it makes no sense");
  return {};
}

Result<void, std::string> Journal::begin() {
  const std::lock_guard lock(mutex_);
  const bool is_new = !file_;
  file_.reset();  // who reads only sees the file as it was
  const auto fail = [this](const std::string& why) {
    return unexpected("cannot write " + path_.string() + ": " + why);
  };
  // What a killed process wrote may be in the system's memory alone: it is on the disk before it counts.
  for (const std::string& name : {path_.string(), path_.string() + "-wal"}) {
    if (!DiskFile::is_there(name, disk_)) continue;
    auto kept = SVC_TRY(DiskFile::open(name, DiskFile::Access::write, disk_));
    if (!kept.sync() || !DiskFile::sync_folder_of(name, disk_)) return fail("it cannot be synced");
  }
  auto file = SVC_TRY(SqliteFile::open(path_, DiskFile::Access::write, disk_));
  file_.emplace(std::move(file));
  if (auto set = file_->run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      !set)
    return fail(set.error());
  SVC_TRY(is_new ? create() : drop_what_does_not_count());
  SVC_TRY(prepare_statements());
  // What was written and not answered is kept: it is whole.
  if (!acknowledged_.note({.position = last_, .link = link_}, AcknowledgementFile::Sync::yes))
    return fail("the file .ack beside it cannot be written");
  is_begun_ = true;
  return {};
}

Unexpected<std::string> Journal::damaged(const std::string& what) const {
  // Where the folder's lock was deleted.
  if (what == "database is locked")
    return unexpected(path_.string() + ": another process uses it; nothing was changed");
  return unexpected(path_.string() + ": " + what +
                    "; nothing was changed. Put back a copy of the folder, or name another folder to begin anew");
}

Result<void, std::string> Journal::create() {
  const auto fail = [this](const std::string& why) {
    file_->roll_back();
    return unexpected("cannot create " + path_.string() + ": " + why);
  };
  const std::string numbers = "PRAGMA application_id = " + std::to_string(application_id) +
                              "; PRAGMA user_version = " + std::to_string(log_format);
  if (auto done = file_->run(std::string("BEGIN IMMEDIATE; ") + schema + numbers); !done) return fail(done.error());
  auto insert = file_->prepare(
      "INSERT INTO facts (kind, name, value) VALUES (CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT))");
  if (!insert) return fail(insert.error());
  const std::pair<std::string_view, const LogFacts::Names*> kinds[] = {{"identity", &facts_.identity},
                                                                       {"opening", &facts_.opening}};
  for (const auto& [kind, names] : kinds) {
    for (const auto& [name, value] : *names) {
      insert->bind(kind, name, value);
      if (!insert->run()) return fail(file_->problem());
    }
  }
  if (auto done = file_->run("COMMIT"); !done) return fail(done.error());
  return {};
}

// What a commit that failed may have left, whose writers were told so; and snapshots that are damaged. One only saves
// time: every entry is there, and an older one or the beginning leads to the same state. (D-404)
Result<void, std::string> Journal::drop_what_does_not_count() {
  const auto drop = [this](const std::string& table, const std::string& where) -> Result<void, std::string> {
    if (auto done = file_->run("DELETE FROM " + table + " WHERE position " + where); !done)
      return unexpected("cannot write " + path_.string() + ": " + done.error());
    return {};
  };
  if (drops_refused_)
    for (const char* table : {"log", "marks", "snapshots"})
      if (auto done = drop(table, "> " + std::to_string(last_)); !done) return done;
  for (const std::uint64_t position : dropped_snapshots_)
    if (auto done = drop("snapshots", "= " + std::to_string(static_cast<std::int64_t>(position))); !done) return done;
  return {};
}

Result<void, std::string> Journal::check_kind() {
  const auto id = SVC_TRY(undamaged(file_->ask("PRAGMA application_id")));
  if (id != std::to_string(application_id)) return damaged("it is not a journal of svc");
  const auto version = SVC_TRY(undamaged(file_->ask("PRAGMA user_version")));
  if (version != std::to_string(log_format))
    return unexpected(
        path_.string() + ": its format is " + version.value_or("unknown") +
        ", and this program reads and replays format " + std::to_string(log_format) +
        "; nothing was changed. Open it with the version that wrote it, or name another folder to begin anew");
  const auto check = SVC_TRY(undamaged(file_->ask("PRAGMA quick_check(1)")));
  if (check != "ok") return damaged("it is damaged: " + check.value_or("no answer"));
  const auto tables =
      SVC_TRY(undamaged(file_->ask("SELECT group_concat(sql, ';') || ';' FROM "
                                   "(SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid)")));
  if (tables != schema) return damaged("its tables are not those of a journal");
  return {};
}

Result<void, std::string> Journal::check_facts() {
  auto rows = SVC_TRY(undamaged(file_->prepare("SELECT kind, name, value FROM facts ORDER BY kind, name")));
  LogFacts kept;
  while (rows.next()) {
    auto& names = rows.bytes(0) == "identity" ? kept.identity : kept.opening;
    names.emplace(rows.bytes(1), rows.bytes(2));
  }
  if (rows.failed()) return damaged(file_->problem());
  opening_ = kept.opening;
  link_ = first_link(kept.identity, kept.opening);
  // Before the first entry nothing ties the facts; from then on damage to them breaks the chain at once.
  const auto first = file_->ask("SELECT count(*) FROM log");
  if (first && *first == "0" && acknowledged_.latest() && acknowledged_.latest()->link != link_)
    return damaged("what it says about itself was changed");
  for (const auto& [name, value] : facts_.identity) {
    const auto known = kept.identity.find(name);
    if (known == kept.identity.end()) return damaged("it does not say its " + name);
    if (known->second != value)
      return unexpected(path_.string() + " is about " + name + " " + known->second + ", not " + value +
                        ": start it as it was started before, or name another folder");
  }
  return {};
}

Result<void, std::string> Journal::check_entries() {
  const auto known = acknowledged_.latest();
  if (!known && !acknowledged_.was_empty()) return damaged("the file .ack beside it makes no sense");
  if (acknowledged_.is_cut_off()) return damaged("the file .ack beside it is cut off");
  auto rows = SVC_TRY(undamaged(file_->prepare("SELECT position, at_ms, unit, link FROM log ORDER BY position")));
  bool met_known = known && known->position == 0 && known->link == link_;
  while (rows.next()) {
    const std::uint64_t position = last_ + 1;
    drops_refused_ = known && known->refused == Acknowledgement::everything && known->position == last_;
    if (drops_refused_) break;
    if (rows.number(0) != position) return damaged("entry " + std::to_string(position) + " is missing");
    link_ = next_link(link_, position, rows.integer(1), rows.bytes(2));
    if (rows.number(3) != link_)
      return damaged("entry " + std::to_string(position) + " is damaged (its checksum does not fit)");
    last_ = position;
    if (known && known->position == position) met_known = known->link == link_;
  }
  if (rows.failed()) return damaged("entry " + std::to_string(last_ + 1) + " cannot be read: " + file_->problem());
  if (!known && last_ > 0) return damaged("the file .ack beside it is gone or empty");
  if (known && known->position > last_)
    return damaged("entries " + std::to_string(last_ + 1) + " to " + std::to_string(known->position) +
                   " were acknowledged and are gone");
  if (known && !met_known)
    return damaged("entry " + std::to_string(known->position) + " is not the one that was acknowledged");
  // A commit failed, its writers were told so, and the process ended before the next one.
  if (known && known->refused != Acknowledgement::nothing && known->refused == link_) drops_refused_ = true;
  if (drops_refused_) {
    last_ = known->position;
    link_ = known->link;
  }
  return {};
}

Result<void, std::string> Journal::check_marks() {
  auto rows = SVC_TRY(undamaged(file_->prepare("SELECT position, state_hash, seal FROM marks ORDER BY position")));
  while (rows.next()) {
    if (drops_refused_ && rows.integer(0) > static_cast<std::int64_t>(last_)) break;
    const StateMark mark{.position = rows.number(0), .state_hash = rows.number(1)};
    if (rows.number(2) != seal_of(mark) || mark.position > last_)
      return damaged("the state mark of entry " + std::to_string(mark.position) + " is damaged");
    marked_ = mark.position;
  }
  if (rows.failed()) return damaged(file_->problem());
  return {};
}

Result<void, std::string> Journal::check_snapshots() {
  auto rows = SVC_TRY(undamaged(file_->prepare("SELECT position, image, seal FROM snapshots ORDER BY position")));
  while (rows.next()) {
    if (drops_refused_ && rows.integer(0) > static_cast<std::int64_t>(last_)) break;
    const Snapshot snapshot{.position = rows.number(0), .image = std::string(rows.bytes(1))};
    if (rows.number(2) != seal_of(snapshot) || snapshot.position > last_)
      dropped_snapshots_.push_back(snapshot.position);
    else
      snapshot_at_ = snapshot.position;
  }
  if (rows.failed()) return damaged(file_->problem());
  auto since = SVC_TRY(undamaged(file_->prepare("SELECT coalesce(sum(length(unit)), 0) FROM log WHERE position > ?")));
  since.bind(snapshot_at_);
  if (!since.next()) return damaged(file_->problem());
  bytes_since_snapshot_ = since.number(0);
  return {};
}

}  // namespace svc::sim
