#include "sim/services/agent_registration.h"

#include "base/limits.h"
#include "signing/domain.h"
#include "signing/key.h"
#include "signing/register_agent.h"

namespace svc::sim {

AgentRegistrar::AgentRegistrar(const RegistrationDomains& domains, AgentStore& agents, NonceBook& owner_nonces)
    : salted_separator_(signing::separator(
          signing::registration_domain(std::string(domains.domain_name), signing::action_chain_id, domains.network))),
      plain_separator_(signing::separator(
          signing::plain_registration_domain(std::string(domains.domain_name), signing::action_chain_id))),
      takes_unsalted_(domains.takes_unsalted),
      agents_(agents),
      owner_nonces_(owner_nonces) {}

Result<Agent, RegistrationRefusal> AgentRegistrar::add(const AgentRegistration& registration, TimestampMs now_ms,
                                                       RecordBatch& records) {
  using enum RegistrationRefusal;
  if (registration.agent == registration.wallet) return unexpected(bad_agent);
  const TimestampMs expires_at_ms = registration.expires_at_ms.value_or(now_ms + limits::agent_lifetime_default_ms);
  if (expires_at_ms < now_ms + limits::agent_lifetime_min_ms || expires_at_ms > now_ms + limits::agent_lifetime_max_ms)
    return unexpected(expiry_out_of_range);

  // Only under the chain id that this network publishes: a registration for another one never verifies.
  const auto signature = signing::parse_signature(registration.signature);
  if (!signature) return unexpected(malformed_signature);
  if (registration.chain_id.value_or(signing::action_chain_id) != signing::action_chain_id)
    return unexpected(signature_mismatch);
  const signing::Hash32 hash = signing::struct_hash(
      signing::RegisterAgent{.agent = registration.agent,
                             .expires_at_ms = static_cast<std::uint64_t>(registration.expires_at_ms.value_or(0)),
                             .nonce = registration.nonce});
  const auto signed_under = [&](const signing::Hash32& separator) {
    return signing::recover(signing::typed_data_digest(separator, hash), *signature) == registration.wallet;
  };
  if (!signed_under(salted_separator_)) {
    if (!signed_under(plain_separator_)) return unexpected(signature_mismatch);
    if (!takes_unsalted_) return unexpected(other_networks_name);
  }
  if (!owner_nonces_.spend(registration.wallet, {registration.nonce}, records)) return unexpected(nonce_not_increasing);

  const Agent agent{.address = registration.agent,
                    .account = registration.wallet,
                    .label = registration.label,
                    .registered_at_ms = now_ms,
                    .expires_at_ms = expires_at_ms};
  if (const auto added = agents_.add(agent, now_ms, records); !added)
    return unexpected(added.error() == AgentRefusal::duplicate ? duplicate_agent : too_many_agents);
  return agent;
}

}  // namespace svc::sim
