// Filters documents by the system's libjq, a shared library that is loaded when it is first needed. (D-420)
#pragma once

#include "cli/terminal/failure.h"

namespace svc::cli {

// The results for one JSON text, one per line: strings without quotes, all else as compact JSON. The error is jq's.
using JqFilter = std::function<Result<std::string, std::string>(std::string_view document)>;

struct JqUser {
  // Gets a line, once, if a document has numbers of more digits than libjq holds. (D-1125)
  std::function<void(std::string_view line)> warn{};
  // Ends an evaluation where a signal does not end this process: an expression may go on for ever. (D-1126)
  std::function<bool()> wants_end{};
};

// Exit 2 if there is no libjq or the expression is invalid; to be checked before anything is sent.
Result<JqFilter> compile_jq(const std::string& expression, JqUser user = {});

}  // namespace svc::cli
