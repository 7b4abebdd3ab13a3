// One SQLite file and its statements, as values: nothing throws, and errors say why.
//
// Not thread-safe.
#pragma once

#include <concepts>
#include <optional>

#include "sim/sequencer/state_folder.h"

struct sqlite3;
struct sqlite3_stmt;

namespace svc::sim {

// One prepared statement; columns count from 0, parameters from 1.
class SqliteStatement {
 public:
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}

  // Binds the parameters from the first on: numbers, and bytes as blobs. The caller keeps the bytes alive until the
  // next reset(). What SQLite cannot hold (1 GB) makes the next step fail.
  template <class... Value>
  void bind(const Value&... values) {
    int parameter = 0;
    const auto bind_next = [&](const auto& value) {
      if constexpr (std::integral<std::remove_cvref_t<decltype(value)>>)
        bind_number(++parameter, static_cast<std::int64_t>(value));
      else
        bind_blob(++parameter, value);
    };
    (bind_next(values), ...);
  }
  // Whether there is another row; if not, failed() tells the end from a failure.
  [[nodiscard]] bool next();
  [[nodiscard]] bool failed() const { return has_failed_; }
  // The only step of a statement without rows: whether it was done, and ready for the next time.
  [[nodiscard]] bool run();
  void reset();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::uint64_t number(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  // Valid until next().
  [[nodiscard]] std::string_view bytes(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void bind_number(int parameter, std::int64_t value);
  void bind_blob(int parameter, std::string_view bytes);

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  bool is_too_large_ = false;  // a bound value
  bool has_failed_ = false;    // the latest step
};

class SqliteFile {
 public:
  // write: creates the file if missing, readable by its owner only. read: the file must exist. It is read including
  // its write-ahead log, and no file is changed, created or removed, not even on closing.
  [[nodiscard]] static Result<SqliteFile, std::string> open(const std::filesystem::path& path,
                                                            DiskFile::Access access = DiskFile::Access::write,
                                                            const DiskName& disk = {});

  [[nodiscard]] Result<SqliteStatement, std::string> prepare(std::string_view sql);
  // Runs statements whose results do not matter.
  [[nodiscard]] Result<void, std::string> run(const std::string& sql);
  // The first column of the first row; nullopt if there is no row.
  [[nodiscard]] Result<std::optional<std::string>, std::string> ask(std::string_view sql);
  // Ends a transaction that failed half way; does nothing if none is open.
  void roll_back();

  // The error of the last failed call.
  [[nodiscard]] std::string problem() const;

 private:
  struct Close {
    void operator()(sqlite3* file) const;
  };
  explicit SqliteFile(sqlite3* file) : file_(file) {}

  std::unique_ptr<sqlite3, Close> file_;
};

inline constexpr std::uint32_t sqlite_page_bytes_min = 512;

// Looks at a write-ahead log as it stands on the disk, to tell damage from the end of a write that was cut off: to
// SQLite both are the end of the log. (docs/journal_format.md; https://www.sqlite.org/fileformat2.html#walformat)
//
// Returns the number of the first frame that is damaged although it was safe on the disk once; nullopt if there is
// none.
//
// A frame's checksum is computed from that of the frame before it. A frame that does not fit may have been cut off in
// the middle. What follows it in the same transaction may be there all the same: nothing of a transaction is synced
// before its end. But SQLite begins the next transaction only when the one before was synced. So a frame that does
// not fit is damage if its transaction ends, with it or behind it, and a frame that fits comes next. (D-656)
[[nodiscard]] std::optional<std::uint64_t> damaged_frame(const std::filesystem::path& log, const DiskName& disk);

}  // namespace svc::sim
