// The storage of a log: append-only files in one folder, and locks that end with the process that holds them.
#pragma once

#include <filesystem>
#include <memory>

#include "cli/machine/private_file.h"
#include "cli/terminal/failure.h"

namespace svc::cli::outbox {

enum class Hold : std::uint8_t { shared, alone };

class LogDisk {
 public:
  virtual ~LogDisk() = default;

  // The names of the files, sorted; none if the folder does not exist yet.
  virtual Result<std::vector<std::string>> names() const = 0;
  // The whole file; empty if it does not exist.
  virtual Result<std::string> read(const std::string& name) const = 0;
  // Appends atomically with respect to other readers and writers, and returns the file's size after it. After a failure
  // any part of the text may have been written.
  virtual Result<std::uint64_t> append(const std::string& name, std::string_view text) = 0;
  // After this, what was appended to the file survives a power cut, and so does the file's name.
  virtual Result<void> sync(const std::string& name) = 0;
  // Creates a file that is complete and synced before others can see it. Fails if the name exists.
  virtual Result<void> add(const std::string& name, std::string_view text) = 0;
  // nullopt while another holder excludes this one.
  virtual Result<std::optional<FileLock>> try_lock(std::uint64_t key, Hold hold) = 0;
  // True while somebody holds it. The check itself blocks nobody.
  virtual Result<bool> is_locked(std::uint64_t key) = 0;
};

// A folder on disk: mode 0700, files of mode 0600, byte locks on a file `lock` in it.
[[nodiscard]] std::unique_ptr<LogDisk> open_log_folder(const std::filesystem::path& folder);

}  // namespace svc::cli::outbox
