#include "sim/etcd/etcd_log.h"

#include <absl/cleanup/cleanup.h>

#include <algorithm>
#include <cstdlib>
#include <ranges>

#include "base/archive.h"
#include "base/assert.h"
#include "sim/sequencer/chain.h"

namespace svc::sim {

namespace {

std::uint64_t position_in(const std::string& key) {
  return std::strtoull(key.c_str() + key.rfind('/') + 1, nullptr, 16);
}

struct FactsRow {
  std::int64_t format = 0;
  LogFacts::Names identity{};
  LogFacts::Names opening{};
};

struct MarkRow {
  std::uint64_t state_hash = 0;
  std::uint64_t seal = 0;
};

}  // namespace

// Reads rows as they were at one moment, so that whoever leads may write and remove meanwhile. If etcd forgets that
// moment, a later one goes on: what was removed in between is then missing.
class EtcdLog::Reader {
 public:
  explicit Reader(EtcdClient& client) : client_(client) {}

  // Passes on every row of the range by key, oldest first, until `each` returns false. A page is small enough for etcd
  // to answer soon.
  Result<void, EtcdError> each_row(EtcdRange range, const std::function<bool(EtcdKeyValue&&)>& each) {
    std::size_t rows_max = 16;
    while (true) {
      auto page = read(range, rows_max);
      if (!page && rows_max > 1 && page.error().kind != EtcdError::Kind::not_sent) {
        rows_max /= 4;
        rows_max = std::max<std::size_t>(rows_max, 1);
        continue;
      }
      if (!page) return unexpected(std::move(page).error());
      std::size_t bytes = 0;
      for (EtcdKeyValue& row : page->rows) {
        bytes += row.value.size();
        range.key = row.key + '\0';
        if (!each(std::move(row))) return {};
      }
      if (!page->has_more || page->rows.empty()) return {};
      const bool is_small = bytes < limits::etcd_page_bytes_high;
      rows_max = is_small ? std::min(rows_max * 2, limits::etcd_page_rows_max) : std::max<std::size_t>(rows_max / 2, 1);
    }
  }
  Result<std::optional<EtcdKeyValue>, EtcdError> read_one(const std::string& key) {
    auto page = SVC_TRY(read({.key = key}, 1));
    if (page.rows.empty()) return std::optional<EtcdKeyValue>();
    return std::optional(std::move(page.rows.front()));
  }
  [[nodiscard]] bool has_moved() const { return has_moved_; }

 private:
  Result<EtcdPage, EtcdError> read(const EtcdRange& range, std::size_t rows_max) {
    auto page = client_.read(range, rows_max, revision_);
    if (!page && page.error().kind == EtcdError::Kind::compacted) {
      has_moved_ = true;
      revision_ = 0;
      page = client_.read(range, rows_max);
    }
    if (page && revision_ == 0) revision_ = page->revision;
    return page;
  }

