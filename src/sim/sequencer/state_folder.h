// The folder that holds a sandbox's journals, one file per network, and the lock that keeps others out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

struct sqlite3_file;

namespace svc::sim {

class StateFolder {
 public:
  // Called while the state cannot be had, with the reason, such as "process 123 uses /folder"; returns whether to try
  // again, and may wait first. A killed process keeps its locks until its memory is freed. (D-655)
  using TryAgain = std::function<bool(const std::string& reason)>;

  // Creates the folder if missing, readable by its owner only, and locks it for the lifetime of this object,
  // however the process ends. The error is one line if another process holds it.
  [[nodiscard]] static Result<StateFolder, std::string> open(const std::filesystem::path& folder,
                                                             const TryAgain& try_again = {});
  StateFolder(StateFolder&&) noexcept = default;
  StateFolder& operator=(StateFolder&&) = delete;
  ~StateFolder();

  [[nodiscard]] std::filesystem::path journal_of(std::string_view network) const {
    return folder_ / (std::string(network) + ".db");
  }

  // Why nothing may be written to the folder's path any more: it leads to another folder by now, or to none. Empty: it
  // leads to the locked one. Any thread.
  [[nodiscard]] std::string problem() const;

  // From now on the folder is used. Without this call it is left exactly as it was found.
  void use() { found_.clear(); }

 private:
  StateFolder(std::filesystem::path folder, Descriptor lock, std::string found)
      : folder_(std::move(folder)), lock_(std::move(lock)), found_(std::move(found)) {}

  std::filesystem::path folder_;
  Descriptor lock_;    // of the locked file
  std::string found_;  // its original content, to be restored
};

// An SQLite VFS by its name; empty: the files of this machine.
using DiskName = std::string;

// One file on a journal's disk. All files of a journal (database, write-ahead log and the files beside them) go
// through an SQLite VFS, so a VFS that is registered and named here sees every byte. Not thread-safe.
class DiskFile {
 public:
  enum class Access : std::uint8_t {
    read,
    write,  // creates the file, readable by its owner only
  };

  [[nodiscard]] static Result<DiskFile, std::string> open(const std::filesystem::path& path, Access access,
                                                          const DiskName& disk);
  // False if the file is missing or empty.
  [[nodiscard]] static bool is_there(const std::filesystem::path& path, const DiskName& disk);
  // Creates an empty file, readable by its owner only, if it is missing. A registered VFS creates files itself;
  // then this does nothing.
  [[nodiscard]] static Result<void, std::string> create(const std::filesystem::path& path, const DiskName& disk);
  // Makes the names in the file's folder durable. SQLite requests that as well, but ignores the result.
  [[nodiscard]] static bool sync_folder_of(const std::filesystem::path& path, const DiskName& disk);

  [[nodiscard]] std::int64_t size() const;
  // False unless all bytes could be read.
  [[nodiscard]] bool read(std::int64_t at, std::span<char> bytes) const;
  [[nodiscard]] bool write(std::int64_t at, std::string_view bytes);
  [[nodiscard]] bool sync();

 private:
  struct Close {
    void operator()(sqlite3_file* file) const;
  };
  DiskFile(std::unique_ptr<const std::string> name, std::unique_ptr<sqlite3_file, Close> file)
      : name_(std::move(name)), file_(std::move(file)) {}

  std::unique_ptr<const std::string> name_;  // where SQLite keeps a pointer to it
  std::unique_ptr<sqlite3_file, Close> file_;
};

}  // namespace svc::sim
