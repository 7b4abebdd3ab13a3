// Filters documents by the system's libjq, a shared library that is loaded when it is first needed. (D-420)
#pragma once

#include "cli/terminal/failure.h"

namespace svc::cli {

// The results for one JSON text, one per line: strings without quotes, all else as compact JSON. The error is jq's.
using JqFilter = std::function<Result<std::string, std::string>(std::string_view document)>;

// Exit 2 if there is no libjq or the expression is invalid; to be checked before anything is sent.
Result<JqFilter> compile_jq(const std::string& expression);

}  // namespace svc::cli