  EtcdClient& client_;
  std::int64_t revision_ = 0;  // 0: the first answer tells
  bool has_moved_ = false;
};

EtcdLog::EtcdLog(Terms terms, Leadership& leadership)
    : terms_(std::move(terms)),
      leadership_(leadership),
      writer_(terms_.members, terms_.dial),
      aside_(terms_.members, terms_.dial) {}

Result<std::unique_ptr<EtcdLog>, std::string> EtcdLog::open(Terms terms, Leadership& leadership) {
  std::unique_ptr<EtcdLog> log;
  if (!read_all(terms, leadership, log)) return unexpected(log->problem());
  return log;
}

// What seems to be damaged may have been removed while it was read.
Result<void, LogError> EtcdLog::read_all(const Terms& terms, Leadership& leadership, std::unique_ptr<EtcdLog>& log) {
  for (int tries = 1;; ++tries) {
    log = std::make_unique<EtcdLog>(terms, leadership);
    Reader reader(log->aside_);
    const auto done = log->check(reader);
    if (done || !reader.has_moved() || tries == limits::etcd_open_tries) return done;
  }
}

std::uint64_t EtcdLog::seal_of(const Batch& batch) {
  return chained(4, batch.position, batch.count, static_cast<std::uint64_t>(batch.at_ms),
                 static_cast<std::uint64_t>(batch.epoch), batch.link, std::string_view(batch.units),
                 std::string_view(batch.pieces.prefix), batch.pieces.count, std::string_view(batch.origins));
}

std::uint64_t EtcdLog::seal_of(const SnapshotHead& head) {
  return chained(5, head.position, head.link, std::string_view(head.pieces.prefix), head.pieces.count, head.image_seal);
}

std::optional<EtcdLog::SnapshotHead> EtcdLog::whole_head(const EtcdKeyValue& row) const {
  auto head = from_archive<SnapshotHead>(row.value);
  const bool is_whole = head && head->seal == seal_of(*head) && row.key == key_of("snapshot", head->position) &&
                        head->pieces.count <= limits::etcd_pieces_max;
  return is_whole ? std::move(head) : std::nullopt;
}

std::optional<EtcdLog::Batch> EtcdLog::batch_of(const EtcdKeyValue& row) const {
  auto batch = from_archive<Batch>(row.value);
  const bool is_whole = batch && batch->seal == seal_of(*batch) && batch->count > 0 &&
                        batch->position < limits::counter_max && batch->count < limits::counter_max &&
                        row.key == key_of("log", batch->position);
  return is_whole ? std::move(batch) : std::nullopt;
}

// Appending.

Result<std::uint64_t, LogError> EtcdLog::append(TimestampMs at_ms, std::span<const Unit* const> units,
                                                const std::optional<StateMark>& mark) {
  SVC_ASSERT(!is_new_ && !units.empty());
  const std::int64_t epoch = leadership_.epoch();
  if (gives_up()) return not_written("the process ends");
  if (is_overtaken_) return not_written("another node wrote to the log");
  if (epoch == 0) return not_written("this node does not lead: another one does, or etcd is not reached");
  Batch batch{.count = units.size(), .at_ms = at_ms, .epoch = epoch};
  std::string before = key_of_facts(terms_.prefix);
  {
    const std::lock_guard lock(mutex_);
    batch.position = last_ + 1;
    batch.link = link_;
    if (!batches_.empty()) before = key_of("log", batches_.back().first);
  }
  Texts texts;
  std::uint64_t position = batch.position;
  for (const Unit* unit : units) {
    texts.push_back(to_archive(*unit));
    batch.link = next_link(batch.link, position++, at_ms, texts.back());
  }
  batch.units = to_archive(texts);
  if (std::ranges::any_of(units, [](const Unit* unit) { return unit->origin.process != 0; })) {
    std::vector<UnitOrigin> origins;
    for (const Unit* unit : units) origins.push_back(unit->origin);
    batch.origins = to_archive(origins);
  }
  const std::size_t bytes = batch.units.size();
  if (bytes > limits::etcd_batch_bytes_max) {
    auto pieces = put_pieces(writer_, "piece", batch.position, batch.units, epoch);
    if (!pieces) return not_written(pieces.error().reason);
    batch.pieces = std::move(*pieces);
    batch.units.clear();
  }
  batch.seal = seal_of(batch);
  const std::string key = key_of("log", batch.position);
  EtcdTransaction transaction{.compares = {we_lead(epoch),
                                           {.key = before, .kind = EtcdCompare::Kind::present},
                                           {.key = key, .kind = EtcdCompare::Kind::absent}},
                              .puts = {{.key = key, .value = to_archive(batch)}}};
  if (mark) transaction.puts.push_back(put_of(*mark));
  if (appends_++ % limits::etcd_leader_look_appends == 0) writer_.prefer_leader();
  appended_.clear();
  under_way_ = batch.position + batch.count - 1;
  if (!is_there(transaction, batch)) {
    under_way_ = 0;
    return unexpected(LogError::not_written);
  }
  // A mark is of the state before its batch.
  for (EtcdPut& put : transaction.puts | std::views::reverse)
    appended_.push_back({.key = std::move(put.key), .value = std::move(put.value)});
  const std::lock_guard lock(mutex_);
  extend_by(batch, bytes);
  if (mark) marked_ = mark->position;
  set_problem({});
  return batch.position;
}

// The transaction compares that its key is absent, so that of several tries at most one can ever succeed. (D-852)
bool EtcdLog::is_there(const EtcdTransaction& transaction, const Batch& batch) {
  const absl::Cleanup settled([this] { is_stuck_ = false; });
  bool is_in_doubt = false;  // a try may still be on its way
  bool is_unread = false;    // a try was answered, but may have had its effect all the same
  while (true) {
    const auto done = writer_.commit(transaction);
    const bool is_full = !done && done.error().kind == EtcdError::Kind::quota_full;
    note_refusal(done ? "" : done.error().refusal());
    if (done && done->succeeded) return true;
    if (!done) {
      set_problem(done.error().reason);
      if (done.error().nothing_happened() && !is_in_doubt && !is_unread) return false;
      // With its quota full, etcd answers after it applied the transaction or before it began. (D-853)
      is_unread = is_unread || is_full;
      is_in_doubt = is_in_doubt || (!done.error().nothing_happened() && !is_full);
    }
    // An etcd that hangs keeps the read waiting as well. Whoever waits behind this append is not kept so long.
    if (!is_stuck_.exchange(true) && when_stuck_) when_stuck_();
    const auto found = writer_.read_one(transaction.puts.front().key);
    if (found && *found) {
      const auto there = batch_of(**found);
      if (there && there->epoch == batch.epoch && there->seal == batch.seal) return true;
      is_overtaken_ = true;
      leadership_.note_loss(batch.epoch);
      set_problem("another node wrote to the log");
      return false;
    }
    // Not there, and a comparison failed: another leads or led, and our epoch never comes back. So no try succeeds.
    if (found && done) {
      leadership_.note_loss(batch.epoch);
      set_problem("this node does not lead any more");
      return false;
    }
    if (found && !is_in_doubt) return false;
    if (gives_up()) return false;
    terms_.pause(limits::etcd_retry_ms);
  }
}

Result<EtcdLog::Pieces, EtcdError> EtcdLog::put_pieces(EtcdClient& client, std::string_view kind,
                                                       std::uint64_t position, std::string_view bytes,
                                                       std::int64_t epoch) {
  const auto refused = [](std::string reason) {
    return unexpected(EtcdError{.kind = EtcdError::Kind::refused, .reason = std::move(reason)});
  };
  if (bytes.size() > limits::etcd_pieces_max * limits::etcd_batch_bytes_max) return refused("it is too large for etcd");
  Pieces pieces{.prefix = key_of(kind, position) + '/' + std::to_string(epoch) + '-' +
                          std::to_string(++pieces_written_) + '/'};
  for (; !bytes.empty(); ++pieces.count) {
    const std::string_view piece = bytes.substr(0, limits::etcd_batch_bytes_max);
    bytes.remove_prefix(piece.size());
    const EtcdTransaction transaction{
        .compares = {we_lead(epoch)},
        .puts = {{.key = pieces.prefix + hex_of(pieces.count), .value = std::string(piece)}}};
    // Writing a piece twice is writing it: nobody else writes to this key.
    for (int tries = 1;; ++tries) {
      auto done = client.commit(transaction);
      if (done && !done->succeeded) return refused("this node does not lead any more");
      if (done) break;
      if (done.error().nothing_happened() || tries == limits::etcd_piece_tries) return unexpected(done.error());
    }
  }
  return pieces;
}

// Reading.

Result<std::optional<std::string>, EtcdError> EtcdLog::joined(const Pieces& pieces, Reader& reader) {
  std::string bytes;
  std::uint64_t found = 0;
  SVC_TRY(reader.each_row(keys_below(pieces.prefix), [&](EtcdKeyValue&& row) {
    if (row.key != pieces.prefix + hex_of(found)) return false;
    ++found;
    bytes += row.value;
    return true;
  }));
  return found == pieces.count ? std::optional(std::move(bytes)) : std::nullopt;
}

Result<std::optional<EtcdLog::Texts>, EtcdError> EtcdLog::texts_of(const Batch& batch,
                                                                   std::optional<std::uint64_t> before,
                                                                   Reader& reader) {
  auto bytes = std::optional(batch.units);
  if (!batch.pieces.prefix.empty()) bytes = SVC_TRY(joined(batch.pieces, reader));
  auto texts = bytes ? from_archive<Texts>(*bytes) : std::nullopt;
  if (!texts || texts->size() != batch.count) return std::optional<Texts>();
  if (!before) return texts;
  std::uint64_t link = *before;
  std::uint64_t position = batch.position;
  for (const std::string& text : *texts) link = next_link(link, position++, batch.at_ms, text);
  return link == batch.link ? std::move(texts) : std::nullopt;
}

Result<void, LogError> EtcdLog::read(std::uint64_t position, const std::function<bool(const LogEntry&)>& each) const {
  EtcdRange range = keys_below(terms_.prefix + "log/");
  std::uint64_t last = 0;
  {
    const std::lock_guard lock(mutex_);
    last = last_;
    if (position == 0 || position > last + 1) return unexpected(LogError::gone);
    if (position > last) return {};
    const auto batch = std::ranges::upper_bound(batches_, position, {}, &Extent::first);
    if (batch == batches_.begin()) return unexpected(LogError::gone);
    range.key = key_of("log", std::prev(batch)->first);
  }
  bool goes_on = true;
  std::optional<LogError> error;
  std::optional<std::uint64_t> before;
  const std::lock_guard lock(aside_mutex_);
  Reader reader(aside_);
  const auto done = reader.each_row(range, [&](EtcdKeyValue&& row) {
    const auto stop = [&](LogError why) {
      error = why;
      return false;
    };
    const auto batch = batch_of(row);
    if (batch && batch->position > position) return stop(LogError::gone);
    const auto texts = batch ? texts_of(*batch, before, reader) : std::optional<Texts>();
    if (!texts) return stop(LogError::unreachable);
    const auto entries = *texts ? entries_of(*batch, **texts) : std::nullopt;
    if (!entries) return stop(reader.has_moved() ? LogError::gone : LogError::unreadable);
    before = batch->link;
    for (const LogEntry& entry : *entries) {
      if (!goes_on) break;
      if (entry.position < position) continue;
      goes_on = each(entry);
      position = entry.position + 1;
    }
    return goes_on && position <= last;
  });
  if (!done) return unexpected(LogError::unreachable);
  if (!error && goes_on && position <= last) error = LogError::unreadable;
  if (error) return unexpected(*error);
  return {};
}

std::optional<std::vector<LogEntry>> EtcdLog::entries_of(const Batch& batch, const Texts& texts) {
  auto origins = batch.origins.empty() ? std::vector<UnitOrigin>(texts.size())
                                       : from_archive<std::vector<UnitOrigin>>(batch.origins);
  if (!origins || origins->size() != texts.size()) return std::nullopt;
  std::vector<LogEntry> entries;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto unit = from_archive<Unit>(texts[i]);
    if (!unit) return std::nullopt;
    unit->origin = (*origins)[i];
    entries.push_back({.position = batch.position + i, .at_ms = batch.at_ms, .unit = std::move(*unit)});
  }
  return entries;
}

