// What the control surface tells: the sandbox, its time, its requests, its invariants.
#pragma once

#include <string>

#include "api/http_message.h"
#include "sim/control/controlled_venue.h"
#include "sim/gateway/coverage.h"

namespace svc::sim {

class ControlReports {
 public:
  explicit ControlReports(ControlledVenue venue) : venue_(std::move(venue)), started_ms_(venue_.machine.now_ms()) {}

  [[nodiscard]] ControlAnswer status(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer time(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer requests(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer coverage(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer tag_coverage(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer invariants(const api::HttpRequest& request) const;

 private:
  ControlledVenue venue_;
  TimestampMs started_ms_;
};

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

[[nodiscard]] std::string coverage_json(const std::vector<RouteCoverage>& routes);

}  // namespace svc::sim
