// What was ever asked of this sandbox and how it was answered: every route of the operation table with the
// statuses and error codes met there. Whoever tests a client against the sandbox sees what the tests never
// touched. (GET /_svc/coverage)
//
// Thread-safe: one lock, held for one entry.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/error_catalog.h"
#include "api/operation.h"

namespace svc::sim {

struct RouteCoverage {
  const api::Operation* operation = nullptr;
  bool twin = false;
  std::uint64_t requests = 0;
  std::map<int, std::uint64_t> statuses;          // 0: no answer was given
  std::map<api::ErrorCode, std::uint64_t> codes;  // of refusals

  [[nodiscard]] bool succeeded() const { return statuses.contains(operation->success); }
};

class Coverage {
 public:
  void add(const api::Operation& operation, bool twin, int status, std::string_view code);

  // Every route, in the order of the table, legacy operations last; those never asked included.
  [[nodiscard]] std::vector<RouteCoverage> routes() const;

 private:
  struct Tally {
    std::uint64_t requests = 0;
    std::map<int, std::uint64_t> statuses;
    std::map<api::ErrorCode, std::uint64_t> codes;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string_view, bool>, Tally> by_route_;
};

}  // namespace svc::sim
