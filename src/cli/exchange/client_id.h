// Client ids of orders: "svc-" and a ULID, so that they sort by time and never repeat.
#pragma once

#include <string>

#include "cli/environment.h"

namespace svc::cli {

[[nodiscard]] std::string make_client_id(const Environment& environment);
// 26 characters of Crockford's base 32: 48 bits of milliseconds, 80 bits of chance.
[[nodiscard]] std::string make_ulid(const Environment& environment);

}  // namespace svc::cli
