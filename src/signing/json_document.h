// Unambiguous JSON text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::signing {

// One JSON value and nothing after it. Also refuses an object that repeats a member, and nesting deeper than
// limits::signing_json_depth_max. The error says what was found where.
[[nodiscard]] Result<nlohmann::json, std::string> parse_json_document(std::string_view text);

}  // namespace svc::signing
