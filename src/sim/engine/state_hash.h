// One number for the whole state: equal states give equal hashes, however they are laid out in memory.
#pragma once

#include <cstdint>

#include "sim/engine/state.h"

namespace svc::engine {

[[nodiscard]] std::uint64_t hash_of(const State& state);

}  // namespace svc::engine
