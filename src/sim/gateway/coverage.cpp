#include "sim/gateway/coverage.h"

#include "api/operation_list.h"
#include "base/containers.h"

namespace svc::sim {

void Coverage::add(const api::Operation& operation, bool twin, int status, std::string_view code) {
  std::optional<api::ErrorCode> known;
  if (!code.empty()) known = api::find_error(code);
  const std::lock_guard lock(mutex_);
  RequestTally& tally = by_route_[{&operation, twin}];
  ++tally.requests;
  ++tally.statuses[status];
  if (known) ++tally.codes[*known];
}

namespace {

// The first minus the second.
template <class Counts>
Counts since(const Counts& now, const Counts& before) {
  Counts left;
  for (const auto& [key, count] : now) {
    const std::uint64_t more = count - value_in(before, key).value_or(0);
    if (more > 0) left.emplace(key, more);
  }
  return left;
}

}  // namespace

std::vector<RouteCoverage> Coverage::coverage_between(const Tallies& tallies, const Tallies& before) {
  std::vector<RouteCoverage> routes;
  for (const api::OperationEntry& entry : api::every_operation()) {
    for (const bool twin : {false, true}) {
      if (twin && !entry.operation->twin) continue;
      const std::pair route(entry.operation, twin);
      const RequestTally now = value_in(tallies, route).value_or(RequestTally{});
      const RequestTally old = value_in(before, route).value_or(RequestTally{});
      routes.push_back({{.requests = now.requests - old.requests,
                         .statuses = since(now.statuses, old.statuses),
                         .codes = since(now.codes, old.codes)},
                        entry.operation,
                        twin});
    }
  }
  return routes;
}

}  // namespace svc::sim
