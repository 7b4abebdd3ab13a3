#include "sim/services/tier_store.h"

namespace svc::sim {

api::Tier TierStore::of(const Address& account) const {
  const std::lock_guard lock(mutex_);
  const auto assigned = overrides_.find(account);
  return assigned == overrides_.end() ? api::Tier::pro : assigned->second;
}

void TierStore::assign(const Address& account, api::Tier tier) {
  const std::lock_guard lock(mutex_);
  if (tier == api::Tier::pro) {
    overrides_.erase(account);
  } else {
    overrides_.insert_or_assign(account, tier);
  }
}

bool TierStore::reset(const Address& account) {
  const std::lock_guard lock(mutex_);
  return overrides_.erase(account) > 0;
}

std::map<Address, api::Tier> TierStore::overrides() const {
  const std::lock_guard lock(mutex_);
  return overrides_;
}

}  // namespace svc::sim
