// One number for the whole state: equal states give equal hashes, however they are laid out in memory.
#pragma once

#include <cstdint>

#include "sim/engine/state.h"

namespace svc::engine {

// Of the bytes that an image is made of (state_image.h), so what an image keeps is what the hash covers.
[[nodiscard]] std::uint64_t hash_of(const State& state);

}  // namespace svc::engine
