#include "sim/sequencer/sqlite_file.h"

#include <sqlite3.h>

#include <array>

#include "base/assert.h"
#include "base/encoding.h"

namespace svc::sim {
namespace {

// A URI for read-only use: without it SQLite would create a missing write-ahead log.
std::string immutable_uri(const std::filesystem::path& path) {
  return "file:" + percent_encode(path.string(), Plus::is_itself) + "?immutable=1";
}

constexpr std::size_t head_bytes = 32;        // of the file: eight words
constexpr std::size_t frame_head_bytes = 24;  // of a frame: six words, then the page
constexpr std::uint32_t magic = 0x377f0682;   // the lowest bit: checksums are of big-endian words
constexpr std::uint32_t page_bytes_max = 65'536;

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes[at + i]);
  return word;
}

struct Checksum {
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  bool operator==(const Checksum&) const = default;
};

Checksum checksum_at(std::string_view bytes, std::size_t at) {
  return {big_endian(bytes, at), big_endian(bytes, at + 4)};
}

enum class WordOrder : std::uint8_t { little_endian, big_endian };

Checksum folded(Checksum sum, std::string_view bytes, WordOrder order) {
  const auto word = [&](std::size_t at) {
    const std::uint32_t value = big_endian(bytes, at);
    return order == WordOrder::big_endian ? value : __builtin_bswap32(value);
  };
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    sum.first += word(at) + sum.second;
    sum.second += word(at + 4) + sum.first;
  }
  return sum;
}

}  // namespace

void SqliteStatement::bind_number(int parameter, std::int64_t value) {
  SVC_ASSERT(sqlite3_bind_int64(statement_.get(), parameter, value) == SQLITE_OK);
}

// Everything but its size fits every parameter.
void SqliteStatement::bind_blob(int parameter, std::string_view bytes) {
  // A null pointer would be bound as NULL.
  const char* data = bytes.empty() ? "" : bytes.data();
  const int bound = sqlite3_bind_blob64(statement_.get(), parameter, data, bytes.size(), SQLITE_STATIC);
  SVC_ASSERT(bound == SQLITE_OK || bound == SQLITE_TOOBIG);
  is_too_large_ = is_too_large_ || bound == SQLITE_TOOBIG;
}

bool SqliteStatement::next() {
  const int stepped = is_too_large_ ? SQLITE_TOOBIG : sqlite3_step(statement_.get());
  has_failed_ = stepped != SQLITE_ROW && stepped != SQLITE_DONE;
  return stepped == SQLITE_ROW;
}

bool SqliteStatement::run() {
  const bool done = !next() && !failed();
  reset();
  return done;
}

void SqliteStatement::reset() {
  sqlite3_reset(statement_.get());
  is_too_large_ = false;
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view SqliteStatement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return data == nullptr ? std::string_view{} : std::string_view(static_cast<const char*>(data), size);
}

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Result<SqliteFile, std::string> SqliteFile::open(const std::filesystem::path& path, DiskFile::Access access,
                                                 const DiskName& disk) {
  const bool writes = access == DiskFile::Access::write;
  if (writes) SVC_TRY(DiskFile::create(path, disk));
  const bool has_log = DiskFile::is_there(path.string() + "-wal", disk);
  const std::string name = writes || has_log ? path.string() : immutable_uri(path);
  // Only a connection that may write can read a write-ahead log: its index is then in memory, under a write lock.
  const int flags = writes    ? SQLITE_OPEN_READWRITE | (disk.empty() ? 0 : SQLITE_OPEN_CREATE)
                    : has_log ? SQLITE_OPEN_READWRITE
                              : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                                     disk.empty() ? nullptr : disk.c_str());
  SqliteFile file(raw);
  if (opened != SQLITE_OK) return unexpected("cannot open " + path.string() + ": " + file.problem());
  // The last connection to close a file moves the write-ahead log into it and removes the log.
  if (writes) return file;
  if (sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr) != SQLITE_OK)
    return unexpected("cannot open " + path.string() + ": it would be written when it is closed");
  SVC_TRY(file.run("PRAGMA query_only = ON"));
  return file;
}

Result<SqliteStatement, std::string> SqliteFile::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int prepared = sqlite3_prepare_v3(file_.get(), sql.data(), static_cast<int>(sql.size()),
                                          SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (prepared != SQLITE_OK) return unexpected(problem());
  return SqliteStatement(statement);
}

Result<void, std::string> SqliteFile::run(const std::string& sql) {
  if (sqlite3_exec(file_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return unexpected(problem());
  return {};
}

Result<std::optional<std::string>, std::string> SqliteFile::ask(std::string_view sql) {
  auto statement = SVC_TRY(prepare(sql));
  if (statement.next()) return std::optional(std::string(statement.bytes(0)));
  if (statement.failed()) return unexpected(problem());
  return std::optional<std::string>{};
}

void SqliteFile::roll_back() {
  if (sqlite3_get_autocommit(file_.get()) == 0) (void)run("ROLLBACK");
}

std::string SqliteFile::problem() const {
  return file_ == nullptr ? "out of memory" : sqlite3_errmsg(file_.get());
}

void SqliteFile::Close::operator()(sqlite3* file) const {
  sqlite3_close_v2(file);
}

std::optional<std::uint64_t> damaged_frame(const std::filesystem::path& log, const DiskName& disk) {
  if (!DiskFile::is_there(log, disk)) return std::nullopt;
  const auto file = DiskFile::open(log, DiskFile::Access::read, disk);
  std::array<char, head_bytes> head{};
  if (!file || !file->read(0, head)) return std::nullopt;
  const std::string_view head_text(head.data(), head.size());
  const std::uint32_t page_bytes = big_endian(head_text, 8);
  if ((big_endian(head_text, 0) & ~1u) != magic || page_bytes < sqlite_page_bytes_min || page_bytes > page_bytes_max)
    return std::nullopt;
  const WordOrder order = (big_endian(head_text, 0) & 1) != 0 ? WordOrder::big_endian : WordOrder::little_endian;
  // A head that does not fit was being written when the log began anew: all before is in the database by then.
  if (folded({}, head_text.substr(0, 24), order) != checksum_at(head_text, 24)) return std::nullopt;

  std::optional<std::uint64_t> broken;
  bool ended = false;  // a transaction, with the frame before
  Checksum before = checksum_at(head_text, 24);
  std::string frame(frame_head_bytes + page_bytes, '\0');
  for (std::uint64_t number = 1;; ++number) {
    const auto at = static_cast<std::int64_t>(head_bytes + (number - 1) * frame.size());
    if (!file->read(at, frame)) return std::nullopt;
    const std::string_view text = frame;
    const Checksum sum = folded(folded(before, text.substr(0, 8), order), text.substr(frame_head_bytes), order);
    const Checksum noted = checksum_at(text, 16);
    before = noted;
    // Frames of an earlier use of the file have other salts, and fit nothing that stands before them now.
    const bool is_of_this_log = text.substr(8, 8) == head_text.substr(16, 8);
    const bool fits = sum == noted && is_of_this_log;
    if (broken && fits && ended) return broken;
    if (!fits && !broken) broken = number;
    ended = big_endian(text, 4) != 0 && (is_of_this_log || sum == noted);
  }
}

}  // namespace svc::sim
