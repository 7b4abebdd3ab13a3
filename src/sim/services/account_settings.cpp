#include "sim/services/account_settings.h"

#include "base/archive.h"
#include "base/assert.h"

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

DisconnectSetting DisconnectSettings::settings_of(const Address& account) const {
  const std::lock_guard lock(mutex_);
  return {.enabled = enabled_.contains(account), .connected = streams_.contains(account), .grace_ms = terms_.grace_ms};
}

void DisconnectSettings::set(const Address& account, bool enabled, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  const bool changed = enabled ? enabled_.insert(account).second : enabled_.erase(account) > 0;
  if (!changed) return;
  RecordChange change{.table = RecordTable::cancel_on_disconnect, .key = to_archive(account)};
  if (enabled) change.value = to_archive(enabled);
  records.push_back(std::move(change));
}

bool DisconnectSettings::restore(const RecordChange& change) {
  if (change.table != RecordTable::cancel_on_disconnect) return true;
  const auto account = from_archive<Address>(change.key);
  if (!account) return false;
  const std::lock_guard lock(mutex_);
  if (change.value)
    enabled_.insert(*account);
  else
    enabled_.erase(*account);
  return true;
}

void DisconnectSettings::stream_opened(const Address& account) {
  const std::lock_guard lock(mutex_);
  ++streams_[account];
}

std::size_t DisconnectSettings::stream_closed(const Address& account) {
  const std::lock_guard lock(mutex_);
  const auto open = streams_.find(account);
  SVC_ASSERT(open != streams_.end());
  const std::size_t left = --open->second;
  if (left == 0) streams_.erase(open);
  return left;
}

void DisconnectSettings::forget() {
  const std::lock_guard lock(mutex_);
  enabled_.clear();
}

}  // namespace svc::sim
