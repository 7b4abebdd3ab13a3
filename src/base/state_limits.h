// Bounds of the state that a sandbox keeps, and of what is read back into it.
#pragma once

#include <cstdint>

namespace svc::limits {

inline constexpr std::uint64_t counter_max = 1ull << 62;     // of an id, a sequence or a ticket that is read back
inline constexpr std::uint32_t open_orders_default = 1'000;  // of one account; a setting of the sandbox
inline constexpr std::uint32_t open_orders_max = 1'000'000;  // of that setting
inline constexpr std::int64_t state_lock_wait_ms = 5'000;    // for a process that ends to let go of its folder
inline constexpr std::int64_t state_lock_look_ms = 20;       // between two looks at its lock

}  // namespace svc::limits
