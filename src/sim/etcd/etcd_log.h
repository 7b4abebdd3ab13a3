// The command log on an etcd: batches of units under numbered keys, described in docs/journal_format.md.
//
// Promises
//   - append() returns when a majority of etcd's members has the units on disk
//   - a batch is one transaction that compares: this node leads, the batch before is there, this one is not. So there
//     is one batch at a position, whoever writes, and a deposed leader writes none
//   - an append whose answer is lost is settled by reading its position, never by guessing. Until etcd tells, append()
//     waits, nothing else is appended, and is_stuck() is true
//   - what append() refused is not there, now or later
//   - a batch that is torn, changed, missing or out of its place is found when the log is opened or read
//
// A node that does not lead takes in what the leader appends: take() of each row that the leader passes on, or
// catch_up().
//
// Appending is the sequencer's, taking in is one thread's while nobody appends; everything else may come from any
// thread.
#pragma once

#include <atomic>
#include <deque>

#include "base/text.h"
#include "sim/etcd/etcd_client.h"
#include "sim/etcd/leadership.h"
#include "sim/sequencer/command_log.h"

namespace svc::limits {
inline constexpr std::size_t etcd_batch_bytes_max = 512 * 1024;      // of units in one value; more goes in pieces
inline constexpr std::size_t etcd_pieces_max = 1'024;                // of one batch or snapshot: 512 MiB
inline constexpr std::size_t etcd_page_rows_max = 256;               // values asked for at once
inline constexpr std::size_t etcd_page_bytes_high = 1024 * 1024;     // of a page: the next one asks for fewer
inline constexpr int etcd_piece_tries = 3;                           // to write a piece
inline constexpr std::size_t etcd_log_bytes_max = 16u << 20;         // appended since the last snapshot: then another
inline constexpr std::int64_t etcd_file_bytes_high = 1'024LL << 20;  // of a member; half of etcd's usual quota
inline constexpr std::uint64_t etcd_leader_look_appends = 1'024;     // after so many: which member leads?
inline constexpr std::int64_t etcd_retry_ms = 200;                   // between two questions about a lost answer
inline constexpr int etcd_open_tries = 5;                            // while etcd forgets what was being read
}  // namespace svc::limits

namespace svc::sim {

class EtcdLog final : public DurableLog {
 public:
  struct Terms {
    std::vector<api::HostPort> members{};
    EtcdDial dial{};
    std::string place{};   // for messages
    std::string prefix{};  // of all keys of this log, ends with a slash
    LogFacts facts{};
    std::function<void(std::int64_t ms)> pause{};  // between two tries
    // Set when the process ends: an append that waits for etcd returns. What became of it, the next start finds out.
    const std::atomic<bool>* gives_up = nullptr;
  };
  // Reads and verifies what is there. The leadership must outlive the log. The error is one line for the user.
  [[nodiscard]] static Result<std::unique_ptr<EtcdLog>, std::string> open(Terms terms, Leadership& leadership);
  // What a log is about; it is there as soon as the log is.
  [[nodiscard]] static std::string key_of_facts(const std::string& prefix) { return prefix + "facts"; }
  EtcdLog(Terms terms, Leadership& leadership);  // used by open() only

  [[nodiscard]] Result<void, std::string> begin() override;

  [[nodiscard]] Result<std::uint64_t, LogError> append(TimestampMs at_ms, std::span<const Unit* const> units,
                                                       const std::optional<StateMark>& mark) override;
  [[nodiscard]] Result<void, LogError> read(std::uint64_t position,
                                            const std::function<bool(const LogEntry&)>& each) const override;
  // The last position, with what is being appended: another node may have read it already.
  [[nodiscard]] std::uint64_t position_under_way() const {
    const std::uint64_t under_way = under_way_;  // first, so that what is written meanwhile counts
    return std::max(under_way, last_position());
  }
  // The rows of the latest append, in the order in which other nodes take them in. For the thread that appends.
  [[nodiscard]] std::vector<EtcdKeyValue> take_appended() { return std::exchange(appended_, {}); }
  [[nodiscard]] bool is_stuck() const override { return is_stuck_.load(); }
  void when_stuck(std::function<void()> told) override { when_stuck_ = std::move(told); }
  // Why etcd itself refused the last append, such as a full quota; empty: it did not.
  [[nodiscard]] std::string refusal() const { return copy_under(mutex_, refusal_); }
  void note_refusal(std::string why) {
    const std::lock_guard lock(mutex_);
    refusal_ = std::move(why);
  }

