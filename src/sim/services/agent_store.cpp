#include "sim/services/agent_store.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace svc::sim {
namespace {

bool active(const Agent& agent, TimestampMs now_ms) {
  return now_ms < agent.expires_at_ms;
}

void forget(std::multimap<Address, Address>& by_account, const Agent& agent) {
  const auto [first, last] = by_account.equal_range(agent.account);
  const auto entry = std::find_if(first, last, [&](const auto& pair) { return pair.second == agent.address; });
  if (entry != last) by_account.erase(entry);
}

}  // namespace

Result<void, AgentRefusal> AgentStore::add(Agent agent, TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  const auto known = by_address_.find(agent.address);
  if (known != by_address_.end()) {
    if (active(known->second, now_ms)) return unexpected(AgentRefusal::duplicate);
    forget(by_account_, known->second);
    by_address_.erase(known);
  }
  // Expired agents of the account are dropped here, so that they cannot fill its allowance.
  const auto [first, last] = by_account_.equal_range(agent.account);
  for (auto entry = first; entry != last;) {
    const auto owned = by_address_.find(entry->second);
    if (active(owned->second, now_ms)) {
      ++entry;
      continue;
    }
    by_address_.erase(owned);
    entry = by_account_.erase(entry);
  }
  if (by_account_.count(agent.account) >= limits::agents_per_account_max) return unexpected(AgentRefusal::too_many);
  by_account_.emplace(agent.account, agent.address);
  by_address_.emplace(agent.address, std::move(agent));
  return {};
}

bool AgentStore::revoke(const Address& account, const Address& agent, TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  const auto known = by_address_.find(agent);
  if (known == by_address_.end() || known->second.account != account || !active(known->second, now_ms)) return false;
  forget(by_account_, known->second);
  by_address_.erase(known);
  return true;
}

std::optional<Agent> AgentStore::find(const Address& agent, TimestampMs now_ms) const {
  const std::lock_guard lock(mutex_);
  const auto known = by_address_.find(agent);
  if (known == by_address_.end() || !active(known->second, now_ms)) return std::nullopt;
  return known->second;
}

std::vector<Agent> AgentStore::of(const Address& account, TimestampMs now_ms) const {
  const std::lock_guard lock(mutex_);
  std::vector<Agent> agents;
  const auto [first, last] = by_account_.equal_range(account);
  for (auto entry = first; entry != last; ++entry) {
    const Agent& agent = by_address_.at(entry->second);
    if (active(agent, now_ms)) agents.push_back(agent);
  }
  std::sort(agents.begin(), agents.end(), [](const Agent& a, const Agent& b) { return a.address < b.address; });
  return agents;
}

}  // namespace svc::sim
