// The journal on disk: what it keeps, and what it finds out about a file that was damaged.

#include "sim/sequencer/journal.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <thread>

#include "base/files.h"
#include "base/random.h"
#include "sim/sequencer/full_disk.h"
#include "sim/sequencer/state_folder.h"
#include "sim/temporary_folder.h"
#include "surroundings.h"

namespace svc::sim {
namespace SVC_FILE {

namespace fs = std::filesystem;

constexpr TimestampMs start = 1'700'000'000'000;
const LogFacts facts{.identity = {{"network", "local"}, {"seed", "1"}}, .opening = {{"balance", "100"}}};

Unit unit_of(int number) {
  const auto client = engine::ClientId::from("c" + std::to_string(number));
  engine::PlaceOrder order;
  order.account.bytes.back() = static_cast<std::uint8_t>(number);
  order.params.client_id = *client;
  return {.nonces = {{NonceSequence::requests, order.account, std::uint64_t(number)}}, .body = CommandBody(order)};
}

bool append(Journal& journal, TimestampMs at_ms, std::initializer_list<int> numbers,
            std::optional<StateMark> mark = {}) {
  std::vector<Unit> units;
  for (const int number : numbers) units.push_back(unit_of(number));
  std::vector<const Unit*> pointers;
  for (const Unit& unit : units) pointers.push_back(&unit);
  return journal.append(at_ms, pointers, mark).has_value();
}

// Every entry as bytes, to be compared.
std::vector<std::string> entries_of(const Journal& journal) {
  std::vector<std::string> entries;
  EXPECT_TRUE(journal.read(1, [&](const LogEntry& entry) {
    entries.push_back(std::to_string(entry.position) + ":" + std::to_string(entry.at_ms) + ":" +
                      to_archive(entry.unit));
    return true;
  }));
  return entries;
}

void put_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Every file of a folder, to be compared.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) files[entry.path().filename()] = file_text(entry.path());
  return files;
}

class JournalTest : public ::testing::Test {
 protected:
  std::unique_ptr<Journal> open(const DiskName& disk = {}) {
    auto journal = Journal::open(file, facts, disk);
    EXPECT_TRUE(journal.has_value()) << (journal ? "" : journal.error());
    if (!journal) return nullptr;
    EXPECT_TRUE((*journal)->begin());
    return std::move(*journal);
  }
  // The files as a killed process leaves them: nothing was closed.
  void copy_to(const fs::path& folder) const {
    fs::remove_all(folder);
    fs::copy(files.path, folder);
  }
  // A copy of them, read.
  [[nodiscard]] std::unique_ptr<Journal> open_copy() const {
    copy_to(copy);
    auto found = Journal::open(copy / "local.db", facts);
    EXPECT_TRUE(found.has_value()) << (found ? "" : found.error());
    return found ? std::move(*found) : nullptr;
  }

  TemporaryFolder files;
  TemporaryFolder elsewhere;
  const fs::path file = files.path / "local.db";
  const fs::path copy = elsewhere.path / "copy";
};

TEST_F(JournalTest, KeepsEntriesMarksSnapshotsAndHowItBegan) {
  std::vector<std::string> written;
  {
    const auto journal = open();
    EXPECT_EQ(journal->last_position(), 0u);
    ASSERT_TRUE(append(*journal, start, {1, 2}));
    ASSERT_TRUE(append(*journal, start + 5, {3}, StateMark{.position = 2, .state_hash = 77}));
    ASSERT_TRUE(journal->put_snapshot({.position = 2, .image = "image"}));
    written = entries_of(*journal);
    EXPECT_EQ(written.size(), 3u);
  }
  auto reopened = Journal::open(file, {.identity = facts.identity, .opening = {{"balance", "other"}}});
  ASSERT_TRUE(reopened) << reopened.error();
  EXPECT_EQ(entries_of(**reopened), written);
  EXPECT_EQ((*reopened)->last_position(), 3u);
  EXPECT_EQ((*reopened)->marks(1), (std::vector<StateMark>{{.position = 2, .state_hash = 77}}));
  EXPECT_EQ((*reopened)->latest_snapshot().value()->image, "image");
  EXPECT_EQ((*reopened)->opening(), facts.opening);
  EXPECT_FALSE((*reopened)->read(5, [](const LogEntry&) { return true; }));
  ASSERT_TRUE((*reopened)->begin());
  EXPECT_TRUE(append(**reopened, start + 6, {4}));
}

