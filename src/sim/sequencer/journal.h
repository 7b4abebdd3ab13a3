// The command log on disk: one SQLite file in write-ahead mode, described in docs/journal_format.md.
//
// Promises
//   - append() returns when the units are on the disk; a process that is killed at any instant, and a machine
//     that loses power, lose none of them
//   - what append() refused is not there, now or after a restart
//   - an entry that is torn, changed, missing or out of its place is found when the journal is opened, and
//     then it is not opened: the error names the entry
//   - until begin() no byte on the disk is changed: who opens a journal may still refuse what it says
//
// Appending is the sequencer's; everything else may come from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/archive.h"
#include "base/lock_order.h"
#include "base/result.h"
#include "sim/sequencer/acknowledgement.h"
#include "sim/sequencer/command_log.h"
#include "sim/sequencer/sqlite_file.h"

namespace svc::sim {

// What a journal is about, by name.
struct JournalFacts {
  using Names = std::map<std::string, std::string>;

  Names identity{};  // must be the same whenever the journal is opened: network, seed, ...
  Names opening{};   // how it began: kept as it was the first time, whatever is said later
};

// Everything as of one entry.
struct Snapshot {
  std::uint64_t position = 0;
  std::string image;
};

class Journal final : public CommandLog {
  struct Parts {
    std::filesystem::path path;
    DiskName disk;
    JournalFacts facts;
    AcknowledgementFile acknowledged;
  };

 public:
  // Verifies the file if there is one, to be read. The error is one line for the user.
  [[nodiscard]] static Result<std::unique_ptr<Journal>, std::string> open(const std::filesystem::path& path,
                                                                          const JournalFacts& facts,
                                                                          const DiskName& disk = {});
  explicit Journal(Parts parts);  // for open() alone

  // Once, before the first append: creates the file with its facts if there was none, and removes what was refused and
  // what is damaged without being needed.
  [[nodiscard]] Result<void, std::string> begin();

  [[nodiscard]] const JournalFacts::Names& opening() const { return opening_; }

  [[nodiscard]] Result<std::uint64_t, LogError> append(TimestampMs at_ms, std::span<const Unit* const> units,
                                                       const std::optional<StateMark>& mark) override;
  [[nodiscard]] Result<void, LogError> read(std::uint64_t position,
                                            const std::function<bool(const LogEntry&)>& each) const override;
  [[nodiscard]] std::uint64_t last_position() const override;
  [[nodiscard]] bool wants_mark() const override;

  // Those at or after the position, oldest first.
  [[nodiscard]] std::vector<StateMark> marks(std::uint64_t position) const;
  // Outside of an append: at the end of a run, say.
  [[nodiscard]] bool put_mark(const StateMark& mark);

  // The newest one before that position.
  [[nodiscard]] std::optional<Snapshot> snapshot_before(std::uint64_t position) const;
  [[nodiscard]] std::optional<Snapshot> latest_snapshot() const {
    return snapshot_before(std::numeric_limits<std::int64_t>::max());
  }
  // Positions of those that were damaged when the journal was opened: the entries prove the state. begin() removes
  // them.
  [[nodiscard]] const std::vector<std::uint64_t>& dropped_snapshots() const { return dropped_snapshots_; }
  // Keeps the latest limits::snapshots_kept of them.
  [[nodiscard]] Result<void, std::string> put_snapshot(const Snapshot& snapshot);
  [[nodiscard]] bool wants_snapshot() const;

  // Of the append that failed last; empty if none did.
  [[nodiscard]] std::string problem() const;

  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

 private:
  [[nodiscard]] bool is_there() const;
  [[nodiscard]] Result<void, std::string> check();
  [[nodiscard]] Result<void, std::string> check_absent();
  [[nodiscard]] Result<void, std::string> check_kind();
  [[nodiscard]] Result<void, std::string> check_facts();
  [[nodiscard]] Result<void, std::string> check_entries();
  [[nodiscard]] Result<void, std::string> check_marks();
  [[nodiscard]] Result<void, std::string> check_snapshots();
  [[nodiscard]] bool was_refused(std::int64_t position) const;
  [[nodiscard]] Result<void, std::string> create();
  [[nodiscard]] Result<void, std::string> drop_what_does_not_count();
  [[nodiscard]] Result<void, std::string> prepare_statements();
  [[nodiscard]] bool write(TimestampMs at_ms, std::span<const Unit* const> units, const std::optional<StateMark>& mark);
  [[nodiscard]] bool insert_mark(const StateMark& mark);
  [[nodiscard]] std::string damaged(const std::string& what) const;

  const std::filesystem::path path_;
  const DiskName disk_;
  const JournalFacts facts_;  // as they were asked for
  mutable Ranked<LockRank::log> mutex_;
  mutable std::optional<SqliteFile> file_;  // to be read, and to be written from begin() on; none: to be created
  bool is_begun_ = false;
  AcknowledgementFile acknowledged_;
  std::optional<SqliteStatement> begin_;
  std::optional<SqliteStatement> insert_;
  std::optional<SqliteStatement> insert_mark_;
  std::optional<SqliteStatement> commit_;
  ArchiveWriter writer_;
  std::string problem_;

  JournalFacts::Names opening_;
  std::uint64_t last_ = 0;
  std::uint64_t link_ = 0;         // of the last entry
  std::uint64_t marked_ = 0;       // position of the latest mark
  std::uint64_t snapshot_at_ = 0;  // position of the latest snapshot
  std::vector<std::uint64_t> dropped_snapshots_;
  bool is_lost_ = false;  // the file and what was acknowledged disagree: nothing more is written
};

}  // namespace svc::sim
