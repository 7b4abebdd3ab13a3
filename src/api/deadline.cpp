#include "api/deadline.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"

namespace svc::api {

Deadline deadline_in(std::int64_t ms) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
}

int remaining_ms(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

Deadline share_of(Deadline deadline, std::size_t attempts) {
  SVC_ASSERT(attempts > 0);
  return deadline_in(remaining_ms(deadline) / static_cast<std::int64_t>(attempts));
}

}  // namespace svc::api