TEST_F(JournalTest, IsReadableByItsOwnerOnly) {
  const auto journal = open();
  ASSERT_TRUE(append(*journal, start, {1}));
  for (const auto& entry : fs::directory_iterator(files.path))
    EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write) << entry.path();
}

TEST_F(JournalTest, RefusesToBeAboutSomethingElse) {
  { const auto journal = open(); }
  const auto other = Journal::open(file, {.identity = {{"network", "testnet"}, {"seed", "1"}}, .opening = {}});
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().find("is about network local, not testnet"), std::string::npos) << other.error();
}

TEST_F(JournalTest, AKilledProcessLosesNothing) {
  const auto journal = open();
  for (int i = 1; i <= 20; ++i) ASSERT_TRUE(append(*journal, start + i, {i}));
  const auto found = open_copy();
  ASSERT_TRUE(found);
  EXPECT_EQ(entries_of(*found), entries_of(*journal));
}

// The files are damaged in many places, one at a time. Either that is said, or nothing was lost by it.
class DamagedJournal : public JournalTest {
 protected:
  enum class Closed : bool { no, yes };

  // Of a file, one at a time. SVC_BIT_FLIPS asks for more. (docs/reliability.md)
  static std::size_t bit_flips() { return test::setting("SVC_BIT_FLIPS", 150); }

