#include "sim/engine/state_hash.h"

#include "sim/engine/digest.h"
#include "sim/engine/state_image.h"

namespace svc::engine {

std::uint64_t hash_of(const State& state) {
  Digest digest;
  digest.add_bytes(bytes_of(state));
  return digest.value();
}

}  // namespace svc::engine
