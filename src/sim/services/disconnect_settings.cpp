#include "sim/services/disconnect_settings.h"

#include <optional>

#include "base/archive.h"
#include "base/assert.h"

namespace svc::sim {

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
