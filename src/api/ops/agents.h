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
                                .auth = Auth::hmac};
};

struct RegisterAgent {
  using Request = RegisterAgentRequest;
  using Response = RegisteredAgent;
  static constexpr OperationError errors[] = {ErrorCode::bad_wallet, ErrorCode::bad_agent,
                                              ErrorCode::expiry_out_of_range, ErrorCode::duplicate_agent};
  static constexpr Operation op{.name = "register_agent",
                                .group = "agents",
                                .method = Method::post,
                                .path = "/agents/register",
                                .summary = "Register an agent key, signed by the wallet",
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
