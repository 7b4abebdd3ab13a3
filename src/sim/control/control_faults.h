// Faults, as the control surface sets, lists and lifts them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/http_message.h"
#include "base/result.h"
#include "sim/control/control_body.h"
#include "sim/control/controlled_venue.h"
#include "sim/gateway/fault_book.h"

namespace svc::sim {

class ControlFaults {
 public:
  explicit ControlFaults(const ControlledVenue& venue) : faults_(venue.faults) {}

  [[nodiscard]] ControlAnswer add(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer list(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer clear(const api::HttpRequest& request) const;
  // The number is the last segment of the path.
  [[nodiscard]] ControlAnswer remove(const api::HttpRequest& request) const;

 private:
  FaultBook& faults_;
};

// A fault as the control surface speaks of it: one flat JSON object.
//
//   which requests   "route" (glob over the path), "operation", "method", "account"
//   how often        "rate" (0.1), "count"
//   what             one of
//                      "code" and, for another than its usual status, "status"; or "status" alone
//                      "drop_before": true       lost on its way here
//                      "drop_after_send": true   handled, and the answer lost
//                      "skew_ms"                 the server's clock, as credentials see it
//                      "ws": "gap"|"drop"|"dup"|"reorder"
//                    and "latency_ms", alone or with a code or a drop

// The error is one sentence that says what was expected.
[[nodiscard]] Result<FaultRule, std::string> parse_fault(const ControlBody& body);

// One object per line, blank lines aside; the error names the line. At most limits::fault_rules_max.
[[nodiscard]] Result<std::vector<FaultRule>, std::string> parse_fault_lines(std::string_view text);

// {"id","hits",...} with the members above that the rule has.
[[nodiscard]] std::string to_json(const SetFault& fault);

}  // namespace svc::sim