// Taking in.

std::optional<StateMark> EtcdLog::mark_of(const EtcdKeyValue& row) const {
  if (!row.key.starts_with(terms_.prefix + "mark/")) return std::nullopt;
  const auto mark = from_archive<MarkRow>(row.value);
  // A damaged one proves nothing.
  if (!mark) return std::nullopt;
  const StateMark found{.position = position_in(row.key), .state_hash = mark->state_hash};
  return mark->seal == sim::seal_of(found) ? std::optional(found) : std::nullopt;
}

Result<void, LogError> EtcdLog::take(const EtcdKeyValue& row, const TakeEntry& each) {
  if (!row.key.starts_with(terms_.prefix + "log/")) return {};
  const auto batch = batch_of(row);
  if (batch && !batch->pieces.prefix.empty() && batch->position > last_position()) return unexpected(LogError::gap);
  Reader reader(aside_);
  return take(row, batch, reader, each);
}

Result<void, LogError> EtcdLog::take(const EtcdKeyValue& row, const std::optional<Batch>& batch, Reader& reader,
                                     const TakeEntry& each) {
  if (!batch) return damaged("the batch after entry " + std::to_string(last_position()) + " is damaged");
  std::uint64_t last = 0;
  std::uint64_t link = 0;
  {
    const std::lock_guard lock(mutex_);
    last = last_;
    link = link_;
  }
  if (batch->position <= last) return {};
  if (batch->position != last + 1) return unexpected(LogError::gap);
  const auto texts = texts_of(*batch, link, reader);
  if (!texts) return fails(LogError::unreachable, texts.error().reason);
  auto entries = *texts ? entries_of(*batch, **texts) : std::nullopt;
  if (!entries && reader.has_moved()) return fails(LogError::unreachable, "what was being read was removed");
  if (!entries) return damaged("entries from " + std::to_string(batch->position) + " on are damaged");
  {
    const std::lock_guard lock(mutex_);
    extend_by(*batch, bytes_of(row, *batch));
    set_problem({});
  }
  for (LogEntry& entry : *entries) each(std::move(entry));
  return {};
}

