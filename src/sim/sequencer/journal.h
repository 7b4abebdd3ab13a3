// The command log on disk: one SQLite file in write-ahead mode, described in docs/journal_format.md.
//
// Promises
//   - append() returns when the units are on the disk; a process that is killed at any instant, and a machine
//     that loses power, lose none of them
//   - what append() refused is not there, now or after a restart
//   - nothing is acknowledged that a restart would look for elsewhere: stay_in()
//   - an entry that is torn, changed, missing or out of its place is found when the journal is opened, and
//     then it is not opened: the error names the entry
//   - until begin() no byte on the disk is changed: who opens a journal may still refuse what it says
//
// Appending is the sequencer's; everything else may come from any thread.
#pragma once

#include "base/archive.h"
#include "sim/sequencer/chain.h"
#include "sim/sequencer/command_log.h"
#include "sim/sequencer/sqlite_file.h"

namespace svc::sim {

struct Acknowledgement {
  static constexpr std::uint64_t nothing = 0;
  static constexpr std::uint64_t everything = 1;

  std::uint64_t position = 0;       // every entry up to here was acknowledged ...
  std::uint64_t link = 0;           // ... and this is the link of the last
  std::uint64_t refused = nothing;  // what stands after it and ends in this link was refused to its writers and must go

  bool operator==(const Acknowledgement&) const = default;
};

// How far a journal was acknowledged, in a small file beside it: what SQLite alone cannot tell, because it
// drops the end of a damaged write-ahead log as if it had never been written.
//
// Two slots are written in turn, so that one is whole whatever happens. The file is not synced with every
// note: after a power failure it may be behind, which only makes it know less. It is synced whenever it
// must not know less.
class AcknowledgementFile {
 public:
  enum class Sync : std::uint8_t { no, yes };

  // Reads what is there and changes nothing: the first note creates the file if there is none.
  [[nodiscard]] static Result<AcknowledgementFile, std::string> open(const std::filesystem::path& path,
                                                                     const DiskName& disk = {});

  // The latest whole note; nullopt if there is none.
  [[nodiscard]] std::optional<Acknowledgement> latest() const { return latest_; }
  [[nodiscard]] bool was_empty() const { return was_empty_; }
  // The end of the file is gone, and may have held a later note.
  [[nodiscard]] bool is_cut_off() const { return is_cut_off_; }
  [[nodiscard]] bool note(const Acknowledgement& acknowledgement, Sync sync);

 private:
  AcknowledgementFile(std::filesystem::path path, DiskName disk) : path_(std::move(path)), disk_(std::move(disk)) {}

  std::filesystem::path path_;
  DiskName disk_;
  std::optional<DiskFile> file_;  // from the first note on
  bool was_empty_ = true;
  bool is_cut_off_ = false;
  std::uint64_t serial_ = 0;
  std::optional<Acknowledgement> latest_;
};

class Journal final : public DurableLog {
 public:
  // Verifies the file if there is one, to be read. The error is one line for the user.
  [[nodiscard]] static Result<std::unique_ptr<Journal>, std::string> open(const std::filesystem::path& path,
                                                                          const LogFacts& facts,
                                                                          const DiskName& disk = {});
  Journal(std::filesystem::path path, const LogFacts& facts, DiskName disk,
          AcknowledgementFile acknowledged);  // used by open() only

  // From now on nothing is appended while that folder's path leads elsewhere. It outlives this.
  void stay_in(const StateFolder& folder) { folder_ = &folder; }

  // Creates the file with its facts if there was none, and removes what was refused and what is damaged without being
  // needed.
  [[nodiscard]] Result<void, std::string> begin() override;
  [[nodiscard]] Result<std::uint64_t, LogError> append(TimestampMs at_ms, std::span<const Unit* const> units,
                                                       const std::optional<StateMark>& mark) override;
  [[nodiscard]] Result<void, LogError> read(std::uint64_t position,
                                            const std::function<bool(const LogEntry&)>& each) const override;

  [[nodiscard]] std::vector<StateMark> marks(std::uint64_t position) const override;
  [[nodiscard]] bool put_mark(const StateMark& mark) override;
  [[nodiscard]] Result<std::optional<Snapshot>, LogError> snapshot_before(std::uint64_t position) const override;
  [[nodiscard]] Result<void, std::string> put_snapshot(const Snapshot& snapshot) override;
  [[nodiscard]] bool wants_snapshot() const override;

 private:
  [[nodiscard]] bool is_there() const;
  [[nodiscard]] Result<void, std::string> check();
  [[nodiscard]] Result<void, std::string> check_absent();
  [[nodiscard]] Result<void, std::string> check_kind();
  [[nodiscard]] Result<void, std::string> check_facts();
  [[nodiscard]] Result<void, std::string> check_entries();
  [[nodiscard]] Result<void, std::string> check_marks();
  [[nodiscard]] Result<void, std::string> check_snapshots();
  void settle_refusal(std::uint64_t refused_link);
  [[nodiscard]] Result<void, std::string> create();
  [[nodiscard]] Result<void, std::string> drop_what_does_not_count();
  [[nodiscard]] Result<void, std::string> prepare_statements();
  [[nodiscard]] bool write(TimestampMs at_ms, std::span<const Unit* const> units, const std::optional<StateMark>& mark);
  [[nodiscard]] bool insert_mark(const StateMark& mark) {
    insert_mark_->bind(mark.position, mark.state_hash, seal_of(mark));
    return insert_mark_->run();
  }
  [[nodiscard]] Unexpected<std::string> damaged(const std::string& what) const;
  // An error becomes that of a damaged journal.
  template <class T>
  [[nodiscard]] Result<T, std::string> undamaged(Result<T, std::string> result) const {
    if (!result) return damaged(result.error());
    return result;
  }

  const std::filesystem::path path_;
  const DiskName disk_;
  const LogFacts facts_;                    // as they were asked for
  const StateFolder* folder_ = nullptr;     // nullptr: not checked
  mutable std::optional<SqliteFile> file_;  // to be read, and to be written from begin() on; none: to be created
  bool is_begun_ = false;
  AcknowledgementFile acknowledged_;
  std::optional<SqliteStatement> begin_;
  std::optional<SqliteStatement> insert_;
  std::optional<SqliteStatement> insert_mark_;
  std::optional<SqliteStatement> commit_;
  ArchiveWriter writer_;
  std::uint64_t snapshot_at_ = 0;  // position of the latest snapshot
  std::uint64_t bytes_since_snapshot_ = 0;
  bool drops_refused_ = false;     // entries after the last, with their marks and snapshots
  bool is_folder_synced_ = false;  // since it was begun
  bool is_lost_ = false;           // the file and what was acknowledged disagree: nothing more is written
};

}  // namespace svc::sim
