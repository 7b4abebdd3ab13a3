// The engine's state as bytes, and back: for snapshots, for restarts, and for the state hash. (D-020)
//
// What can be computed from the rest is left out: slots, books, owners' lists, reservations and valuations are
// built anew from the orders in the order of their priority. The order of declaration of what is kept is the format
// (base/archive.h); whoever changes it gives image_version its next number.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sim/engine/state.h"

namespace svc::engine {

inline constexpr std::uint32_t image_version = 2;

// Every value of the state in a fixed order. The client ids ever used, whose number only grows, are represented by
// their digest. Equal states give equal bytes.
[[nodiscard]] std::string bytes_of(const State& state);

// The above and the client ids, behind a head that names version and markets, with a checksum.
[[nodiscard]] std::string image_of(const State& state);

// The state of an image. Its markets must be those of `home`. The error is one sentence.
[[nodiscard]] Result<std::unique_ptr<State>, std::string> state_of(std::string_view image, const State& home);

}  // namespace svc::engine
