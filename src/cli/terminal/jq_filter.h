// Filters documents by the system's libjq, a shared library that is loaded when it is first needed. (D-420)
#pragma once

#include "cli/terminal/failure.h"

namespace svc::cli {

// The results for one JSON text, one per line: strings without quotes, all else as compact JSON. The error is jq's.
using JqFilter = std::function<Result<std::string, std::string>(std::string_view document)>;

// Gets a line for the user, once, if a document has numbers of more digits than libjq holds. (D-1125)
using JqWarn = std::function<void(std::string_view line)>;

// Exit 2 if there is no libjq or the expression is invalid; to be checked before anything is sent.
Result<JqFilter> compile_jq(const std::string& expression, JqWarn warn = {});

}  // namespace svc::cli
