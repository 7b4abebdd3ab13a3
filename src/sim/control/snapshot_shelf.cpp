#include "sim/control/snapshot_shelf.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/limits.h"
#include "sim/control/ready_report.h"

namespace svc::sim {
namespace {

constexpr std::string_view extension = ".json";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

}  // namespace

SnapshotShelf::SnapshotShelf(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = file.path().stem().string();
    if (file.path().extension() != extension || !is_name(name)) continue;
    auto image = parse_document(text_of(file.path()));
    Row row{.name = name, .image = nullptr, .problem = image ? "" : image.error()};
    if (image) row.image = std::make_shared<const VenueImage>(std::move(*image));
    rows_.emplace(name, std::move(row));
  }
}

bool SnapshotShelf::is_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return !text.empty() && text.size() <= limits::snapshot_name_chars_max && text.front() != '.' &&
         std::ranges::all_of(text, fits);
}

Result<void, ShelfRefusal> SnapshotShelf::put(const std::string& name, std::shared_ptr<const VenueImage> image) {
  const std::lock_guard lock(mutex_);
  std::size_t others = 0;
  std::size_t bytes = image->bytes();
  for (const auto& [known, row] : rows_) {
    if (known == name) continue;
    ++others;
    if (row.image != nullptr) bytes += row.image->bytes();
  }
  if (others >= limits::snapshots_max) return unexpected(ShelfRefusal::too_many);
  if (bytes > limits::snapshots_bytes_max) return unexpected(ShelfRefusal::too_large);
  if (!folder_.empty() && !write_whole_file(file_of(name), to_document(*image)))
    return unexpected(ShelfRefusal::not_written);
  rows_.insert_or_assign(name, Row{.name = name, .image = std::move(image), .problem = ""});
  return {};
}

std::vector<SnapshotShelf::Row> SnapshotShelf::rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<Row> rows;
  for (const auto& [name, row] : rows_) rows.push_back(row);
  return rows;
}

std::optional<SnapshotShelf::Row> SnapshotShelf::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = rows_.find(name);
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

bool SnapshotShelf::remove(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = rows_.find(name);
  if (found == rows_.end()) return false;
  std::error_code gone_already;
  if (!folder_.empty()) std::filesystem::remove(file_of(name), gone_already);
  rows_.erase(found);
  return true;
}

std::filesystem::path SnapshotShelf::file_of(std::string_view name) const {
  return folder_ / std::string(name).append(extension);
}

}  // namespace svc::sim
