#include "signing/entropy.h"

#include <unistd.h>

#include <algorithm>

#include "base/assert.h"

namespace svc::signing {

namespace {

constexpr std::size_t bytes_per_call_max = 256;  // getentropy(3) gives no more at once

}  // namespace

void fill_random(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::span<std::uint8_t> piece = bytes.first(std::min(bytes.size(), bytes_per_call_max));
    SVC_ASSERT(::getentropy(piece.data(), piece.size()) == 0);
    bytes = bytes.subspan(piece.size());
  }
}

SealEntropy fresh_seal_entropy() {
  SealEntropy entropy;
  fill_random(entropy.salt);
  fill_random(entropy.iv);
  fill_random(entropy.id);
  return entropy;
}

}  // namespace svc::signing
