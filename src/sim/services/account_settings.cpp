#include "sim/services/account_settings.h"

#include <algorithm>

#include "api/tiers.h"
#include "base/archive.h"

namespace svc::sim {

api::Tier TierStore::of(const Address& account) const {
  const auto assigned = overrides_.find(account);
  return assigned == overrides_.end() ? api::default_tier : assigned->second;
}

void TierStore::assign(const Address& account, api::Tier tier) {
  if (tier == api::default_tier)
    overrides_.erase(account);
  else
    overrides_.insert_or_assign(account, tier);
}

void DisconnectGuard::set(const Address& account, bool enabled) {
  if (enabled)
    enabled_.insert(account);
  else
    enabled_.erase(account);
}

void DisconnectGuard::stream_opened(const Address& account) {
  connected_.insert(account);
  stop_timer(account);
}

void DisconnectGuard::streams_closed(const Address& account, TimestampMs at_ms) {
  connected_.erase(account);
  stop_timer(account);
  if (is_enabled(account)) timers_.insert({at_ms + grace_ms_, account});
}

void DisconnectGuard::all_streams_closed(TimestampMs at_ms) {
  std::set<Address> gone = std::exchange(connected_, {});
  for (const Timer& timer : std::exchange(timers_, {})) gone.insert(timer.account);
  for (const Address& account : gone) timers_.insert({at_ms + grace_ms_, account});
}

void DisconnectGuard::stop_timer(const Address& account) {
  std::erase_if(timers_, [&](const Timer& timer) { return timer.account == account; });
}

bool DisconnectGuard::is_valid() const {
  std::set<Address> timed;
  return std::ranges::all_of(timers_, [&](const Timer& timer) {
    return is_clock_time(timer.ends_ms) && !connected_.contains(timer.account) && timed.insert(timer.account).second;
  });
}

}  // namespace svc::sim
