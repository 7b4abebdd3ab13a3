#include "sim/control/controlled_venue.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "api/codec.h"
#include "base/archive.h"
#include "base/encoding.h"
#include "base/files.h"
#include "base/limits.h"
#include "sim/engine/state.h"

namespace svc::sim {
namespace {

constexpr std::string_view extension = ".json";  // of snapshots
constexpr mode_t private_mode = 0600;

std::string failure(const char* verb, const std::filesystem::path& path) {
  return std::string("cannot ") + verb + " " + path.string() + ": " + std::strerror(errno);
}

// Devices, pipes and our own outputs cannot be replaced, only written to; they have no half-written text to hide.
bool takes_text(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return false;
  if (!S_ISREG(status.st_mode)) return true;
  return std::ranges::any_of(std::array{STDOUT_FILENO, STDERR_FILENO}, [&](int output) {
    struct stat ours {};
    return ::fstat(output, &ours) == 0 && ours.st_dev == status.st_dev && ours.st_ino == status.st_ino;
  });
}

// A pipe that nobody reads is an error: waiting for a reader could take forever.
Result<void, std::string> write_through(const std::filesystem::path& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file) return unexpected(failure("write", path));
  ::fcntl(file.get(), F_SETFL, O_WRONLY | O_APPEND);
  if (write_all(file.get(), text) != Written::whole) return unexpected(failure("write", path));
  return {};
}

Result<void, std::string> make_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  if (!make_folders(folder).empty()) return unexpected(failure("create", folder));
  return {};
}

constexpr std::string_view document_format = "svc-sandbox-state";
constexpr std::int64_t document_version = 5;

}  // namespace

Result<void, std::string> write_whole_file(const std::filesystem::path& given, std::string_view text) {
  if (takes_text(given)) return write_through(given, text);
  const std::filesystem::path path = link_target(given);
  SVC_TRY(make_folder_of(path));
  const auto beside = write_beside(path, text, private_mode);
  if (!beside) return unexpected(failure("write", path));
  if (!rename_over(*beside, path)) return unexpected(failure("rename to", path));
  return {};
}

Result<void, std::string> check_whole_file(const std::filesystem::path& given) {
  if (takes_text(given)) return {};
  const std::filesystem::path path = link_target(given);
  if (std::error_code error; std::filesystem::is_directory(path, error))
    return unexpected("cannot write " + path.string() + ": it is a folder");
  SVC_TRY(make_folder_of(path));
  const auto beside = write_beside(path, "", private_mode);
  if (!beside) return unexpected(failure("write", path));
  ::unlink(beside->name.c_str());
  return {};
}

SnapshotShelf::SnapshotShelf(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = file.path().stem().string();
    if (file.path().extension() != extension || !is_name(name)) continue;
    auto image = parse_document(file_text(file.path()));
    Row row{.name = name, .image = nullptr, .problem = image ? "" : image.error()};
    if (image) row.image = std::make_shared<const VenueImage>(std::move(*image));
    rows_.emplace(name, std::move(row));
  }
}

Result<void, api::ApiError> SnapshotShelf::put(const std::string& name, std::shared_ptr<const VenueImage> image) {
  using enum api::ErrorCode;
  const std::lock_guard lock(mutex_);
  std::size_t others = 0;
  std::size_t bytes = image->bytes();
  for (const auto& [known, row] : rows_) {
    if (known == name) continue;
    ++others;
    if (row.image != nullptr) bytes += row.image->bytes();
  }
  if (others >= limits::snapshots_max)
    return api::refused(unprocessable,
                        "at most " + std::to_string(limits::snapshots_max) + " snapshots are kept: delete one first");
  if (bytes > limits::snapshots_bytes_max)
    return api::refused(unprocessable, "all snapshots together have at most " +
                                           std::to_string(limits::snapshots_bytes_max) + " bytes: delete one first");
  SVC_TRY(check_place());
  if (!folder_.empty() && !write_whole_file(file_of(name), to_document(*image)))
    return api::refused(service_unavailable, "the state folder did not take the snapshot");
  rows_.insert_or_assign(name, Row{.name = name, .image = std::move(image), .problem = ""});
  // The file is the new one already, and so is the row.
  if (!folder_.empty() && !sync_folder(folder_))
    return api::refused(service_unavailable,
                        "the snapshot was taken, but its folder cannot be synced: after a crash of the machine the "
                        "former one may be there, or none");
  return {};
}

Result<bool, api::ApiError> SnapshotShelf::remove(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = rows_.find(name);
  if (found == rows_.end()) return false;
  SVC_TRY(check_place());
  std::error_code error;
  const bool had_file = !folder_.empty() && std::filesystem::remove(file_of(name), error);
  if (error)
    return api::refused(api::ErrorCode::service_unavailable,
                        "the snapshot was not deleted: its file cannot be removed: " + error.message());
  rows_.erase(found);
  if (had_file && !sync_folder(folder_))
    return api::refused(
        api::ErrorCode::service_unavailable,
        "the snapshot was deleted, but its folder cannot be synced: after a crash of the machine it may "
        "be back");
  return true;
}

Result<void, api::ApiError> SnapshotShelf::check_place() const {
  std::string moved = around_ == nullptr ? std::string() : around_->problem();
  if (moved.empty()) return {};
  return api::refused(api::ErrorCode::service_unavailable, std::move(moved));
}

std::filesystem::path SnapshotShelf::file_of(std::string_view name) const {
  return folder_ / std::string(name).append(extension);
}

api::control::StateDocument state_document(const VenueImage& image) {
  const std::string bytes = to_archive(image);
  return {.format = std::string(document_format),
          .version = document_version,
          .now_ms = image.at_ms,
          .sequence = image.sequence.value,
          .checksum = hex_of(engine::digest_of(bytes)),
          .state = to_base64(bytes)};
}

std::string to_document(const VenueImage& image) {
  return api::to_json(state_document(image));
}

Result<VenueImage, std::string> parse_document(std::string_view text) {
  const auto refuse = [](std::string why) { return unexpected(std::move(why)); };
  // Ignores unknown members, so that documents of other versions are recognised as such.
  const auto document = api::decode_json<api::control::StateDocument>(text, api::lenient);
  if (!document && document.error().failure == api::DecodeFailure::not_json)
    return refuse("this is not JSON: " + document.error().expected);
  if (!document || document->format != document_format) return refuse("this is not the state of a sandbox");
  if (document->version != document_version)
    return refuse("this sandbox reads states of version " + std::to_string(document_version));
  const auto bytes = parse_base64(document->state);
  if (!bytes || hex_of(engine::digest_of(*bytes)) != document->checksum) return refuse("the state is damaged");
  auto image = from_archive<VenueImage>(*bytes);
  if (!image) return refuse("the state is damaged");
  return std::move(*image);
}

}  // namespace svc::sim
