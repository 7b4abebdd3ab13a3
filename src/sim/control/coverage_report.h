// What the requests so far covered, as JSON: GET /_svc/coverage.
//
//   {"operations": [{"operation","method","path","twin","success","requests","met","statuses":{"200":3},
//                    "codes_met":[...],"codes_missing":[...]}],
//    "codes_never_met": [...],
//    "met": {"operations": n, "successes": n, "errors": n, "codes": n},
//    "of":  {"operations": n, "successes": n, "errors": n, "codes": n}}
//
// One row per route, twins apart; `met` of a row: it was answered with its success at least once. Errors are
// those that the operation declares; codes are those of the whole catalogue, wherever they were met.
#pragma once

#include <string>

#include "sim/gateway/coverage.h"

namespace svc::sim {

[[nodiscard]] std::string coverage_json(const std::vector<RouteCoverage>& routes);

}  // namespace svc::sim
