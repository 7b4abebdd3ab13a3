// Agent keys: what the wallet signs to make one, and what its owner sees of them.

#include "api/ops/agents.h"

#include "sim/gateway/handlers/bindings.h"

namespace svc::sim {
namespace {

using namespace api;

ApiError refusal_of_registration(RequestContext& context, RegistrationRefusal refusal) {
  using enum RegistrationRefusal;
  switch (refusal) {
    case bad_agent: return ApiError(ErrorCode::bad_agent, "the agent is the wallet itself");
    case expiry_out_of_range: return ApiError(ErrorCode::expiry_out_of_range);
    case malformed_signature: return context.refuse_credential(AuthFault::malformed_signature);
    case signature_mismatch:
      return context.refuse_credential(AuthFault::signature_mismatch, "not the wallet's, in neither domain");
    case other_networks_name: return context.refuse_shared_name();
    case nonce_not_increasing: return context.refuse_credential(AuthFault::nonce_not_increasing);
    case duplicate_agent: return ApiError(ErrorCode::duplicate_agent);
    case too_many_agents: break;
  }
  return ApiError(ErrorCode::too_many_agents);
}

Answer<ops::RegisterAgent> register_agent(RequestContext& context, const RegisterAgentRequest& request) {
  const auto registered = context.network->registrar.add({.wallet = request.wallet,
                                                          .agent = request.agent,
                                                          .nonce = request.nonce,
                                                          .signature = request.signature,
                                                          .expires_at_ms = request.expires_at,
                                                          .label = request.label,
                                                          .chain_id = request.chain_id},
                                                         context.now_ms, context.records);
  // Who is told of an agent or of their number has proven to be the wallet, as who gets one.
  const bool proven = registered || registered.error() == RegistrationRefusal::duplicate_agent ||
                      registered.error() == RegistrationRefusal::too_many_agents;
  if (proven) context.prove_signer(request.wallet);
  if (!registered) return unexpected(refusal_of_registration(context, registered.error()));
  if (const auto kept = context.keep(); !kept) {
    RecordBatch never_kept;
    (void)context.network->agents.revoke(request.wallet, request.agent, context.now_ms, never_kept);
    return unexpected(kept.error());
  }
  return RegisteredAgent{.agent_address = registered->address, .expires_at = registered->expires_at_ms};
}

Answer<ops::ListAgents> list_agents(RequestContext& context, const Empty&) {
  List<AgentInfo> list;
  for (const Agent& agent : context.network->agents.of(context.account(), context.now_ms))
    list.rows.push_back({.address = agent.address,
                         .expires_at = agent.expires_at_ms,
                         .registered_at = agent.registered_at_ms,
                         .label = agent.label});
  return list;
}

Answer<ops::RevokeAgent> revoke_agent(RequestContext& context, const AgentRef& request) {
  AgentStore& agents = context.network->agents;
  const auto agent = agents.find(request.address, context.now_ms);
  if (!agents.revoke(context.account(), request.address, context.now_ms, context.records))
    return unexpected(ApiError(ErrorCode::not_found, "no such agent"));
  if (const auto kept = context.keep(); !kept) {
    agents.put_back(*agent);
    return unexpected(kept.error());
  }
  return RevokedAgent{.address = request.address, .revoked = true};
}

}  // namespace

void bind_agents(NetworkInstance& network) {
  network.handlers.bind<ops::RegisterAgent>(register_agent);
  network.handlers.bind<ops::ListAgents>(list_agents);
  network.handlers.bind<ops::RevokeAgent>(revoke_agent);
}

}  // namespace svc::sim