  void write_some(Closed closed) {
    auto journal = open();
    for (int i = 1; i <= 30; ++i) ASSERT_TRUE(append(*journal, start + i, {i, 100 + i}));
    ASSERT_TRUE(append(*journal, start + 31, {31}, StateMark{.position = 60, .state_hash = 5}));
    ASSERT_TRUE(journal->put_snapshot({.position = 40, .image = std::string(3'000, 'x')}));
    written = entries_of(*journal);
    if (closed == Closed::yes) journal.reset();
    copy_to(whole);
  }

  void renew_copy() const {
    fs::remove_all(copy);
    fs::copy(whole, copy);
  }

  // Whether the damage was found. Damage that was not must have changed nothing.
  bool is_found(const std::string& name, const std::string& damaged) {
    renew_copy();
    put_bytes(copy / name, damaged);
    const auto before = files_of(copy);
    auto journal = Journal::open(copy / "local.db", facts);
    EXPECT_EQ(files_of(copy), before) << name;
    if (!journal) {
      EXPECT_NE(journal.error().find(copy.string()), std::string::npos) << journal.error();
      return true;
    }
    EXPECT_EQ((*journal)->last_position(), written.size()) << name;
    EXPECT_EQ(entries_of(**journal), written) << name;
    EXPECT_TRUE((*journal)->begin()) << name;
    EXPECT_EQ(entries_of(**journal), written) << name;
    // A snapshot only saves time: losing it loses nothing.
    const auto snapshot = (*journal)->latest_snapshot().value();
    EXPECT_TRUE(!snapshot || snapshot->image == std::string(3'000, 'x')) << name;
    return false;
  }

  // One bit, at about `places` places; another one each time.
  int flip_bits(const std::string& name, std::size_t places) {
    const std::string original = file_text(whole / name);
    EXPECT_FALSE(original.empty()) << name;
    int found = 0;
    for (std::size_t i = 0; i < places; ++i) {
      const std::size_t at = i * original.size() / places;
      std::string flipped = original;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << (i % 8)));
      found += is_found(name, flipped);
    }
    return found;
  }

  // Flips bits at about `places` places and cuts the file at as many.
  int damage(const std::string& name, std::size_t places) {
    const std::string original = file_text(whole / name);
    EXPECT_FALSE(original.empty()) << name;
    const std::size_t step = std::max<std::size_t>(original.size() / places, 1);
    int found = 0;
    for (std::size_t at = 0; at < original.size(); at += step) {
      std::string flipped = original;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x41);
      found += is_found(name, flipped);
      found += is_found(name, original.substr(0, at));
    }
    return found;
  }

  const fs::path whole = elsewhere.path / "whole";
  std::vector<std::string> written;
};

TEST_F(DamagedJournal, IsFoundInTheWriteAheadLog) {
  write_some(Closed::no);
  EXPECT_GT(damage("local.db-wal", 30), 30);
}

TEST_F(DamagedJournal, IsFoundInTheFileItself) {
  write_some(Closed::yes);
  EXPECT_GT(damage("local.db", 60), 60);
}

TEST_F(DamagedJournal, IsFoundInTheFileItselfBesideItsWriteAheadLog) {
  write_some(Closed::no);
  for (const std::size_t size : {0u, 1u, 2u, 511u}) EXPECT_TRUE(is_found("local.db", std::string(size, 'S'))) << size;
  damage("local.db", 20);
}

TEST_F(DamagedJournal, OfOneBitInTheWriteAheadLogIsFoundAndChangesNothing) {
  write_some(Closed::no);
  EXPECT_GT(flip_bits("local.db-wal", bit_flips()), 100);
}

TEST_F(DamagedJournal, OfOneBitInTheFileItselfIsFoundOrDoesNotMatter) {
  write_some(Closed::yes);
  EXPECT_GT(flip_bits("local.db", bit_flips()), 20);
}

// As after a power failure: the note of what was acknowledged is behind. What is cut off in the last transaction was
// never answered for all anybody knows; a frame before it was safe on the disk.
TEST_F(DamagedJournal, IsToldFromAWriteThatWasCutOff) {
  const auto journal = open();
  for (int i = 1; i <= 3; ++i) ASSERT_TRUE(append(*journal, start + i, {i}));
  const std::string known = file_text(files.path / "local.ack");
  const std::size_t log_before = file_text(files.path / "local.db-wal").size();
  ASSERT_TRUE(append(*journal, start + 4, {4, 5}));
  const std::size_t log_after = file_text(files.path / "local.db-wal").size();
  ASSERT_TRUE(append(*journal, start + 5, {6}));
  copy_to(whole);
  put_bytes(whole / "local.ack", known);
  const std::string log = file_text(whole / "local.db-wal");
  const auto open_with = [&](const std::string& bytes) {
    renew_copy();
    put_bytes(copy / "local.db-wal", bytes);
    return Journal::open(copy / "local.db", facts);
  };
  for (std::size_t size = log_before; size < log.size(); size += 97) {
    const auto cut = open_with(log.substr(0, size));
    ASSERT_TRUE(cut) << size << cut.error();
    EXPECT_EQ((*cut)->last_position(), size < log_after ? 3u : 5u) << size;
  }
  for (std::size_t at = log_after; at < log.size(); at += 97) {
    std::string torn = log;
    torn[at] = static_cast<char>(torn[at] ^ 1);
    const auto journal_without_it = open_with(torn);
    ASSERT_TRUE(journal_without_it) << at << journal_without_it.error();
    EXPECT_EQ((*journal_without_it)->last_position(), 5u) << at;
  }
  for (std::size_t at = log_before; at < log_before + 4'000; at += 97) {
    std::string damaged = log;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const auto refused = open_with(damaged);
    ASSERT_FALSE(refused) << at;
    EXPECT_NE(refused.error().find("of its write-ahead log is damaged"), std::string::npos) << refused.error();
  }
}

TEST_F(DamagedJournal, IsFoundInTheAcknowledgementOrDoesNotMatter) {
  write_some(Closed::no);
  // One of the two slots may be lost: the other one knows a little less.
  EXPECT_GT(damage("local.ack", 20), 1);
}

TEST_F(DamagedJournal, IsFoundWhenAFileIsMissing) {
  write_some(Closed::no);
  for (const char* name : {"local.db", "local.db-wal", "local.ack"}) {
    renew_copy();
    fs::remove(copy / name);
    EXPECT_FALSE(Journal::open(copy / "local.db", facts)) << name;
  }
}

TEST_F(DamagedJournal, IsFoundWhenEntriesAreReplacedRemovedOrSwapped) {
  write_some(Closed::yes);
  const std::string edits[] = {
      "DELETE FROM log WHERE position = 7",
      "DELETE FROM log WHERE position > 50",
      "UPDATE log SET at_ms = at_ms + 1 WHERE position = 9",
      "UPDATE log SET unit = (SELECT unit FROM log WHERE position = 3) WHERE position = 4",
      "UPDATE log SET position = 0 WHERE position = 5",
      "UPDATE marks SET state_hash = 1",
      "UPDATE facts SET value = '2' WHERE name = 'balance'",
      "PRAGMA user_version = " + std::to_string(log_format + 1),
      "PRAGMA application_id = 2",
      "ALTER TABLE marks RENAME COLUMN seal TO deal",
  };
  for (const std::string& edit : edits) {
    renew_copy();
    {
      auto database = SqliteFile::open(copy / "local.db");
      ASSERT_TRUE(database && database->run(edit)) << edit;
    }
    const auto journal = Journal::open(copy / "local.db", facts);
    EXPECT_FALSE(journal) << edit;
  }
}

// Its entries would replay to another state than the one that was told.
TEST_F(JournalTest, AWriteAheadLogAloneIsRefusedAndLeftAsItIs) {
  {
    const auto journal = open();
    ASSERT_TRUE(append(*journal, start, {1, 2}));
    copy_to(copy);
  }
  fs::remove(copy / "local.db");
  fs::remove(copy / "local.ack");
  const auto before = files_of(copy);
  ASSERT_TRUE(before.contains("local.db-wal"));
  EXPECT_FALSE(Journal::open(copy / "local.db", facts).has_value());
  EXPECT_EQ(files_of(copy), before);
}

TEST_F(JournalTest, OneOfAnEarlierFormatIsRefusedAndLeftAsItIs) {
  {
    const auto journal = open();
    ASSERT_TRUE(append(*journal, start, {1, 2, 3}));
  }
  {
    auto database = SqliteFile::open(file);
    ASSERT_TRUE(database && database->run("PRAGMA user_version = 1"));
  }
  const auto journal = Journal::open(file, facts);
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error(),
            file.string() +
                ": its format is 1, and this program reads and replays format 12; nothing was changed. Open it "
                "with the version that wrote it, or name another folder to begin anew");
}

TEST_F(JournalTest, WhatIsTooLargeForItsFileIsRefusedWithTheReason) {
  constexpr std::size_t bytes = 1'100'000'000;  // never touched: they need no memory
  void* const pages = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto database = SqliteFile::open(file);
  ASSERT_TRUE(database && database->run("CREATE TABLE things (thing BLOB)"));
  auto insert = database->prepare("INSERT INTO things (thing) VALUES (?)");
  insert->bind(std::string_view(static_cast<const char*>(pages), bytes));
  EXPECT_TRUE(!insert->next() && insert->failed());
  EXPECT_EQ(database->problem(), "string or blob too big");
  insert->reset();
  insert->bind("small");
  EXPECT_TRUE(insert->run());
  EXPECT_EQ(*database->ask("SELECT group_concat(thing) FROM things"), "small");
  ::munmap(pages, bytes);
}

TEST_F(JournalTest, AsksForASnapshotOnceTheEntriesSinceTheLastOneAreManyBytes) {
  const Unit image{.body = Image{std::string(limits::snapshot_log_bytes / 2, 'x')}};
  const Unit* const units[] = {&image};
  {
    const auto journal = open();
    ASSERT_TRUE(journal->append(start, units, {}));
    EXPECT_FALSE(journal->wants_snapshot());
    ASSERT_TRUE(journal->append(start, units, {}));
    EXPECT_TRUE(journal->wants_snapshot());
    ASSERT_TRUE(journal->put_snapshot({.position = 2, .image = "whole"}));
    EXPECT_FALSE(journal->wants_snapshot());
    ASSERT_TRUE(journal->append(start, units, {}));
  }
  const auto journal = open();
  EXPECT_FALSE(journal->wants_snapshot());
  ASSERT_TRUE(journal->append(start, units, {}));
  EXPECT_TRUE(journal->wants_snapshot()) << "the bytes of the run before count";
}

TEST_F(JournalTest, ADamagedSnapshotIsDroppedAndTheOlderOneTakesItsPlace) {
  {
    const auto journal = open();
    ASSERT_TRUE(append(*journal, start, {1, 2, 3}));
    ASSERT_TRUE(journal->put_snapshot({.position = 1, .image = "older"}));
    ASSERT_TRUE(journal->put_snapshot({.position = 2, .image = "newer"}));
  }
  {
    auto database = SqliteFile::open(file);
    ASSERT_TRUE(database && database->run("UPDATE snapshots SET image = x'00' WHERE position = 2"));
  }
  {
    const auto journal = open();
    EXPECT_EQ(journal->dropped_snapshots(), std::vector<std::uint64_t>{2});
    EXPECT_EQ(journal->latest_snapshot().value()->image, "older");
    EXPECT_EQ(entries_of(*journal).size(), 3u);
  }
  EXPECT_EQ(open()->dropped_snapshots(), std::vector<std::uint64_t>{});
}

// The links of a journal's entries, the one before the first included.
std::vector<std::uint64_t> links_of(const Journal& journal, const LogFacts& facts) {
  std::vector links{first_link(facts.identity, facts.opening)};
  EXPECT_TRUE(journal.read(1, [&](const LogEntry& entry) {
    links.push_back(next_link(links.back(), entry.position, entry.at_ms, to_archive(entry.unit)));
    return true;
  }));
  return links;
}

TEST_F(JournalTest, AnAnswerThatWasRefusedIsNotThereAfterARestart) {
  const auto journal = open();
  ASSERT_TRUE(append(*journal, start, {1}));
  ASSERT_TRUE(append(*journal, start, {2}));
  const auto links = links_of(*journal, facts);
  for (const std::uint64_t refused : {links[2], Acknowledgement::everything}) {
    // As if the second commit had failed after it came to the disk.
    copy_to(copy);
    auto acknowledged = AcknowledgementFile::open(copy / "local.ack");
    ASSERT_TRUE(acknowledged && acknowledged->note({.position = 1, .link = links[1], .refused = refused},
                                                   AcknowledgementFile::Sync::yes));
    const auto found = Journal::open(copy / "local.db", facts);
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ((*found)->last_position(), 1u);
    ASSERT_TRUE((*found)->begin());
    EXPECT_TRUE(append(**found, start, {3}));
  }
}

TEST_F(JournalTest, EntriesAfterARefusedCommitStayWhenTheirNoteIsDamaged) {
  const auto journal = open();
  ASSERT_TRUE(append(*journal, start, {1}));
  ASSERT_TRUE(append(*journal, start, {2}));
  const auto links = links_of(*journal, facts);
  const std::uint64_t refused_link = next_link(links[1], 2, start, "another unit");
  copy_to(copy);
  auto acknowledged = AcknowledgementFile::open(copy / "local.ack");
  ASSERT_TRUE(acknowledged && acknowledged->note({.position = 1, .link = links[1], .refused = refused_link},
                                                 AcknowledgementFile::Sync::yes));
  const auto found = Journal::open(copy / "local.db", facts);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ((*found)->last_position(), 2u);
}

TEST_F(JournalTest, AnAcknowledgementFileThatIsCutOffIsDamage) {
  const auto journal = open();
  ASSERT_TRUE(append(*journal, start, {1}));  // its note is the second: it stands in the first slot
  ASSERT_TRUE(append(*journal, start, {2}));
  ASSERT_TRUE(append(*journal, start, {3}));
  copy_to(copy);
  for (const std::uintmax_t size : {79u, 41u, 40u, 39u, 1u, 0u}) {
    std::filesystem::resize_file(copy / "local.ack", size);
    EXPECT_FALSE(Journal::open(copy / "local.db", facts)) << size;
  }
}

TEST_F(JournalTest, AFullDiskRefusesAndTheJournalGoesOnWhenThereIsRoomAgain) {
  const auto journal = open();
  ASSERT_TRUE(append(*journal, start, {1}));
  {
    const FullDisk full;
    EXPECT_FALSE(append(*journal, start, {2, 3}));
    EXPECT_FALSE(append(*journal, start, {4}));
    EXPECT_EQ(entries_of(*journal).size(), 1u);
  }
  EXPECT_FALSE(journal->problem().empty());
  EXPECT_EQ(journal->last_position(), 1u);
  ASSERT_TRUE(append(*journal, start, {5}));
  const auto found = open_copy();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->last_position(), 2u);
}

// The machine's disk, but the next `failing_writes` of what stands beside a journal fail, and the next
// `failing_log_writes` of its write-ahead log.
class DiskWithoutNotes {
 public:
  DiskWithoutNotes() {
    base() = sqlite3_vfs_find(nullptr);
    vfs_ = *base();
    vfs_.zName = "without-notes";
    vfs_.pNext = nullptr;
    vfs_.xOpen = [](sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
      const int opened = base()->xOpen(base(), name, file, flags, out);
      if (opened == SQLITE_OK && (flags & SQLITE_OPEN_WAL) != 0) fail_in<failing_log_writes>(file);
      if (opened == SQLITE_OK && (flags & SQLITE_OPEN_SUPER_JOURNAL) != 0) fail_in<failing_writes>(file);
      return opened;
    };
    sqlite3_vfs_register(&vfs_, 0);
  }
  DiskWithoutNotes(const DiskWithoutNotes&) = delete;
  DiskWithoutNotes& operator=(const DiskWithoutNotes&) = delete;
  ~DiskWithoutNotes() { sqlite3_vfs_unregister(&vfs_); }

