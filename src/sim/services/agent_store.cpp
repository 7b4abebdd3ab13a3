#include "sim/services/agent_store.h"

#include <algorithm>

#include "api/contract/agents.h"
#include "base/archive.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/key.h"

namespace svc::sim {
namespace {

bool active(const Agent& agent, TimestampMs now_ms) {
  return now_ms < agent.expires_at_ms;
}

}  // namespace

Result<void, AgentRefusal> AgentStore::add(const Agent& agent, TimestampMs now_ms) {
  const auto known = by_address_.find(agent.address);
  if (known != by_address_.end() && active(known->second, now_ms)) return unexpected(AgentRefusal::duplicate);
  // Removes the account's expired agents, so that they do not count for its limit.
  std::vector<Address> expired;
  const auto [first, last] = by_account_.equal_range(agent.account);
  for (auto entry = first; entry != last; ++entry)
    if (!active(by_address_.at(entry->second), now_ms)) expired.push_back(entry->second);
  for (const Address& address : expired) erase(address);
  if (by_account_.count(agent.account) >= limits::agents_per_account_max) return unexpected(AgentRefusal::too_many);
  insert(agent);
  return {};
}

bool AgentStore::revoke(const Address& account, const Address& agent, TimestampMs now_ms) {
  const auto known = by_address_.find(agent);
  if (known == by_address_.end() || known->second.account != account || !active(known->second, now_ms)) return false;
  erase(agent);
  return true;
}

bool AgentStore::index() {
  by_account_.clear();
  for (const auto& [address, agent] : by_address_) {
    if (agent.address != address || (agent.label && !is_utf8(*agent.label)) ||
        !is_clock_time(agent.registered_at_ms) || !is_clock_time(agent.expires_at_ms))
      return false;
    by_account_.emplace(agent.account, address);
  }
  return true;
}

void AgentStore::insert(const Agent& agent) {
  erase(agent.address);
  by_account_.emplace(agent.account, agent.address);
  by_address_.emplace(agent.address, agent);
}

void AgentStore::erase(const Address& address) {
  const auto known = by_address_.find(address);
  if (known == by_address_.end()) return;
  const auto [first, last] = by_account_.equal_range(known->second.account);
  const auto entry = std::find_if(first, last, [&](const auto& pair) { return pair.second == address; });
  if (entry != last) by_account_.erase(entry);
  by_address_.erase(known);
}

std::optional<Agent> AgentStore::find(const Address& agent, TimestampMs now_ms) const {
  const auto known = by_address_.find(agent);
  if (known == by_address_.end() || !active(known->second, now_ms)) return std::nullopt;
  return known->second;
}

std::optional<TimestampMs> AgentStore::next_end_ms(TimestampMs now_ms) const {
  std::optional<TimestampMs> next;
  for (const auto& [address, agent] : by_address_)
    if (active(agent, now_ms) && (!next || agent.expires_at_ms < *next)) next = agent.expires_at_ms;
  return next;
}

std::vector<Agent> AgentStore::of(const Address& account, TimestampMs now_ms) const {
  std::vector<Agent> agents;
  const auto [first, last] = by_account_.equal_range(account);
  for (auto entry = first; entry != last; ++entry) {
    const Agent& agent = by_address_.at(entry->second);
    if (active(agent, now_ms)) agents.push_back(agent);
  }
  std::sort(agents.begin(), agents.end(), [](const Agent& a, const Agent& b) { return a.address < b.address; });
  return agents;
}

AgentRegistrar::AgentRegistrar(const RegistrationDomains& domains)
    : salted_separator_(signing::separator(
          signing::registration_domain(std::string(domains.domain_name), signing::action_chain_id, domains.network))),
      plain_separator_(signing::separator(
          signing::plain_registration_domain(std::string(domains.domain_name), signing::action_chain_id))),
      takes_unsalted_(domains.takes_unsalted) {}

Result<Agent, RegistrationRefusal> AgentRegistrar::verified(const api::RegisterAgentRequest& request,
                                                            TimestampMs now_ms) const {
  using enum RegistrationRefusal;
  if (request.agent == request.wallet || request.agent == Address{}) return unexpected(bad_agent);
  const TimestampMs expires_at_ms = request.expires_at.value_or(now_ms + limits::agent_lifetime_default_ms);
  if (expires_at_ms < now_ms + limits::agent_lifetime_min_ms || expires_at_ms > now_ms + limits::agent_lifetime_max_ms)
    return unexpected(expiry_out_of_range);

  // Only with the chain id that this network publishes: a registration for another one never verifies.
  const auto signature = signing::parse_signature(request.signature);
  if (!signature) return unexpected(malformed_signature);
  if (request.chain_id.value_or(signing::action_chain_id) != signing::action_chain_id)
    return unexpected(signature_mismatch);
  const signing::Hash32 hash = signing::struct_hash(
      signing::RegisterAgent{.agent = request.agent,
                             .expires_at_ms = static_cast<std::uint64_t>(request.expires_at.value_or(0)),
                             .nonce = request.nonce});
  const auto signed_under = [&](const signing::Hash32& separator) {
    return signing::recover(signing::typed_data_digest(separator, hash), *signature) == request.wallet;
  };
  if (!signed_under(salted_separator_)) {
    if (!signed_under(plain_separator_)) return unexpected(signature_mismatch);
    if (!takes_unsalted_) return unexpected(other_networks_name);
  }
  return Agent{.address = request.agent,
               .account = request.wallet,
               .label = request.label,
               .registered_at_ms = now_ms,
               .expires_at_ms = expires_at_ms};
}

}  // namespace svc::sim
