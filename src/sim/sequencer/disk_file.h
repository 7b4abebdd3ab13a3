// One file on the disk of a journal. Every byte of a journal goes through an SQLite VFS, its database, its write-ahead
// log and what stands beside them: whoever registers a VFS and names it here stands between the journal and the disk.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3_file;

namespace svc::sim {

// An SQLite VFS by its name; empty: the files of this machine.
using DiskName = std::string;

class DiskFile {
 public:
  enum class Access : std::uint8_t {
    read,
    write,  // creates the file, readable by its owner only
  };

  [[nodiscard]] static Result<DiskFile, std::string> open(const std::filesystem::path& path, Access access,
                                                          const DiskName& disk);
  // False if it is empty as well.
  [[nodiscard]] static bool is_there(const std::filesystem::path& path, const DiskName& disk);
  // Creates it, empty and readable by its owner only, if it is not there. On a disk that was registered nothing is
  // done: it decides itself.
  [[nodiscard]] static Result<void, std::string> create(const std::filesystem::path& path, const DiskName& disk);

  [[nodiscard]] std::int64_t size() const;
  // False unless all of it could be read.
  [[nodiscard]] bool read(std::int64_t at, std::span<char> bytes) const;
  [[nodiscard]] bool write(std::int64_t at, std::string_view bytes);
  [[nodiscard]] bool sync();

 private:
  struct Close {
    void operator()(sqlite3_file* file) const;
  };
  explicit DiskFile(std::unique_ptr<sqlite3_file, Close> file) : file_(std::move(file)) {}

  std::unique_ptr<sqlite3_file, Close> file_;
};

}  // namespace svc::sim
