#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/contract/declaration.h"
#include "base/address.h"
#include "base/clock.h"

// Agent keys: keys that may trade for an account.

namespace svc::api {

// Signed by the wallet as RegisterAgent; expires_at must be sent to be signed (absent: 30 days ahead).
struct RegisterAgentRequest {
  Address wallet{}, agent{};
  std::uint64_t nonce = 0;
  std::string signature{};
  std::optional<TimestampMs> expires_at{};
  std::optional<std::string> label{};
  std::optional<std::uint64_t> chain_id{};

  static constexpr FieldInfo fields[] = {
      field<&RegisterAgentRequest::wallet>("The account that delegates and signs").refused_as(ErrorCode::bad_wallet),
      field<&RegisterAgentRequest::agent>("The key that may trade").refused_as(ErrorCode::bad_agent),
      field<&RegisterAgentRequest::nonce>("Nonce of the signed struct"),
      field<&RegisterAgentRequest::signature>("65 bytes in hex"),
      field<&RegisterAgentRequest::expires_at>("Unix milliseconds, 1 to 90 days ahead").omit_when_empty(),
      field<&RegisterAgentRequest::label>("A name to remember it by").omit_when_empty(),
      field<&RegisterAgentRequest::chain_id>("Chain id of the signing domain").omit_when_empty()};
};

struct RegisteredAgent {
  Address agent_address{};
  TimestampMs expires_at = 0;

  static constexpr FieldInfo fields[] = {field<&RegisteredAgent::agent_address>("Agent"),
                                         field<&RegisteredAgent::expires_at>("Unix milliseconds")};
};

struct AgentInfo {
  Address address{};
  TimestampMs expires_at = 0, registered_at = 0;
  std::optional<std::string> label{};

  static constexpr FieldInfo fields[] = {field<&AgentInfo::address>("Agent"),
                                         field<&AgentInfo::expires_at>("expiresAt", "Unix milliseconds"),
                                         field<&AgentInfo::registered_at>("registeredAt", "Unix milliseconds"),
                                         field<&AgentInfo::label>("The name given at registration")};
};

struct AgentRef {
  Address address{};

  static constexpr FieldInfo fields[] = {field<&AgentRef::address>("Agent").path()};
};

struct RevokedAgent {
  Address address{};
  bool revoked = true;

  static constexpr FieldInfo fields[] = {field<&RevokedAgent::address>("Agent"),
                                         field<&RevokedAgent::revoked>("Always true")};
};

}  // namespace svc::api

// Agent keys. Agents themselves may not call these.

namespace svc::api::ops {

inline constexpr Area agents{"agents"};

struct ListAgents : Records<Empty, List<AgentInfo>> {
  static constexpr Operation op =
      agents(get, "list_agents", "/agents", "List own agents", "Agents that expired are left out.", Auth::hmac);
};

struct RegisterAgent : Records<RegisterAgentRequest, RegisteredAgent> {
  static constexpr Operation op = agents(
      post, "register_agent", "/agents/register", "Register an agent key, signed by the wallet",
      "Signed as `RegisterAgent(address agent,uint64 expiresAt,uint64 nonce)` under the published, salted "
      "`signing_domain`; older clients sign under the same domain without salt. Without `expires_at` the agent lives "
      "for 30 days and 0 is what is signed. Nonces of an owner grow strictly.",
      Auth::wallet_signature, refuses<bad_wallet, bad_agent, expiry_out_of_range, too_many_agents, duplicate_agent>);
};

struct RevokeAgent : Records<AgentRef, RevokedAgent> {
  static constexpr Operation op =
      agents(del, "revoke_agent", "/agents/{address}", "Revoke an agent", Auth::hmac, refuses<not_found>);
};

}  // namespace svc::api::ops
