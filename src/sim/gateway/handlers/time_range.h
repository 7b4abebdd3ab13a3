// The stretch of time that a list is asked for.
#pragma once

#include <limits>
#include <optional>

#include "api/error_catalog.h"
#include "base/clock.h"
#include "base/result.h"

namespace svc::sim {

struct TimeRange {
  TimestampMs from_ms = std::numeric_limits<TimestampMs>::min();
  TimestampMs until_ms = std::numeric_limits<TimestampMs>::max();

  // Both ends belong to it.
  [[nodiscard]] bool contains(TimestampMs at_ms) const { return from_ms <= at_ms && at_ms <= until_ms; }
};

// startTime and endTime of a query; refused with invalid_window if the first is after the second. (D-283)
[[nodiscard]] Result<TimeRange, api::ApiError> time_range(std::optional<TimestampMs> start,
                                                          std::optional<TimestampMs> end);

}  // namespace svc::sim
