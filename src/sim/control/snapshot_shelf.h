// Named snapshots of a venue. With a folder each is also a file of its own there, NAME.json, and is found again after
// a restart; one whose file is damaged is listed and says so. (D-023)
//
// Thread-safe: one lock, held while a file is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lock_order.h"
#include "base/result.h"
#include "sim/control/venue_image.h"

namespace svc::sim {

enum class ShelfRefusal : std::uint8_t {
  too_many,     // limits::snapshots_max
  too_large,    // limits::snapshots_bytes_max, of all together
  not_written,  // the folder did not take the file
};

class SnapshotShelf {
 public:
  // An empty path: in memory alone.
  explicit SnapshotShelf(std::filesystem::path folder = {});

  // 1 to limits::snapshot_name_chars_max letters, digits, dots, dashes and underscores; no dot in front.
  [[nodiscard]] static bool is_name(std::string_view text);

  struct Row {
    std::string name;
    std::shared_ptr<const VenueImage> image;  // nullptr: damaged
    std::string problem;                      // why
  };
  // A name that is there already stands for the newer image from now on.
  [[nodiscard]] Result<void, ShelfRefusal> put(const std::string& name, std::shared_ptr<const VenueImage> image);
  [[nodiscard]] std::vector<Row> rows() const;
  [[nodiscard]] std::optional<Row> find(std::string_view name) const;
  // False if there was none.
  [[nodiscard]] bool remove(std::string_view name);

 private:
  [[nodiscard]] std::filesystem::path file_of(std::string_view name) const;

  const std::filesystem::path folder_;
  mutable Ranked<LockRank::shelf> mutex_;
  std::map<std::string, Row, std::less<>> rows_;
};

}  // namespace svc::sim
