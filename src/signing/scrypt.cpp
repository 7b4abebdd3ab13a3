#include "signing/scrypt.h"

#include <sodium/core.h>
#include <sodium/crypto_pwhash_scryptsalsa208sha256.h>

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "base/hex.h"
#include "base/limits.h"

namespace svc::signing {

bool is_acceptable(const ScryptCost& cost) {
  constexpr std::uint64_t work_max = limits::scrypt_work_max;
  constexpr std::uint64_t blocks_max = limits::scrypt_memory_bytes_max / 128;
  if (cost.n < 2 || !std::has_single_bit(cost.n) || cost.r == 0 || cost.p == 0) return false;
  // Each alone first, so that no product below overflows.
  if (cost.n > work_max || cost.r > work_max || cost.p > work_max) return false;
  if (cost.n * cost.r > blocks_max) return false;  // the work bound keeps the lanes' r * p as small
  return cost.n * cost.r * cost.p <= work_max;
}

ScryptCost raised(const ScryptCost& cost, const ScryptCost& least) {
  const ScryptCost both{
      .n = std::max(cost.n, least.n), .r = std::max(cost.r, least.r), .p = std::max(cost.p, least.p)};
  return is_acceptable(both) ? both : least;
}

bool scrypt(const Secret& password, std::span<const std::uint8_t> salt, const ScryptCost& cost,
            std::span<std::uint8_t> key) {
  SVC_ASSERT(is_acceptable(cost));
  // Until it is initialised, libsodium takes its slow path without vector instructions.
  static const bool initialised = sodium_init() >= 0;
  SVC_ASSERT(initialised);
  const auto text = as_bytes(password.reveal());
  return crypto_pwhash_scryptsalsa208sha256_ll(text.data(), text.size(), salt.data(), salt.size(), cost.n, cost.r,
                                               cost.p, key.data(), key.size()) == 0;
}

}  // namespace svc::signing
