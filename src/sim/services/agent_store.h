// Agent keys: addresses that may sign for an account until they expire or are revoked.
//
// An address is the agent of at most one account at a time. Expired entries make room for a new
// registration of the same address. Thread-safe: one lock, held for one look-up.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "base/result.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

// Kept as it stands here (base/archive.h), under its address.
struct Agent {
  Address address{};
  Address account{};
  std::optional<std::string> label{};
  TimestampMs registered_at_ms = 0;
  TimestampMs expires_at_ms = 0;  // no longer active at this instant
};

enum class AgentRefusal : std::uint8_t {
  duplicate,  // the address is an active agent already, of this account or another
  too_many,   // limits::agents_per_account_max
};

class AgentStore {
 public:
  [[nodiscard]] Result<void, AgentRefusal> add(Agent agent, TimestampMs now_ms, RecordBatch& records);
  // False if the account has no such active agent.
  [[nodiscard]] bool revoke(const Address& account, const Address& agent, TimestampMs now_ms, RecordBatch& records);
  // A revocation that was not recorded did not happen.
  void put_back(const Agent& agent);
  // The active agent of that address.
  [[nodiscard]] std::optional<Agent> find(const Address& agent, TimestampMs now_ms) const;
  // The active ones, by address.
  [[nodiscard]] std::vector<Agent> of(const Address& account, TimestampMs now_ms) const;

  // When the next active one expires; nullopt if none will.
  [[nodiscard]] std::optional<TimestampMs> next_end_ms(TimestampMs now_ms) const;

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  void insert(const Agent& agent);
  void erase(const Address& address);

  mutable Ranked<LockRank::store> mutex_;
  std::map<Address, Agent> by_address_;
  std::multimap<Address, Address> by_account_;  // account -> agent
};

}  // namespace svc::sim
