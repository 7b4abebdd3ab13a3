// The folder that holds a sandbox's journals, one file per network, and the lock that keeps others out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::sim {

class StateFolder {
 public:
  // Asked while another process has the folder, "process 123" say: whether to try once more. It waits as it likes: a
  // process that was killed has its locks until its memory is gone. (D-655)
  using TryAgain = std::function<bool(const std::string& holder)>;

  // Creates the folder if need be, readable by its owner only, and locks it until this is gone, however the
  // process ends. Refused with one line while another process has it.
  [[nodiscard]] static Result<StateFolder, std::string> open(const std::filesystem::path& folder,
                                                             const TryAgain& try_again = {});
  StateFolder(StateFolder&& other) noexcept;
  StateFolder& operator=(StateFolder&&) = delete;
  ~StateFolder();

  [[nodiscard]] std::filesystem::path journal_of(std::string_view network) const;

  // From now on the folder is used. One that was only looked at is left as it was found, to the last byte.
  void use() { found_.clear(); }

 private:
  StateFolder(std::filesystem::path folder, int lock, std::string found)
      : folder_(std::move(folder)), lock_(lock), found_(std::move(found)) {}

  std::filesystem::path folder_;
  int lock_;           // descriptor of the locked file
  std::string found_;  // what stood in it, to be put back
};

}  // namespace svc::sim

// One file on the disk of a journal. Every byte of a journal goes through an SQLite VFS, its database, its write-ahead
// log and what stands beside them: whoever registers a VFS and names it here stands between the journal and the disk.
//
// Not thread-safe.

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
  // The names in the folder of the file survive a power cut. SQLite asks for that as well, and does not look at the answer.
  [[nodiscard]] static bool sync_folder_of(const std::filesystem::path& path, const DiskName& disk);

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
