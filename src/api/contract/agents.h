#pragma once

#include "api/contract/declaration.h"

// Agent keys: keys that may trade for an account.

namespace svc::api {

// Signed by the wallet as RegisterAgent; expires_at must be sent to be signed (absent: 30 days ahead).
SVC_RECORD(RegisterAgentRequest,
    (Address, wallet, {}, "The account that delegates and signs", .refused_as(ErrorCode::bad_wallet))
    (Address, agent, {}, "The key that may trade", .refused_as(ErrorCode::bad_agent))
    (std::uint64_t, nonce, = 0, "Nonce of the signed struct")
    (std::string, signature, {}, "65 bytes in hex")
    (std::optional<TimestampMs>, expires_at, {}, "Unix milliseconds, 1 to 90 days ahead", .omit_when_empty())
    (std::optional<std::string>, label, {}, "A name to remember it by",
     .omit_when_empty().within(1, limits::label_bytes_max))
    (std::optional<std::uint64_t>, chain_id, {}, "Chain id of the signing domain", .omit_when_empty()));

SVC_RECORD(RegisteredAgent,
    (Address, agent_address, {}, "Agent")
    (TimestampMs, expires_at, = 0, "Unix milliseconds"));

SVC_RECORD(AgentInfo,
    (Address, address, {}, "Agent")
    (TimestampMs, expires_at, = 0, "Unix milliseconds", .named("expiresAt"))
    (TimestampMs, registered_at, = 0, "Unix milliseconds", .named("registeredAt"))
    (std::optional<std::string>, label, {}, "The name given at registration"));

SVC_RECORD(AgentRef, (Address, address, {}, "Agent", .path()));

SVC_RECORD(RevokedAgent,
    (Address, address, {}, "Agent")
    (bool, revoked, = true, "Always true"));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area agents{"agents"};

SVC_OPERATIONS(AgentOperations,
    (ListAgents, Empty, List<AgentInfo>, agents, get, "list_agents", "/agents", "List own agents",
     "Agents that expired are left out.", Auth::hmac)
    (RegisterAgent, RegisterAgentRequest, RegisteredAgent, agents, post, "register_agent", "/agents/register",
     "Register an agent key, signed by the wallet",
     "Signed as `RegisterAgent(address agent,uint64 expiresAt,uint64 nonce)` under the published, salted "
     "`signing_domain`; older clients sign under the same domain without salt. Without `expires_at` the agent lives "
     "for 30 days and 0 is what is signed. Nonces of an owner grow strictly.", Auth::wallet_signature,
     refuses<expiry_out_of_range, too_many_agents, duplicate_agent>)
    (RevokeAgent, AgentRef, RevokedAgent, agents, del, "revoke_agent", "/agents/{address}", "Revoke an agent",
     "Of the account, or the account's own registration as somebody's agent.", Auth::hmac, refuses<not_found>));

}  // namespace svc::api::ops
