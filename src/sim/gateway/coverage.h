// Which requests this sandbox received and how it answered, by route: shows what the tests of a client never touched.
// (GET /_svc/coverage) Thread-safe: one lock, held for one entry.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/error_catalog.h"
#include "api/operation.h"
#include "base/lock_order.h"

namespace svc::sim {

inline constexpr std::size_t coverage_tags_max = 100;
inline constexpr std::size_t coverage_tag_chars_max = 64;

struct RequestTally {
  std::uint64_t requests = 0;
  std::map<int, std::uint64_t> statuses{};          // 0: no answer was given
  std::map<api::ErrorCode, std::uint64_t> codes{};  // of refusals
};

struct RouteCoverage : RequestTally {
  const api::Operation* operation = nullptr;
  bool twin = false;

  [[nodiscard]] bool succeeded() const { return statuses.contains(operation->success); }
};

class Coverage {
 public:
  void add(const api::Operation& operation, bool twin, int status, std::string_view code);

  // Every route, in the order of the table, legacy ones last. With a tag: requests since it was set; nullopt: no tag.
  [[nodiscard]] std::vector<RouteCoverage> routes() const {
    const std::lock_guard lock(mutex_);
    return coverage_between(by_route_, {});
  }
  [[nodiscard]] std::optional<std::vector<RouteCoverage>> routes_since(std::string_view tag) const {
    const std::lock_guard lock(mutex_);
    const auto before = tags_.find(tag);
    if (before == tags_.end()) return std::nullopt;
    return coverage_between(by_route_, before->second);
  }

  // Sets the tag to now, replacing an older one of that name; false beyond coverage_tags_max.
  [[nodiscard]] bool set_tag(std::string_view tag) {
    const std::lock_guard lock(mutex_);
    if (!tags_.contains(tag) && tags_.size() >= coverage_tags_max) return false;
    tags_.insert_or_assign(std::string(tag), by_route_);
    return true;
  }

 private:
  using Tallies = std::map<std::pair<const api::Operation*, bool>, RequestTally>;  // by operation and twin
  [[nodiscard]] static std::vector<RouteCoverage> coverage_between(const Tallies& tallies, const Tallies& before);

  mutable Ranked<LockRank::counter> mutex_;
  Tallies by_route_;
  std::map<std::string, Tallies, std::less<>> tags_;  // the tallies when each tag was set
};

}  // namespace svc::sim