Result<void, LogError> EtcdLog::catch_up(const TakeEntry& each) {
  const std::lock_guard alone(aside_mutex_);
  EtcdRange range = keys_below(terms_.prefix + "log/");
  range.key = key_of("log", last_position() + 1);
  std::optional<LogError> error;
  bool is_further = false;
  Reader reader(aside_);
  const auto read = reader.each_row(range, [&](EtcdKeyValue&& row) {
    is_further = true;
    if (const auto taken = take(row, batch_of(row), reader, each); !taken)
      error = taken.error() == LogError::gap ? LogError::gone : taken.error();
    return !error;
  });
  if (!read) return fails(LogError::unreachable, read.error().reason);
  if (error) return unexpected(*error);
  const auto is_there = is_further ? Result<bool, EtcdError>(true) : has_last_batch();
  if (!is_there) return fails(LogError::unreachable, is_there.error().reason);
  if (!*is_there)
    return fails(LogError::unreadable,
                 terms_.place +
                     " is not the log that this node has taken in: the data of etcd was lost "
                     "or replaced. Bring it back or not, then end all nodes and start them again: they go on "
                     "with what etcd has");
  return {};
}

// What is removed behind a snapshot is never the last batch.
Result<bool, EtcdError> EtcdLog::has_last_batch() {
  Extent last;
  {
    const std::lock_guard lock(mutex_);
    if (batches_.empty()) return true;
    last = batches_.back();
  }
  const auto row = SVC_TRY(aside_.read_one(key_of("log", last.first)));
  const auto batch = row ? batch_of(*row) : std::nullopt;
  return batch && batch->link == last.link;
}

