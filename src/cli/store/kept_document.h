// A JSON document in a private file: an object with the version of its format, replaced whole or not at all.
//
// Whoever changes it holds its lock from reading to writing. The lock is on a neighbour that stays, because the file
// itself is replaced by rename.
#pragma once

#include <filesystem>

#include "cli/machine/private_file.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

class KeptDocument {
 public:
  // `what` and `advice` are for the message about a damaged file: "the nonce file PATH is damaged; without it ...".
  KeptDocument(const std::filesystem::path& file, std::int64_t version, std::string_view what = "file",
               std::string_view advice = {})
      : KeptDocument(file, version,
                     internal_error("the ", what, " ", file.string(), " is damaged", advice.empty() ? "" : "; ", advice)
                         .to_try({"rm " + file.string()})) {}
  KeptDocument(std::filesystem::path file, std::int64_t version, Failure damaged)
      : file_(std::move(file)), version_(version), damaged_(std::move(damaged)) {}

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  Result<FileLock> lock(std::int64_t patience_ms = lock_patience_ms) const { return lock_beside(file_, patience_ms); }
  Result<std::optional<FileLock>> try_lock() const { return try_lock_beside(file_); }

  // nullopt if there is no file.
  Result<std::optional<Json>> read() const {
    const auto text = SVC_TRY(read_private(file_));
    if (!text) return std::optional<Json>{};
    Json document = json_or_null(*text);
    if (document.integer_at("version") != version_) return unexpected(damaged());
    return std::optional(std::move(document));
  }
  // One member of it; nullopt if there is no file. A file without that member is damaged.
  Result<std::optional<Json>> read(std::string_view member) const {
    const auto document = SVC_TRY(read());
    if (!document) return std::optional<Json>{};
    const Json* value = document->find(member);
    if (value == nullptr) return unexpected(damaged());
    return std::optional(*value);
  }
  // Null if there is no file, or one that cannot be used: of caches, which nobody misses.
  [[nodiscard]] Json read_if_usable() const {
    const auto document = read();
    return document ? document->value_or(Json()) : Json();
  }
  // The members after the version.
  Result<void> write(const Json& members) const {
    const Json document = Json::object({{"version", version_}}).set_all(members);
    return write_private(file_, document.dump() + "\n");
  }

  [[nodiscard]] const Failure& damaged() const { return damaged_; }

 private:
  std::filesystem::path file_;
  std::int64_t version_;
  Failure damaged_;
};

}  // namespace svc::cli
