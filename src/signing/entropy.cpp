#include "signing/entropy.h"

#include <openssl/rand.h>

#include "base/assert.h"

namespace svc::signing {

void fill_random(std::span<std::uint8_t> bytes) {
  SVC_ASSERT(RAND_priv_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
}

SealEntropy fresh_seal_entropy() {
  SealEntropy entropy;
  fill_random(entropy.salt);
  fill_random(entropy.iv);
  fill_random(entropy.id);
  return entropy;
}

}  // namespace svc::signing