Result<void, LogError> EtcdLog::start_over() {
  std::unique_ptr<EtcdLog> fresh;
  if (const auto done = read_all(terms_, leadership_, fresh); !done) return fails(done.error(), fresh->problem());
  EtcdLog& now = *fresh;
  const std::lock_guard lock(mutex_);
  last_ = now.last_;
  link_ = now.link_;
  batches_ = std::move(now.batches_);
  marked_ = now.marked_;
  snapshots_ = std::move(now.snapshots_);
  dropped_snapshots_ = std::move(now.dropped_snapshots_);
  bytes_ = now.bytes_;
  return {};
}

Result<bool, LogError> EtcdLog::look_again() {
  const auto newest = [this] {
    const std::lock_guard lock(mutex_);
    return newest_snapshot();
  };
  const std::uint64_t before = newest();
  SVC_TRY(start_over());
  return newest() > before;
}

bool EtcdLog::prepare_to_append() {
  const std::lock_guard alone(aside_mutex_);
  std::vector<SnapshotHead> heads;
  const auto read = Reader(aside_).each_row(keys_below(terms_.prefix + "snapshot/"), [&](EtcdKeyValue&& row) {
    if (auto head = whole_head(row)) heads.push_back(std::move(*head));
    return true;
  });
  if (!read) return false;
  const std::lock_guard lock(mutex_);
  snapshots_ = std::move(heads);
  // The leader before removed what the oldest of them does not need.
  if (!snapshots_.empty())
    while (batches_.size() > 1 && batches_.front().last < snapshots_.front().position) batches_.pop_front();
  marked_ = std::max(marked_, last_);
  is_overtaken_ = false;
  return true;
}

