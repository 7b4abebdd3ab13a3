// Agent keys: addresses that may sign for an account until they expire or are revoked.
//
// An address is the agent of at most one account at a time. An expired entry can be replaced by a new registration
// of the same address. Thread-safe: one lock, held for one look-up.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "base/result.h"
#include "signing/hash.h"
#include "sim/sequencer/record.h"
#include "sim/services/nonce_book.h"

namespace svc::api {
struct RegisterAgentRequest;
}

namespace svc::sim {

// Stored in this form (base/archive.h), under its address.
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
  [[nodiscard]] Result<void, AgentRefusal> add(Agent agent, TimestampMs now_ms, RecordBatch& records);
  // False if the account has no such active agent.
  [[nodiscard]] bool revoke(const Address& account, const Address& agent, TimestampMs now_ms, RecordBatch& records);
  // Undoes a revocation that could not be logged.
  void put_back(const Agent& agent);
  [[nodiscard]] std::optional<Agent> find(const Address& agent, TimestampMs now_ms) const;
  // The active agents of the account, by address.
  [[nodiscard]] std::vector<Agent> of(const Address& account, TimestampMs now_ms) const;

  // When the next active agent expires; nullopt if none will.
  [[nodiscard]] std::optional<TimestampMs> next_end_ms(TimestampMs now_ms) const;

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

 private:
  void insert(const Agent& agent);
  void erase(const Address& address);

  mutable Ranked<LockRank::store> mutex_;
  std::map<Address, Agent> by_address_;
  std::multimap<Address, Address> by_account_;  // account -> agent
};

// Registers an agent of an account: the owner's signature, and the API's terms. (API: POST /agents/register)

// In the order of checks; those about signature and nonce are one opaque 401 on the wire.
enum class RegistrationRefusal : std::uint8_t {
  bad_agent,            // the agent is the wallet itself
  expiry_out_of_range,  // outside limits::agent_lifetime_min_ms .. _max_ms
  malformed_signature,
  signature_mismatch,   // not the wallet's, in either domain of this network
  other_networks_name,  // the wallet's, under a name that another network owns
  nonce_not_increasing,
  duplicate_agent,  // the address is already an active agent
  too_many_agents,
};

struct RegistrationDomains {
  std::string_view domain_name;
  std::string_view network;    // salts the domain: "testnet"
  bool takes_unsalted = true;  // of older clients; false if networks share the name
};

class AgentRegistrar {
 public:
  AgentRegistrar(const RegistrationDomains& domains, AgentStore& agents, NonceBook& owner_nonces);

  [[nodiscard]] Result<Agent, RegistrationRefusal> add(const api::RegisterAgentRequest& request, TimestampMs now_ms,
                                                       RecordBatch& records);

 private:
  signing::Hash32 salted_separator_;
  signing::Hash32 plain_separator_;  // of older clients
  bool takes_unsalted_;
  AgentStore& agents_;
  NonceBook& owner_nonces_;
};

}  // namespace svc::sim
