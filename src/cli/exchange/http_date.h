// The Date header of an answer.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace svc::cli {

// "Tue, 15 Nov 1994 08:12:31 GMT"; nullopt for anything else.
[[nodiscard]] std::optional<TimestampMs> parse_http_date(std::string_view text);

}  // namespace svc::cli