std::vector<StateMark> EtcdLog::marks(std::uint64_t position) const {
  std::vector<StateMark> marks;
  EtcdRange range = keys_below(terms_.prefix + "mark/");
  range.key = key_of("mark", position);
  const std::uint64_t last = last_position();
  const std::lock_guard lock(aside_mutex_);
  (void)Reader(aside_).each_row(range, [&](EtcdKeyValue&& row) {
    if (const auto mark = mark_of(row); mark && mark->position <= last) marks.push_back(*mark);
    return true;
  });
  return marks;
}

EtcdPut EtcdLog::put_of(const StateMark& mark) const {
  return {.key = key_of("mark", mark.position), .value = to_archive(MarkRow{mark.state_hash, sim::seal_of(mark)})};
}

bool EtcdLog::put_mark(const StateMark& mark) {
  const std::int64_t epoch = leadership_.epoch();
  if (is_new_ || is_overtaken_ || epoch == 0) return false;
  const std::lock_guard alone(aside_mutex_);
  const auto done = aside_.commit({.compares = {we_lead(epoch)}, .puts = {put_of(mark)}});
  if (!done || !done->succeeded) return false;
  const std::lock_guard lock(mutex_);
  marked_ = mark.position;
  return true;
}

// Snapshots.

Result<std::optional<Snapshot>, LogError> EtcdLog::snapshot_before(std::uint64_t position) const {
  const auto heads = copy_under(mutex_, snapshots_);
  for (auto head = heads.rbegin(); head != heads.rend(); ++head) {
    if (head->position >= position) continue;
    const std::lock_guard alone(aside_mutex_);
    Reader reader(aside_);
    auto image = joined(head->pieces, reader);
    if (!image) return unexpected(LogError::unreachable);
    Snapshot snapshot{.position = head->position, .image = std::move(*image).value_or(std::string())};
    if (sim::seal_of(snapshot) == head->image_seal) return std::optional(std::move(snapshot));
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(dropped_snapshots_, head->position) == dropped_snapshots_.end())
      dropped_snapshots_.push_back(head->position);
  }
  return std::optional<Snapshot>();
}

bool EtcdLog::wants_snapshot() const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t latest = newest_snapshot();
  return !is_new_ && !is_overtaken_ && leadership_.epoch() != 0 && last_ > latest &&
         (last_ >= latest + limits::snapshot_entries || bytes_ >= limits::etcd_log_bytes_max);
}