  static inline int failing_writes = 0;
  static inline int failing_log_writes = 0;

 private:
  static sqlite3_vfs*& base() {
    static sqlite3_vfs* vfs = nullptr;
    return vfs;
  }
  template <int& failing>
  static void fail_in(sqlite3_file* file) {
    static sqlite3_io_methods methods;
    static int (*write)(sqlite3_file*, const void*, int, sqlite3_int64);
    methods = *file->pMethods;
    write = methods.xWrite;
    methods.xWrite = [](sqlite3_file* to, const void* bytes, int size, sqlite3_int64 at) {
      return failing > 0 && failing-- > 0 ? SQLITE_IOERR_WRITE : write(to, bytes, size, at);
    };
    file->pMethods = &methods;
  }

  sqlite3_vfs vfs_{};
};

TEST_F(JournalTest, WhatCannotBeNotedIsTakenBackAndRefused) {
  const DiskWithoutNotes disk;
  std::vector<std::string> written;
  {
    const auto journal = open("without-notes");
    ASSERT_TRUE(append(*journal, start, {1}));
    DiskWithoutNotes::failing_writes = 1'000;
    EXPECT_FALSE(append(*journal, start + 1, {2, 3}));
    EXPECT_EQ(journal->last_position(), 1u);
    DiskWithoutNotes::failing_writes = 0;
    ASSERT_TRUE(append(*journal, start + 2, {4}));
    written = entries_of(*journal);
    copy_to(copy);
  }
  const auto found = Journal::open(copy / "local.db", facts);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(entries_of(**found), written);
}

TEST_F(JournalTest, WhatWasTakenBackStaysAwayWhenTheDeletionIsDamaged) {
  const DiskWithoutNotes disk;
  const auto journal = open("without-notes");
  ASSERT_TRUE(append(*journal, start, {1}));
  DiskWithoutNotes::failing_writes = 1;
  EXPECT_FALSE(append(*journal, start + 1, {2}));
  copy_to(copy);
  std::string log = file_text(copy / "local.db-wal");
  log.back() = static_cast<char>(log.back() ^ 1);
  put_bytes(copy / "local.db-wal", log);
  const auto found = Journal::open(copy / "local.db", facts);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ((*found)->last_position(), 1u);
}

TEST_F(JournalTest, WhatIsAcknowledgedAfterTwoRefusalsOutlivesDamageToItsNote) {
  const DiskWithoutNotes disk;
  const auto journal = open("without-notes");
  ASSERT_TRUE(append(*journal, start, {1}));
  for (const int refused : {2, 3}) {
    DiskWithoutNotes::failing_log_writes = 1;
    EXPECT_FALSE(append(*journal, start + 1, {refused}));
  }
  ASSERT_TRUE(append(*journal, start + 2, {4}));
  copy_to(copy);
  const std::string notes = file_text(copy / "local.ack");
  for (std::size_t at = 0; at < notes.size(); ++at) {
    std::string damaged = notes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    put_bytes(copy / "local.ack", damaged);
    const auto found = Journal::open(copy / "local.db", facts);
    ASSERT_TRUE(found) << at << found.error();
    EXPECT_EQ((*found)->last_position(), 2u) << at;
  }
}

TEST(StateFolder, BelongsToOneProcessAtATime) {
  const TemporaryFolder folder;
  const fs::path state = folder.path / "state";
  {
    const auto first = StateFolder::open(state);
    ASSERT_TRUE(first) << first.error();
    EXPECT_EQ(fs::status(state).permissions(), fs::perms::owner_all);
    const auto second = StateFolder::open(state);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(),
              "--state: process " + std::to_string(::getpid()) + " uses " + state.string() + " already");
  }
  EXPECT_TRUE(StateFolder::open(state));
}