  [[nodiscard]] std::vector<StateMark> marks(std::uint64_t position) const override;
  [[nodiscard]] bool put_mark(const StateMark& mark) override;

  [[nodiscard]] Result<std::optional<Snapshot>, LogError> snapshot_before(std::uint64_t position) const override;
  // Also removes what only older snapshots need, and has etcd forget it.
  [[nodiscard]] Result<void, std::string> put_snapshot(const Snapshot& snapshot) override;
  [[nodiscard]] bool wants_snapshot() const override;
  [[nodiscard]] Result<bool, LogError> look_again() override;

  // Taking in what another node appended.

  // Errors: LogError::unreachable, try again; gap, catch_up() finds what is missing; gone, what comes next was removed
  // behind a snapshot: start_over(); unreadable, problem() says what is damaged.
  using TakeEntry = std::function<void(LogEntry&&)>;
  // Passes the entries of a batch on, unless they are known. One in pieces is a gap: they may be removed already.
  [[nodiscard]] Result<void, LogError> take(const EtcdKeyValue& row, const TakeEntry& each);
  // The mark in a row; nullopt if it is none.
  [[nodiscard]] std::optional<StateMark> mark_of(const EtcdKeyValue& row) const;
  // Passes on everything that was appended before the call.
  [[nodiscard]] Result<void, LogError> catch_up(const TakeEntry& each);
  // As if opened anew: snapshots and batches as they are now.
  [[nodiscard]] Result<void, LogError> start_over();
  // Everything was taken in under this leadership: append() takes units again. False if etcd does not answer.
  [[nodiscard]] bool prepare_to_append();
  // Another node appended: what it appended must be taken in before this one appends again.
  [[nodiscard]] bool is_overtaken() const { return is_overtaken_; }

 private:
  // Bytes under keys of their own.
  struct Pieces {
    std::string prefix{};  // of their keys; empty: none
    std::uint64_t count = 0;
  };
  // What stands at a batch's key.
  struct Batch {
    std::uint64_t position = 0;  // of the first unit, as in the key
    std::uint64_t count = 0;
    TimestampMs at_ms = 0;
    std::int64_t epoch = 0;  // the leader that wrote it
    std::uint64_t link = 0;  // of the last unit (chain.h)
    std::string units{};     // an archive of their texts, unless it is in pieces
    Pieces pieces{};
    std::string origins{};   // an archive of the units' origins; empty: all are the leader's own
    std::uint64_t seal = 0;  // of all this, last
  };
  // What stands at a snapshot's key; its image is in pieces.
  struct SnapshotHead {
    std::uint64_t position = 0;
    std::uint64_t link = 0;  // of that entry
    Pieces pieces{};
    std::uint64_t image_seal = 0;
    std::uint64_t seal = 0;
  };
  // Which entries a batch has.
  struct Extent {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t link = 0;  // of the last
  };
  using Texts = std::vector<std::string>;
  class Reader;

  [[nodiscard]] static std::uint64_t seal_of(const Batch& batch);
  [[nodiscard]] static std::uint64_t seal_of(const SnapshotHead& head);
  // nullopt if it is damaged, or not that of its key.
  [[nodiscard]] std::optional<Batch> batch_of(const EtcdKeyValue& row) const;
  [[nodiscard]] std::optional<SnapshotHead> whole_head(const EtcdKeyValue& row) const;
  [[nodiscard]] std::string key_of(std::string_view kind, std::uint64_t position) const {
    return terms_.prefix + std::string(kind) + '/' + hex_of(position);
  }
  // Of all things of that kind at earlier positions.
  [[nodiscard]] EtcdRange keys_before(std::string_view kind, std::uint64_t position) const {
    return {.key = terms_.prefix + std::string(kind) + '/', .end = key_of(kind, position)};
  }
  [[nodiscard]] EtcdPut put_of(const StateMark& mark) const;
  [[nodiscard]] EtcdCompare we_lead(std::int64_t epoch) const {
    SVC_ASSERT(epoch != 0);  // to etcd: nobody leads
    return {.key = leadership_.key(), .kind = EtcdCompare::Kind::created_at, .create_revision = epoch};
  }
  [[nodiscard]] Unexpected<LogError> fails(LogError error, std::string why) {
    set_problem(std::move(why));
    return unexpected(error);
  }
  [[nodiscard]] Unexpected<LogError> damaged(const std::string& what) {
    return fails(LogError::unreadable,
                 terms_.place + ": " + what + "; nothing was changed. Name another --state to begin anew");
  }
  [[nodiscard]] Unexpected<LogError> unanswered(const EtcdError& error) {
    return fails(LogError::unreachable, terms_.place + ": " + error.reason);
  }

