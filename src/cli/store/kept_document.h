// A JSON document in a private file: an object with the version of its format, replaced whole or not at all.
//
// Whoever changes it holds its lock from reading to writing. The lock is on a neighbour that stays, because the file
// itself is replaced by rename.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "cli/machine/private_file.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/json.h"

namespace svc::cli {

class KeptDocument {
 public:
  // `what` and `advice` are for the message about a damaged file: "the nonce file PATH is damaged; it is not guessed".
  KeptDocument(const std::filesystem::path& file, std::int64_t version, std::string_view what = "file",
               std::string_view advice = {})
      : KeptDocument(
            file, version,
            internal_error("the ", what, " ", file.string(), " is damaged", advice.empty() ? "" : "; ", advice)) {}
  KeptDocument(std::filesystem::path file, std::int64_t version, Failure damaged)
      : file_(std::move(file)), version_(version), damaged_(std::move(damaged)) {}

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  [[nodiscard]] Result<FileLock, Failure> lock(std::int64_t patience_ms = lock_patience_ms) const {
    return lock_beside(file_, patience_ms);
  }

  // nullopt if there is no file.
  [[nodiscard]] Result<std::optional<Json>, Failure> read() const;
  // One member of it; nullopt if there is no file. A file without that member is damaged.
  [[nodiscard]] Result<std::optional<Json>, Failure> read(std::string_view member) const;
  // Null if there is no file, or one that cannot be used: of caches, which nobody misses.
  [[nodiscard]] Json read_if_usable() const;
  // The members after the version.
  [[nodiscard]] Result<void, Failure> write(const Json& members) const;

  [[nodiscard]] const Failure& damaged() const { return damaged_; }

 private:
  std::filesystem::path file_;
  std::int64_t version_;
  Failure damaged_;
};

}  // namespace svc::cli
