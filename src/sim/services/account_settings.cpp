#include "sim/services/account_settings.h"

namespace svc::sim {

void DisconnectGuard::streams_closed(const Address& account, const std::string& node, TimestampMs at_ms) {
  if (const auto open = connected_.find(account); open != connected_.end()) {
    open->second.erase(node);
    if (!open->second.empty()) return;
    connected_.erase(open);
  }
  stop_timer(account);
  if (is_enabled(account)) timers_.insert({at_ms + limits::disconnect_grace_ms, account});
}

void DisconnectGuard::node_streams_closed(const std::string& node, TimestampMs at_ms) {
  std::set<Address> gone;
  if (node.empty())
    for (const Timer& timer : std::exchange(timers_, {})) gone.insert(timer.account);
  for (auto& [account, open] : connected_) {
    if (node.empty())
      open.clear();
    else
      open.erase(node);
    if (open.empty()) gone.insert(account);
  }
  std::erase_if(connected_, [](const auto& entry) { return entry.second.empty(); });
  for (const Address& account : gone)
    if (is_enabled(account)) timers_.insert({at_ms + limits::disconnect_grace_ms, account});
}

bool DisconnectGuard::is_valid() const {
  std::set<Address> timed;
  return are_sound(connected_, timers_) &&
         std::ranges::none_of(connected_, [](const auto& open) { return open.second.empty(); }) &&
         std::ranges::all_of(timers_, [&](const Timer& timer) {
           return !connected_.contains(timer.account) && timed.insert(timer.account).second;
         });
}

}  // namespace svc::sim
