// Agent keys. No agent may call these.
#pragma once

#include "api/operation.h"
#include "api/records/agents.h"

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
