#include "sim/gateway/coverage.h"

#include "api/operation_list.h"
#include "api/operation_table.h"

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
    const auto known = before.find(key);
    const std::uint64_t more = count - (known == before.end() ? 0 : known->second);
    if (more > 0) left.emplace(key, more);
  }
  return left;
}

}  // namespace

std::vector<RouteCoverage> Coverage::coverage_between(const Tallies& tallies, const Tallies& before) {
  std::vector<RouteCoverage> routes;
  for (const auto operations : {api::all_operations(), api::legacy_operations()}) {
    for (const api::OperationEntry& entry : operations) {
      for (const bool twin : {false, true}) {
        if (twin && !entry.operation->twin) continue;
        const auto tally_in = [&](const Tallies& all) {
          const auto met = all.find({entry.operation, twin});
          return met == all.end() ? RequestTally{} : met->second;
        };
        const RequestTally now = tally_in(tallies);
        const RequestTally old = tally_in(before);
        routes.push_back({{.requests = now.requests - old.requests,
                           .statuses = since(now.statuses, old.statuses),
                           .codes = since(now.codes, old.codes)},
                          entry.operation,
                          twin});
      }
    }
  }
  return routes;
}

}  // namespace svc::sim
