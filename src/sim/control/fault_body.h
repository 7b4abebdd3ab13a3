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
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/control/control_body.h"
#include "sim/gateway/fault_book.h"

namespace svc::sim {

// The error is one sentence that says what was expected.
[[nodiscard]] Result<FaultRule, std::string> parse_fault(const ControlBody& body);

// One object per line, blank lines aside; the error names the line. At most limits::fault_rules_max.
[[nodiscard]] Result<std::vector<FaultRule>, std::string> parse_fault_lines(std::string_view text);

// {"id","hits",...} with the members above that the rule has.
[[nodiscard]] std::string to_json(const SetFault& fault);

}  // namespace svc::sim