Result<void, std::string> EtcdLog::put_snapshot(const Snapshot& snapshot) {
  const std::int64_t epoch = leadership_.epoch();
  if (epoch == 0) return unexpected(std::string("this node does not lead"));
  SnapshotHead head{.position = snapshot.position, .image_seal = sim::seal_of(snapshot)};
  std::size_t bytes_before = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto batch = std::ranges::lower_bound(batches_, snapshot.position, {}, &Extent::last);
    if (is_new_ || batch == batches_.end() || batch->last != snapshot.position)
      return unexpected(std::string("a snapshot is of the end of a batch"));
    head.link = batch->link;
    bytes_before = bytes_;
  }
  const std::lock_guard alone(aside_mutex_);
  auto pieces = put_pieces(aside_, "image", snapshot.position, snapshot.image, epoch);
  if (!pieces) return unexpected(std::move(pieces).error().reason);
  head.pieces = std::move(*pieces);
  head.seal = seal_of(head);
  const auto done = aside_.commit(
      {.compares = {we_lead(epoch)}, .puts = {{.key = key_of("snapshot", head.position), .value = to_archive(head)}}});
  if (!done) return unexpected(done.error().reason);
  if (!done->succeeded) return unexpected(std::string("this node does not lead any more"));
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(snapshots_, [&](const SnapshotHead& one) { return one.position == head.position; });
    snapshots_.push_back(std::move(head));
    if (snapshots_.size() > limits::snapshots_kept)
      snapshots_.erase(snapshots_.begin(), snapshots_.end() - static_cast<std::ptrdiff_t>(limits::snapshots_kept));
    bytes_ -= bytes_before;
  }
  forget_before_oldest_snapshot(epoch);
  return {};
}

// The batch that ends at the oldest snapshot stays: it is the one before the next, and has its link. Whatever fails
// here is tried again after the next snapshot.
void EtcdLog::forget_before_oldest_snapshot(std::int64_t epoch) {
  std::uint64_t snapshot = 0;
  std::uint64_t batch = 0;
  {
    const std::lock_guard lock(mutex_);
    if (snapshots_.size() < limits::snapshots_kept) return;
    snapshot = snapshots_.front().position;
    while (batches_.front().last < snapshot) batches_.pop_front();
    batch = batches_.front().first;
  }
  const auto done = aside_.commit(
      {.compares = {we_lead(epoch)},
       .removals = {keys_before("snapshot", snapshot), keys_before("image", snapshot), keys_before("mark", snapshot),
                    keys_before("log", batch), keys_before("piece", batch)}});
  if (!done || !done->succeeded || !aside_.compact(done->revision)) return;
  for (std::size_t member = 0; member < aside_.members(); ++member) {
    const auto status = aside_.status(member);
    if (status && status->bytes > limits::etcd_file_bytes_high && status->bytes_in_use < status->bytes / 2)
      (void)aside_.defragment(member);
  }
}

// Opening: what is checked before anything of it is believed.

Result<void, LogError> EtcdLog::check(Reader& reader) {
  SVC_TRY(check_facts(reader));
  SVC_TRY(check_snapshots(reader));
  // Before the batches: if etcd forgets a moment, no mark is of entries that are not read then.
  SVC_TRY(check_marks(reader));
  SVC_TRY(check_batches(reader));
  if (marked_ > last_) return damaged("the state mark of entry " + std::to_string(marked_) + " is damaged");
  return {};
}

Result<void, LogError> EtcdLog::check_facts(Reader& reader) {
  auto found = reader.read_one(key_of_facts(terms_.prefix));
  if (!found) return unanswered(found.error());
  opening_ = terms_.facts.opening;
  if (!*found) {
    link_ = first_link(terms_.facts.identity, terms_.facts.opening);
    return {};
  }
  const auto facts = from_archive<FactsRow>((*found)->value);
  if (!facts) return damaged("it is not a log of svc");
  if (facts->format != log_format)
    return fails(LogError::unreadable,
                 terms_.place + ": its format is " + std::to_string(facts->format) +
                     ", and this program reads and replays format " + std::to_string(log_format) +
                     "; nothing was changed. Open it with the version that wrote it, or name another --state");
  for (const auto& [name, value] : terms_.facts.identity) {
    const auto known = facts->identity.find(name);
    if (known == facts->identity.end()) return damaged("it does not say its " + name);
    if (known->second != value)
      return fails(LogError::unreadable, terms_.place + " is about " + name + " " + known->second + ", not " + value +
                                             ": start it as it was started before, or name another --state");
  }
  is_new_ = false;
  opening_ = facts->opening;
  link_ = first_link(facts->identity, facts->opening);
  return {};
}