TEST(StateFolder, EachFolderThatItMakesIsItsOwnersOnly) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(0);
  const auto state = StateFolder::open(folder.path / "deep" / "er");
  ::umask(before);
  ASSERT_TRUE(state) << state.error();
  for (const char* made : {"deep", "deep/er"})
    EXPECT_EQ(fs::status(folder.path / made).permissions(), fs::perms::owner_all) << made;
}

TEST(StateFolder, IsHadAsSoonAsItsHolderIsGone) {
  const TemporaryFolder folder;
  auto first = std::make_optional(StateFolder::open(folder.path));
  ASSERT_TRUE(*first);
  std::vector<std::string> reasons;
  const auto second = StateFolder::open(folder.path, [&](const std::string& reason) {
    reasons.push_back(reason);
    if (reasons.size() == 2) first.reset();
    return reasons.size() < 5;
  });
  EXPECT_TRUE(second);
  const std::string held = "process " + std::to_string(::getpid()) + " uses " + folder.path.string();
  EXPECT_EQ(reasons, std::vector<std::string>(2, held));
  EXPECT_FALSE(StateFolder::open(folder.path, [](const std::string&) { return false; }));
}

TEST(StateFolder, HasPlainFilesOnly) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path / "snapshots");
  put_bytes(folder.path / "lock", "123\n");
  for (const fs::path& name : {folder.path / "local.db", folder.path / "snapshots" / "one.json"}) {
    fs::create_symlink(folder.path / "elsewhere", name);
    const auto linked = StateFolder::open(folder.path);
    ASSERT_FALSE(linked);
    EXPECT_EQ(linked.error(), "--state: " + name.string() + " is no plain file");
    fs::remove(name);
    ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
    EXPECT_FALSE(StateFolder::open(folder.path));
    fs::remove(name);
  }
  EXPECT_EQ(file_text(folder.path / "lock"), "123\n");
  EXPECT_TRUE(StateFolder::open(folder.path));
}

