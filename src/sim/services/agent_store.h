// Agent keys: addresses that may sign for an account until they expire or are revoked.
//
// An address is the agent of at most one account at a time. An expired entry can be replaced by a new registration
// of the same address. Part of ServicesState: changed by the single writer alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/result.h"
#include "signing/hash.h"

namespace svc::api {
struct RegisterAgentRequest;
}

namespace svc::sim {

struct Agent {
  Address address{};
  Address account{};
  std::optional<std::string> label{};
  TimestampMs registered_at_ms = 0;
  TimestampMs expires_at_ms = 0;  // no longer active at this instant
};

enum class AgentRefusal : std::uint8_t {
  duplicate,  // the address is already an active agent of some account
  too_many,   // limits::agents_per_account_max
};

class AgentStore {
 public:
  [[nodiscard]] Result<void, AgentRefusal> add(const Agent& agent, TimestampMs now_ms);
  // False if the account has no such active agent.
  [[nodiscard]] bool revoke(const Address& account, const Address& agent, TimestampMs now_ms);
  [[nodiscard]] std::optional<Agent> find(const Address& agent, TimestampMs now_ms) const;
  // The active agents of the account, by address.
  [[nodiscard]] std::vector<Agent> of(const Address& account, TimestampMs now_ms) const;

  // When the next active agent expires; nullopt if none will.
  [[nodiscard]] std::optional<TimestampMs> next_end_ms(TimestampMs now_ms) const;

  template <class Archive>
  void archive(Archive& archive) {
    archive(by_address_);
    archive.check([&] { return index(); });
  }

 private:
  // False if a row is invalid.
  [[nodiscard]] bool index();
  void insert(const Agent& agent);
  void erase(const Address& address);

  std::map<Address, Agent> by_address_;
  std::multimap<Address, Address> by_account_;  // account -> agent
};

// What an owner has to sign to register an agent, and for how long. (API: POST /agents/register)

enum class RegistrationRefusal : std::uint8_t {
  bad_agent,            // the agent is the wallet itself, or the zero address
  expiry_out_of_range,  // outside limits::agent_lifetime_min_ms .. _max_ms
  malformed_signature,
  signature_mismatch,   // not the wallet's, in either domain of this network
  other_networks_name,  // the wallet's, under a name that another network owns
};

struct RegistrationDomains {
  std::string_view domain_name;
  std::string_view network;    // salts the domain: "testnet"
  bool takes_unsalted = true;  // of older clients; false if networks share the name
};

// Verifies registrations; nonce and number of agents are the writer's to decide.
class AgentRegistrar {
 public:
  explicit AgentRegistrar(const RegistrationDomains& domains);

  [[nodiscard]] Result<Agent, RegistrationRefusal> verified(const api::RegisterAgentRequest& request,
                                                            TimestampMs now_ms) const;

 private:
  signing::Hash32 salted_separator_;
  signing::Hash32 plain_separator_;  // of older clients
  bool takes_unsalted_;
};

}  // namespace svc::sim