Result<void, LogError> EtcdLog::check_rows(Reader& reader, std::string_view kind, const CheckRow& each) {
  Result<void, LogError> checked;
  const auto read = reader.each_row(keys_below(terms_.prefix + std::string(kind) + '/'), [&](EtcdKeyValue&& row) {
    checked = each(row);
    return checked.has_value();
  });
  if (!read) return unanswered(read.error());
  return checked;
}

Result<void, LogError> EtcdLog::check_snapshots(Reader& reader) {
  return check_rows(reader, "snapshot", [&](const EtcdKeyValue& row) -> Result<void, LogError> {
    if (auto head = whole_head(row))
      snapshots_.push_back(std::move(*head));
    else
      dropped_snapshots_.push_back(position_in(row.key));
    return {};
  });
}

Result<void, LogError> EtcdLog::check_batches(Reader& reader) {
  SVC_TRY(check_rows(reader, "log", [&](const EtcdKeyValue& row) -> Result<void, LogError> {
    if (is_new_) return damaged("it does not say what it is about");
    const auto batch = batch_of(row);
    if (!batch) return damaged("the batch after entry " + std::to_string(last_) + " is damaged");
    // Behind a snapshot the log may begin later: with the batch that ends there.
    const std::uint64_t end = batch->position + batch->count - 1;
    const bool begins_at_snapshot =
        last_ == 0 && batch->position > 1 && std::ranges::any_of(snapshots_, [&](const SnapshotHead& head) {
          return head.position == end && head.link == batch->link;
        });
    if (batch->position != last_ + 1 && !begins_at_snapshot)
      return damaged("entry " + std::to_string(last_ + 1) + " is missing");
    const auto texts = texts_of(*batch, begins_at_snapshot ? std::nullopt : std::optional(link_), reader);
    if (!texts) return unanswered(texts.error());
    if (!*texts)
      return damaged("entries " + std::to_string(batch->position) + " to " + std::to_string(end) +
                     " are damaged (their checksum does not fit)");
    extend_by(*batch, end <= newest_snapshot() ? 0 : bytes_of(row, *batch));
    return {};
  }));
  if (newest_snapshot() > last_)
    return damaged("entries " + std::to_string(last_ + 1) + " to " + std::to_string(newest_snapshot()) +
                   " were written and are gone");
  return {};
}

Result<void, LogError> EtcdLog::check_marks(Reader& reader) {
  return check_rows(reader, "mark", [&](const EtcdKeyValue& row) -> Result<void, LogError> {
    marked_ = position_in(row.key);
    if (mark_of(row)) return {};
    return damaged("the state mark of entry " + std::to_string(marked_) + " is damaged");
  });
}

Result<void, std::string> EtcdLog::begin() {
  if (!is_new_) return {};
  const std::int64_t epoch = leadership_.epoch();
  if (epoch == 0) return unexpected("cannot write to " + terms_.place + ": this node does not lead");
  const std::string key = key_of_facts(terms_.prefix);
  const std::lock_guard alone(aside_mutex_);
  const FactsRow facts{.format = log_format, .identity = terms_.facts.identity, .opening = terms_.facts.opening};
  const auto done = aside_.commit({.compares = {we_lead(epoch), {.key = key, .kind = EtcdCompare::Kind::absent}},
                                   .puts = {{.key = key, .value = to_archive(facts)}}});
  if (!done || !done->succeeded) {
    const auto found = aside_.read_one(key);
    const bool is_there = found && *found && (*found)->value == to_archive(facts);
    if (!is_there)
      return unexpected("cannot write to " + terms_.place + ": " +
                        (done ? "this node does not lead any more" : done.error().reason));
  }
  is_new_ = false;
  return {};
}

}  // namespace svc::sim
