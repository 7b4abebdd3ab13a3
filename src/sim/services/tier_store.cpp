#include "sim/services/tier_store.h"

#include "base/archive.h"

namespace svc::sim {

api::Tier TierStore::of(const Address& account) const {
  const std::lock_guard lock(mutex_);
  const auto assigned = overrides_.find(account);
  return assigned == overrides_.end() ? api::Tier::pro : assigned->second;
}

void TierStore::assign(const Address& account, api::Tier tier, RecordBatch& records) {
  if (tier == api::Tier::pro) return void(reset(account, records));
  const std::lock_guard lock(mutex_);
  overrides_.insert_or_assign(account, tier);
  records.push_back({RecordTable::tiers, to_archive(account), to_archive(tier)});
}

bool TierStore::reset(const Address& account, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  if (overrides_.erase(account) == 0) return false;
  records.push_back({RecordTable::tiers, to_archive(account), std::nullopt});
  return true;
}

bool TierStore::restore(const RecordChange& change) {
  if (change.table != RecordTable::tiers) return true;
  const auto account = from_archive<Address>(change.key);
  if (!account) return false;
  const std::lock_guard lock(mutex_);
  overrides_.erase(*account);
  if (!change.value) return true;
  const auto tier = from_archive<api::Tier>(*change.value);
  if (!tier) return false;
  overrides_.emplace(*account, *tier);
  return true;
}

std::map<Address, api::Tier> TierStore::overrides() const {
  const std::lock_guard lock(mutex_);
  return overrides_;
}

}  // namespace svc::sim
