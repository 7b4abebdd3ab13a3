// Points in time as text: RFC 3339, UTC, milliseconds ("2026-09-21T12:00:00.000Z").
#pragma once

#include <string>

#include "base/clock.h"

namespace svc {

// Years 1970 to 9999.
[[nodiscard]] std::string utc_text(TimestampMs at_ms);

}  // namespace svc
