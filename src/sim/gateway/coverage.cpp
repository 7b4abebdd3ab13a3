#include "sim/gateway/coverage.h"

#include "api/operation_list.h"
#include "api/operation_table.h"

namespace svc::sim {

void Coverage::add(const api::Operation& operation, bool twin, int status, std::string_view code) {
  std::optional<api::ErrorCode> known;
  if (!code.empty()) known = api::find_error(code);
  const std::lock_guard lock(mutex_);
  Tally& tally = by_route_[{operation.name, twin}];
  ++tally.requests;
  ++tally.statuses[status];
  if (known) ++tally.codes[*known];
}

std::vector<RouteCoverage> Coverage::routes() const {
  std::vector<RouteCoverage> routes;
  const std::lock_guard lock(mutex_);
  for (const auto operations : {api::all_operations(), api::legacy_operations()}) {
    for (const api::OperationEntry& entry : operations) {
      for (const bool twin : {false, true}) {
        if (twin && !entry.operation->twin) continue;
        RouteCoverage route{.operation = entry.operation, .twin = twin, .requests = 0, .statuses = {}, .codes = {}};
        const auto met = by_route_.find({entry.operation->name, twin});
        if (met != by_route_.end()) {
          route.requests = met->second.requests;
          route.statuses = met->second.statuses;
          route.codes = met->second.codes;
        }
        routes.push_back(std::move(route));
      }
    }
  }
  return routes;
}

}  // namespace svc::sim