TEST(StateFolder, ChangesNoFileThatIsNotItsLock) {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  const fs::path lock = folder.path / "lock";
  for (const std::string& text : {std::string(1'000, '7'), std::string("a list of mine\n")}) {
    put_bytes(lock, text);
    const auto refused = StateFolder::open(folder.path);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(),
              "--state: " + lock.string() + " is not the lock of a sandbox; if nobody needs it, remove it");
    EXPECT_EQ(file_text(lock), text);
  }
  fs::remove(lock);
  const fs::path precious = elsewhere.path / "precious";
  fs::create_symlink(precious, lock);
  EXPECT_FALSE(StateFolder::open(folder.path));
  EXPECT_FALSE(fs::exists(precious)) << "it was not made";
  put_bytes(precious, std::string(1'000, 'x'));
  EXPECT_FALSE(StateFolder::open(folder.path));
  EXPECT_EQ(fs::file_size(precious), 1'000u);
}

// As the files of SQLite are, which another sandbox has open.
TEST(StateFolder, OpensWhileFilesOfItComeAndGo) {
  const TemporaryFolder folder;
  const std::jthread other([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      put_bytes(folder.path / "local.db-wal", "x");
      fs::remove(folder.path / "local.db-wal");
    }
  });
  for (int tries = 0; tries < 3'000; ++tries) {
    const auto opened = StateFolder::open(folder.path);
    ASSERT_TRUE(opened) << opened.error();
  }
}

TEST(StateFolder, OpensThoughAPowerCutLeftZerosInItsLock) {
  const TemporaryFolder folder;
  for (const std::string& text : {std::string(), std::string(5, '\0'), std::string("12\0\0\n", 5)}) {
    put_bytes(folder.path / "lock", text);
    const auto opened = StateFolder::open(folder.path);
    EXPECT_TRUE(opened) << opened.error();
  }
}

TEST(StateFolder, ThatWasOnlyLookedAtIsAsItWas) {
  const TemporaryFolder folder;
  put_bytes(folder.path / "lock", "123\n");
  { const auto looked = StateFolder::open(folder.path); }
  EXPECT_EQ(file_text(folder.path / "lock"), "123\n");
  {
    auto used = StateFolder::open(folder.path);
    ASSERT_TRUE(used);
    used->use();
  }
  EXPECT_EQ(file_text(folder.path / "lock"), std::to_string(::getpid()) + "\n");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
