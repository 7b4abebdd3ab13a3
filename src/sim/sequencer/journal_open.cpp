// Opening a journal: what is checked before anything of it is believed.

#include <utility>

#include "base/limits.h"
#include "sim/sequencer/chain.h"
#include "sim/sequencer/journal.h"
#include "sim/sequencer/journal_seals.h"
#include "sim/sequencer/write_ahead_log.h"

namespace svc::sim {
namespace {

using Step = SqliteStatement::Step;

constexpr std::int64_t application_id = 0x73766331;  // "svc1"
// Moves with the bytes of a unit, and with the rules by which units are replayed. (D-700)
constexpr std::int64_t format_version = 2;

constexpr const char* schema =
    "CREATE TABLE facts (kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, name))"
    " WITHOUT ROWID;"
    "CREATE TABLE log (position INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, unit BLOB NOT NULL,"
    " link INTEGER NOT NULL);"
    "CREATE TABLE marks (position INTEGER PRIMARY KEY, state_hash INTEGER NOT NULL, seal INTEGER NOT NULL);"
    "CREATE TABLE snapshots (position INTEGER PRIMARY KEY, image BLOB NOT NULL, seal INTEGER NOT NULL);";

std::string count(std::uint64_t value) {
  return std::to_string(value);
}

}  // namespace

Result<std::unique_ptr<Journal>, std::string> Journal::open(const std::filesystem::path& path,
                                                            const JournalFacts& facts, const DiskName& disk) {
  std::filesystem::path beside = path;
  beside.replace_extension(".ack");
  auto acknowledged = SVC_TRY(AcknowledgementFile::open(beside, disk));
  auto journal = std::make_unique<Journal>(Parts{path, disk, facts, std::move(acknowledged)});
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
    return unexpected(damaged("a rollback journal that is not its own lies beside it"));
  if (const auto frame = damaged_frame(path_.string() + "-wal", disk_))
    return unexpected(damaged("frame " + count(*frame) + " of its write-ahead log is damaged"));
  auto file = SqliteFile::open(path_, DiskFile::Access::read, disk_);
  if (!file) return unexpected(damaged(file.error()));
  file_.emplace(std::move(*file));
  // Nobody else opens the file (state_folder.h), so the index of the log need not be shared.
  if (auto set = file_->run("PRAGMA locking_mode = EXCLUSIVE"); !set) return unexpected(damaged(set.error()));
  const auto tables = file_->ask("SELECT count(*) FROM sqlite_master");
  if (!tables) return unexpected(damaged(tables.error()));
  if (**tables == "0") {
    file_.reset();
    return check_absent();
  }
  using Check = Result<void, std::string>;
  if (Check fits = check_kind(); !fits) return fits;
  if (Check fits = check_facts(); !fits) return fits;
  if (Check whole = check_entries(); !whole) return whole;
  if (Check whole = check_marks(); !whole) return whole;
  return check_snapshots();
}

Result<void, std::string> Journal::check_absent() {
  opening_ = facts_.opening;
  link_ = first_link(facts_.identity, facts_.opening);
  if (const auto known = acknowledged_.latest(); known && known->position > 0)
    return unexpected(damaged("it is empty, but " + count(known->position) + " entries were acknowledged"));
  if (!acknowledged_.latest() && !acknowledged_.was_empty())
    return unexpected(damaged("the file .ack beside it makes no sense"));
  return {};
}

Result<void, std::string> Journal::begin() {
  const std::lock_guard lock(mutex_);
  const bool is_new = !file_;
  file_.reset();  // who reads only sees the file as it was
  const auto fail = [this](const std::string& why) {
    return unexpected("cannot write " + path_.string() + ": " + why);
  };
  auto file = SVC_TRY(SqliteFile::open(path_, DiskFile::Access::write, disk_));
  file_.emplace(std::move(file));
  if (auto set = file_->run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      !set)
    return fail(set.error());
  if (auto done = is_new ? create() : drop_what_does_not_count(); !done) return done;
  if (auto prepared = prepare_statements(); !prepared) return prepared;
  // What was written and not answered is kept: it is whole.
  if (!acknowledged_.note({.position = last_, .link = link_}, AcknowledgementFile::Sync::yes))
    return fail("the file .ack beside it cannot be written");
  is_begun_ = true;
  return {};
}

std::string Journal::damaged(const std::string& what) const {
  return path_.string() + ": " + what +
         "; nothing was changed. Put back a copy of the folder, or name another folder to begin anew";
}

Result<void, std::string> Journal::create() {
  const auto fail = [this](const std::string& why) {
    file_->roll_back();
    return unexpected("cannot create " + path_.string() + ": " + why);
  };
  const std::string numbers = "PRAGMA application_id = " + std::to_string(application_id) +
                              "; PRAGMA user_version = " + std::to_string(format_version);
  if (auto done = file_->run(std::string("BEGIN IMMEDIATE; ") + schema + numbers); !done) return fail(done.error());
  auto insert = file_->prepare("INSERT INTO facts (kind, name, value) VALUES (?, ?, ?)");
  if (!insert) return fail(insert.error());
  const std::pair<std::string_view, const JournalFacts::Names*> kinds[] = {{"identity", &facts_.identity},
                                                                           {"opening", &facts_.opening}};
  for (const auto& [kind, names] : kinds) {
    for (const auto& [name, value] : *names) {
      insert->bind_text(1, kind).bind_text(2, name).bind_text(3, value);
      if (insert->step() != Step::done) return fail(file_->problem());
      insert->reset();
    }
  }
  if (auto done = file_->run("COMMIT"); !done) return fail(done.error());
  return {};
}

// A commit failed, its writers were told so, and the process ended before the next one.
bool Journal::was_refused(std::int64_t position) const {
  const auto known = acknowledged_.latest();
  return known && known->refused && position > static_cast<std::int64_t>(known->position);
}

// What a commit that failed may have left, whose writers were told so; and snapshots that are damaged. One only saves
// time: every entry is there, and an older one or the beginning leads to the same state. (D-404)
Result<void, std::string> Journal::drop_what_does_not_count() {
  const auto drop = [this](const std::string& table, const std::string& where) -> Result<void, std::string> {
    if (auto done = file_->run("DELETE FROM " + table + " WHERE position " + where); !done)
      return unexpected("cannot write " + path_.string() + ": " + done.error());
    return {};
  };
  if (acknowledged_.latest() && acknowledged_.latest()->refused)
    for (const char* table : {"log", "marks", "snapshots"})
      if (auto done = drop(table, "> " + count(last_)); !done) return done;
  for (const std::uint64_t position : dropped_snapshots_)
    if (auto done = drop("snapshots", "= " + std::to_string(static_cast<std::int64_t>(position))); !done) return done;
  return {};
}

Result<void, std::string> Journal::check_kind() {
  const auto id = file_->ask("PRAGMA application_id");
  if (!id) return unexpected(damaged(id.error()));
  if (*id != std::to_string(application_id)) return unexpected(damaged("it is not a journal of svc"));
  const auto version = file_->ask("PRAGMA user_version");
  if (!version) return unexpected(damaged(version.error()));
  if (*version != std::to_string(format_version))
    return unexpected(
        path_.string() + ": its format is " + version->value_or("unknown") +
        ", and this program reads and replays format " + std::to_string(format_version) +
        "; nothing was changed. Open it with the version that wrote it, or name another folder to begin anew");
  const auto check = file_->ask("PRAGMA quick_check(1)");
  if (!check) return unexpected(damaged(check.error()));
  if (*check != "ok") return unexpected(damaged("it is damaged: " + check->value_or("no answer")));
  const auto tables = file_->ask(
      "SELECT group_concat(sql, ';') || ';' FROM (SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid)");
  if (!tables) return unexpected(damaged(tables.error()));
  if (*tables != schema) return unexpected(damaged("its tables are not those of a journal"));
  return {};
}

Result<void, std::string> Journal::check_facts() {
  auto rows = file_->prepare("SELECT kind, name, value FROM facts ORDER BY kind, name");
  if (!rows) return unexpected(damaged(rows.error()));
  JournalFacts kept;
  Step step = rows->step();
  for (; step == Step::row; step = rows->step()) {
    auto& names = rows->bytes(0) == "identity" ? kept.identity : kept.opening;
    names.emplace(rows->bytes(1), rows->bytes(2));
  }
  if (step == Step::failed) return unexpected(damaged(file_->problem()));
  opening_ = kept.opening;
  link_ = first_link(kept.identity, kept.opening);
  // Before the first entry nothing ties the facts; from then on damage to them breaks the chain at once.
  const auto first = file_->ask("SELECT count(*) FROM log");
  if (first && *first == "0" && acknowledged_.latest() && acknowledged_.latest()->link != link_)
    return unexpected(damaged("what it says about itself was changed"));
  for (const auto& [name, value] : facts_.identity) {
    const auto known = kept.identity.find(name);
    if (known == kept.identity.end()) return unexpected(damaged("it does not say its " + name));
    if (known->second != value)
      return unexpected(path_.string() + " is about " + name + " " + known->second + ", not " + value +
                        ": start it as it was started before, or name another folder");
  }
  return {};
}

Result<void, std::string> Journal::check_entries() {
  const auto known = acknowledged_.latest();
  if (!known && !acknowledged_.was_empty()) return unexpected(damaged("the file .ack beside it makes no sense"));
  auto rows = file_->prepare("SELECT position, at_ms, unit, link FROM log ORDER BY position");
  if (!rows) return unexpected(damaged(rows.error()));
  bool met_known = known && known->position == 0 && known->link == link_;
  Step step = rows->step();
  for (; step == Step::row; step = rows->step()) {
    const std::uint64_t position = last_ + 1;
    if (was_refused(rows->integer(0))) break;
    if (rows->integer(0) != static_cast<std::int64_t>(position))
      return unexpected(damaged("entry " + count(position) + " is missing"));
    link_ = next_link(link_, position, rows->integer(1), rows->bytes(2));
    if (rows->integer(3) != static_cast<std::int64_t>(link_))
      return unexpected(damaged("entry " + count(position) + " is damaged (its checksum does not fit)"));
    last_ = position;
    if (known && known->position == position) met_known = known->link == link_;
  }
  if (step == Step::failed)
    return unexpected(damaged("entry " + count(last_ + 1) + " cannot be read: " + file_->problem()));
  if (!known && last_ > 0) return unexpected(damaged("the file .ack beside it is gone"));
  if (known && known->position > last_)
    return unexpected(
        damaged("entries " + count(last_ + 1) + " to " + count(known->position) + " were acknowledged and are gone"));
  if (known && !met_known)
    return unexpected(damaged("entry " + count(known->position) + " is not the one that was acknowledged"));
  return {};
}

Result<void, std::string> Journal::check_marks() {
  auto rows = file_->prepare("SELECT position, state_hash, seal FROM marks ORDER BY position");
  if (!rows) return unexpected(damaged(rows.error()));
  Step step = rows->step();
  for (; step == Step::row; step = rows->step()) {
    if (was_refused(rows->integer(0))) break;
    const StateMark mark{.position = static_cast<std::uint64_t>(rows->integer(0)),
                         .state_hash = static_cast<std::uint64_t>(rows->integer(1))};
    if (rows->integer(2) != static_cast<std::int64_t>(seal_of(mark)) || mark.position > last_)
      return unexpected(damaged("the state mark of entry " + count(mark.position) + " is damaged"));
    marked_ = mark.position;
  }
  if (step == Step::failed) return unexpected(damaged(file_->problem()));
  return {};
}

Result<void, std::string> Journal::check_snapshots() {
  auto rows = file_->prepare("SELECT position, image, seal FROM snapshots ORDER BY position");
  if (!rows) return unexpected(damaged(rows.error()));
  Step step = rows->step();
  for (; step == Step::row; step = rows->step()) {
    if (was_refused(rows->integer(0))) break;
    const Snapshot snapshot{.position = static_cast<std::uint64_t>(rows->integer(0)),
                            .image = std::string(rows->bytes(1))};
    if (rows->integer(2) != static_cast<std::int64_t>(seal_of(snapshot)) || snapshot.position > last_)
      dropped_snapshots_.push_back(snapshot.position);
    else
      snapshot_at_ = snapshot.position;
  }
  if (step == Step::failed) return unexpected(damaged(file_->problem()));
  return {};
}

}  // namespace svc::sim
