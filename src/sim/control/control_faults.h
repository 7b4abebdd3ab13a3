// Faults of the control surface and of a fault file: api::control::FaultTerms.
#pragma once

#include "api/contract/control.h"
#include "base/result.h"
#include "sim/gateway/fault_book.h"

namespace svc::sim {

// The error is one sentence that says what was expected.
[[nodiscard]] Result<FaultRule, std::string> parse_fault(std::string_view json);

// One object per line, without blank lines; the error names the line. At most limits::fault_rules_max.
[[nodiscard]] Result<std::vector<FaultRule>, std::string> parse_fault_lines(std::string_view text);

}  // namespace svc::sim
