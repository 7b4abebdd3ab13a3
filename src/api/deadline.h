// A point in real time after which a wait is given up. The only place where the client reads a clock
// that is not the venue's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace svc::api {

using Deadline = std::chrono::steady_clock::time_point;

[[nodiscard]] Deadline deadline_in(std::int64_t ms);
// For poll(), rounded up; 0 once it has passed.
[[nodiscard]] int remaining_ms(Deadline deadline);
// The first of `attempts` equal shares of the time that is left.
[[nodiscard]] Deadline share_of(Deadline deadline, std::size_t attempts);

}  // namespace svc::api