  // Reads the log into a new `log`; its problem() says why it cannot be used.
  [[nodiscard]] static Result<void, LogError> read_all(const Terms& terms, Leadership& leadership,
                                                       std::unique_ptr<EtcdLog>& log);
  [[nodiscard]] Result<void, LogError> check(Reader& reader);
  [[nodiscard]] Result<void, LogError> check_facts(Reader& reader);
  [[nodiscard]] Result<void, LogError> check_snapshots(Reader& reader);
  [[nodiscard]] Result<void, LogError> check_batches(Reader& reader);
  [[nodiscard]] Result<void, LogError> check_marks(Reader& reader);
  // Passes all rows of that kind on, until one is refused.
  using CheckRow = std::function<Result<void, LogError>(const EtcdKeyValue&)>;
  [[nodiscard]] Result<void, LogError> check_rows(Reader& reader, std::string_view kind, const CheckRow& each);
  // The units as texts; nullopt if they are damaged. `before` is the link of the entry before, if it is known.
  [[nodiscard]] static Result<std::optional<Texts>, EtcdError> texts_of(const Batch& batch,
                                                                        std::optional<std::uint64_t> before,
                                                                        Reader& reader);
  // The entries of a batch whose texts these are; nullopt if they are none.
  [[nodiscard]] static std::optional<std::vector<LogEntry>> entries_of(const Batch& batch, const Texts& texts);
  // `batch` is what the row has; nullopt: it is damaged.
  [[nodiscard]] Result<void, LogError> take(const EtcdKeyValue& row, const std::optional<Batch>& batch, Reader& reader,
                                            const TakeEntry& each);
  // The log goes on with that batch, which takes so many bytes of etcd. Under mutex_.
  void extend_by(const Batch& batch, std::size_t bytes) {
    last_ = batch.position + batch.count - 1;
    link_ = batch.link;
    bytes_ += bytes;
    batches_.push_back({.first = batch.position, .last = last_, .link = link_});
  }
  // 0: there is none. Under mutex_.
  [[nodiscard]] std::uint64_t newest_snapshot() const { return snapshots_.empty() ? 0 : snapshots_.back().position; }
  // About what a batch takes of etcd.
  [[nodiscard]] static std::size_t bytes_of(const EtcdKeyValue& row, const Batch& batch) {
    return batch.pieces.prefix.empty() ? row.value.size() : batch.pieces.count * limits::etcd_batch_bytes_max;
  }
  // Whether etcd has the last batch that is known here.
  [[nodiscard]] Result<bool, EtcdError> has_last_batch();

  // Writes them. Nothing names them yet.
  [[nodiscard]] Result<Pieces, EtcdError> put_pieces(EtcdClient& client, std::string_view kind, std::uint64_t position,
                                                     std::string_view bytes, std::int64_t epoch);
  // nullopt: some are missing.
  [[nodiscard]] static Result<std::optional<std::string>, EtcdError> joined(const Pieces& pieces, Reader& reader);
  // Whether the batch is there, once that is known.
  [[nodiscard]] bool is_there(const EtcdTransaction& transaction, const Batch& batch);
  [[nodiscard]] bool gives_up() const { return terms_.gives_up != nullptr && *terms_.gives_up; }
  [[nodiscard]] Unexpected<LogError> not_written(std::string why) {
    return fails(LogError::not_written, std::move(why));
  }
  void forget_before_oldest_snapshot(std::int64_t epoch);

  const Terms terms_;
  Leadership& leadership_;
  EtcdClient writer_;  // used by append() alone, as are the next three
  std::uint64_t appends_ = 0;
  std::vector<EtcdKeyValue> appended_;
  std::function<void()> when_stuck_;
  // For everything else, which may take long: appends do not wait for it.
  mutable std::recursive_mutex aside_mutex_;
  mutable EtcdClient aside_;
  std::atomic<bool> is_stuck_{false};
  std::atomic<std::uint64_t> under_way_{0};       // the last position of the latest append, unless it was refused
  std::atomic<std::uint64_t> pieces_written_{0};  // makes their keys unique within an epoch
  std::atomic<bool> is_overtaken_{false};         // another node wrote: this one must read the log anew
  bool is_new_ = true;

  // Guarded by mutex_.
  std::deque<Extent> batches_;           // all that can be read, oldest first
  std::vector<SnapshotHead> snapshots_;  // oldest first
  std::size_t bytes_ = 0;                // appended since the latest snapshot
  std::string refusal_;
};

}  // namespace svc::sim
