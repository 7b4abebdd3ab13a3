#include "sim/services/nonce_book.h"

#include <algorithm>

namespace svc::sim {

bool NonceBook::spend(const Address& signer, std::initializer_list<std::uint64_t> nonces) {
  const std::lock_guard lock(mutex_);
  const auto known = highest_.find(signer);
  bool all_fresh = true;
  for (const std::uint64_t nonce : nonces) all_fresh = all_fresh && (known == highest_.end() || nonce > known->second);
  const std::uint64_t largest = std::max(nonces);
  if (known == highest_.end()) {
    highest_.emplace(signer, largest);
  } else {
    known->second = std::max(known->second, largest);
  }
  return all_fresh;
}

std::optional<std::uint64_t> NonceBook::highest(const Address& signer) const {
  const std::lock_guard lock(mutex_);
  const auto known = highest_.find(signer);
  if (known == highest_.end()) return std::nullopt;
  return known->second;
}

}  // namespace svc::sim
