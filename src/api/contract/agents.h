#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/contract/scalars.h"
#include "api/operation.h"
#include "api/record.h"
#include "base/address.h"
#include "base/clock.h"

// Agent keys: keys that may trade for an account.

namespace svc::api {

// Signed by the wallet as RegisterAgent; expires_at must be sent to be signed (absent: 30 days ahead).
struct RegisterAgentRequest {
  Address wallet{};
  Address agent{};
  std::uint64_t nonce = 0;
  std::string signature{};
  std::optional<TimestampMs> expires_at{};
  std::optional<std::string> label{};
  std::optional<std::uint64_t> chain_id{};

  static constexpr FieldInfo fields[] = {
      field<&RegisterAgentRequest::wallet>("wallet", "The account that delegates and signs")
          .refused_as(ErrorCode::bad_wallet),
      field<&RegisterAgentRequest::agent>("agent", "The key that may trade").refused_as(ErrorCode::bad_agent),
      field<&RegisterAgentRequest::nonce>("nonce", "Nonce of the signed struct"),
      field<&RegisterAgentRequest::signature>("signature", "65 bytes in hex"),
      field<&RegisterAgentRequest::expires_at>("expires_at", "Unix milliseconds, 1 to 90 days ahead").omit_when_empty(),
      field<&RegisterAgentRequest::label>("label", "A name to remember it by").omit_when_empty(),
      field<&RegisterAgentRequest::chain_id>("chain_id", "Chain id of the signing domain").omit_when_empty()};
};

struct RegisteredAgent {
  Address agent_address{};
  TimestampMs expires_at = 0;

  static constexpr FieldInfo fields[] = {field<&RegisteredAgent::agent_address>("agent_address", "Agent"),
                                         field<&RegisteredAgent::expires_at>("expires_at", "Unix milliseconds")};
};

struct AgentInfo {
  Address address{};
  TimestampMs expires_at = 0;
  TimestampMs registered_at = 0;
  std::optional<std::string> label{};

  static constexpr FieldInfo fields[] = {field<&AgentInfo::address>("address", "Agent"),
                                         field<&AgentInfo::expires_at>("expiresAt", "Unix milliseconds"),
                                         field<&AgentInfo::registered_at>("registeredAt", "Unix milliseconds"),
                                         field<&AgentInfo::label>("label", "The name given at registration")};
};

struct AgentRef {
  Address address{};

  static constexpr FieldInfo fields[] = {field<&AgentRef::address>("address", "Agent").path()};
};

struct RevokedAgent {
  Address address{};
  bool revoked = true;

  static constexpr FieldInfo fields[] = {field<&RevokedAgent::address>("address", "Agent"),
                                         field<&RevokedAgent::revoked>("revoked", "Always true")};
};

}  // namespace svc::api

// Agent keys. Agents themselves may not call these.

namespace svc::api::ops {

struct ListAgents {
  using Request = Empty;
  using Response = List<AgentInfo>;
  static constexpr Operation op{.name = "list_agents",
                                .group = "agents",
                                .method = Method::get,
                                .path = "/agents",
                                .summary = "List own agents",
                                .detail = "Agents that expired are left out.",
                                .auth = Auth::hmac};
};

struct RegisterAgent {
  using Request = RegisterAgentRequest;
  using Response = RegisteredAgent;
  static constexpr OperationError errors[] = {ErrorCode::bad_wallet, ErrorCode::bad_agent,
                                              ErrorCode::expiry_out_of_range, ErrorCode::too_many_agents,
                                              ErrorCode::duplicate_agent};
  static constexpr Operation op{
      .name = "register_agent",
      .group = "agents",
      .method = Method::post,
      .path = "/agents/register",
      .summary = "Register an agent key, signed by the wallet",
      .detail =
          "Signed as `RegisterAgent(address agent,uint64 expiresAt,uint64 nonce)` under the published, salted "
          "`signing_domain`; older clients sign under the same domain without salt. Without `expires_at` the agent "
          "lives for 30 days and 0 is what is signed. Nonces of an owner grow strictly.",
      .auth = Auth::wallet_signature,
      .errors = errors};
};

struct RevokeAgent {
  using Request = AgentRef;
  using Response = RevokedAgent;
  static constexpr OperationError errors[] = {ErrorCode::not_found};
  static constexpr Operation op{.name = "revoke_agent",
                                .group = "agents",
                                .method = Method::del,
                                .path = "/agents/{address}",
                                .summary = "Revoke an agent",
                                .auth = Auth::hmac,
                                .errors = errors};
};

}  // namespace svc::api::ops
