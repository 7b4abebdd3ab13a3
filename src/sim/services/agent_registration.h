// Making a key the agent of an account: what the owner signed, and whether the terms are those of the
// API. (API: POST /agents/register)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/clock.h"
#include "base/result.h"
#include "signing/hash.h"
#include "sim/services/agent_store.h"
#include "sim/services/nonce_book.h"

namespace svc::sim {

struct AgentRegistration {
  Address wallet;  // the account's owner, who must have signed
  Address agent;
  std::uint64_t nonce = 0;
  std::string_view signature;
  std::optional<TimestampMs> expires_at_ms;  // as signed; absent: 0 was signed, and the default applies
  std::optional<std::string> label;
  std::optional<std::uint64_t> chain_id;  // absent: the network's
};

// In the order in which they are checked; those about signature and nonce are one opaque 401 on the wire.
enum class RegistrationRefusal : std::uint8_t {
  bad_agent,            // the agent is the wallet itself
  expiry_out_of_range,  // outside limits::agent_lifetime_min_ms .. _max_ms
  malformed_signature,
  signature_mismatch,   // not the wallet's, in neither domain of this network
  other_networks_name,  // the wallet's, under a name that is another network's
  nonce_not_increasing,
  duplicate_agent,  // the address is an active agent already
  too_many_agents,
};

struct RegistrationDomains {
  std::string_view domain_name;
  std::string_view network;    // salts the domain: "testnet"
  bool takes_unsalted = true;  // of older clients; not where the name alone does not tell networks apart
};

class AgentRegistrar {
 public:
  AgentRegistrar(const RegistrationDomains& domains, AgentStore& agents, NonceBook& owner_nonces);

  // Registers the agent and returns it as stored.
  [[nodiscard]] Result<Agent, RegistrationRefusal> add(const AgentRegistration& registration, TimestampMs now_ms,
                                                       RecordBatch& records);

 private:
  signing::Hash32 salted_separator_;
  signing::Hash32 plain_separator_;  // of older clients
  bool takes_unsalted_;
  AgentStore& agents_;
  NonceBook& owner_nonces_;
};

}  // namespace svc::sim
