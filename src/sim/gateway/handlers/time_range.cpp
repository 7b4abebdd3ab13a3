#include "sim/gateway/handlers/time_range.h"

namespace svc::sim {

Result<TimeRange, api::ApiError> time_range(std::optional<TimestampMs> start, std::optional<TimestampMs> end) {
  TimeRange range;
  if (start) range.from_ms = *start;
  if (end) range.until_ms = *end;
  if (range.from_ms > range.until_ms)
    return unexpected(api::ApiError(api::ErrorCode::invalid_window, "startTime is after endTime"));
  return range;
}

}  // namespace svc::sim
