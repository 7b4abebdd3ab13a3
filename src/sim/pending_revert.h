// A revert of several networks that is under way. Each network has a log of its own, so what is about to happen to all
// of them is written down first, in `revert.json` of the state folder; a start that finds it finishes it: a network
// whose log has no further entry since was not reached. (D-405, docs/journal_format.md)
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "sim/control/venue_image.h"

namespace svc::sim {

class PendingRevert {
 public:
  using Positions = std::map<std::string, std::uint64_t>;  // of each network's log, before

  explicit PendingRevert(const std::filesystem::path& folder) : path_(folder / "revert.json") {}

  // Safe on the disk when it answers true.
  [[nodiscard]] bool write(const VenueImage& image, const Positions& positions) const;
  // nullopt: nothing is under way. The error is one sentence.
  [[nodiscard]] Result<std::optional<std::pair<VenueImage, Positions>>, std::string> read() const;
  // If it stays, it is known by the positions that it is done.
  void remove() const;

 private:
  std::filesystem::path path_;
};

}  // namespace svc::sim
