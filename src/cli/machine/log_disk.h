// What a log is kept on: the files of one folder, which only grow, and locks that end with whoever holds them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/terminal/failure.h"

namespace svc::cli::outbox {

// Held until destroyed, or until its process ends, however it ends.
class LogLock {
 public:
  virtual ~LogLock() = default;
};

enum class Hold : std::uint8_t { shared, alone };

class LogDisk {
 public:
  virtual ~LogDisk() = default;

  // Names of the files, sorted; none if there is no folder yet.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  // All of it; empty if there is no such file.
  [[nodiscard]] virtual Result<std::string, Failure> read(const std::string& name) const = 0;
  // Adds at the end, in one step for those who append or read at the same time, and returns the size that the file has
  // then. After a failure any part of the text may be there.
  [[nodiscard]] virtual Result<std::uint64_t, Failure> append(const std::string& name, std::string_view text) = 0;
  // What was appended to the file survives a power cut when this returns, and so does its name.
  [[nodiscard]] virtual Result<void, Failure> sync(const std::string& name) = 0;
  // A new file, whole and synced before anybody sees it. Fails if there is one of that name.
  [[nodiscard]] virtual Result<void, Failure> add(const std::string& name, std::string_view text) = 0;
  // Fails if the new name is taken.
  [[nodiscard]] virtual Result<void, Failure> rename(const std::string& name, const std::string& to) = 0;
  // Null while somebody else holds it in a way that excludes this one.
  [[nodiscard]] virtual Result<std::unique_ptr<LogLock>, Failure> try_lock(std::uint64_t key, Hold hold) = 0;
  // True while somebody holds it; looking keeps nobody from it.
  [[nodiscard]] virtual Result<bool, Failure> is_locked(std::uint64_t key) = 0;
};

// A folder of the real disk: mode 0700, files of mode 0600, locks on the bytes of a file `lock` in it.
[[nodiscard]] std::unique_ptr<LogDisk> open_log_folder(const std::filesystem::path& folder);

}  // namespace svc::cli::outbox
