#include "sim/services/nonce_book.h"

#include <algorithm>

#include "base/archive.h"

namespace svc::sim {

bool NonceBook::spend(const Address& signer, std::initializer_list<std::uint64_t> nonces, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  const auto known = highest_.find(signer);
  bool all_fresh = true;
  for (const std::uint64_t nonce : nonces) all_fresh = all_fresh && (known == highest_.end() || nonce > known->second);
  const std::uint64_t largest = std::max(nonces);
  if (known != highest_.end() && known->second >= largest) return all_fresh;
  highest_.insert_or_assign(signer, largest);
  records.push_back({table_, to_archive(signer), to_archive(largest)});
  return all_fresh;
}

bool NonceBook::restore(const RecordChange& change) {
  if (change.table != table_) return true;
  if (!change.value) return false;  // never taken away
  const auto signer = from_archive<Address>(change.key);
  const auto highest = from_archive<std::uint64_t>(*change.value);
  if (!signer || !highest) return false;
  const std::lock_guard lock(mutex_);
  highest_.insert_or_assign(*signer, *highest);
  return true;
}

std::optional<std::uint64_t> NonceBook::highest(const Address& signer) const {
  const std::lock_guard lock(mutex_);
  const auto known = highest_.find(signer);
  if (known == highest_.end()) return std::nullopt;
  return known->second;
}

}  // namespace svc::sim
