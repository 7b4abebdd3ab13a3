// Login, API keys, agent keys, stream tokens.
#include "api/contract/auth.h"
#include "api/contract/agents.h"
#include "api/contract/streams.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using namespace api;

Answer<ops::Login> login(RequestContext& context, const LoginRequest& request) {
  NetworkInstance& network = *context.network;
  const auto signer = network.login.signer(request.message, request.signature);
  if (!signer)
    return unexpected(context.refuse_credential(AuthFault::wrong_login, std::string(to_string(signer.error()))));
  if (!network.settings.owns_domain_name()) return unexpected(context.refuse_shared_name());
  context.prove_signer(*signer);
  return LoginResponse{.token = network.sessions.open(*signer, context.now_ms, context.records), .address = *signer};
}

Answer<ops::CreateKey> create_key(RequestContext& context, const CreateKeyRequest& request) {
  NetworkInstance& network = *context.network;
  const Address& owner = context.caller().account;
  auto minted =
      network.keys.create(owner, request.label, network.key_ceiling_per_second(owner), context.now_ms, context.records);
  if (!minted) return unexpected(ApiError(ErrorCode::too_many_keys));
  SVC_TRY(context.keep([&](RecordBatch& never_kept) { (void)network.keys.remove(owner, minted->id, never_kept); }));
  return CreatedKey{.key_id = std::move(minted->id), .secret = std::move(minted->secret)};
}

Answer<ops::ListKeys> list_keys(RequestContext& context, const Empty&) {
  NetworkInstance& network = *context.network;
  const Address& owner = context.caller().account;
  return list_of(network.keys.of(owner), [&](const std::shared_ptr<const ApiKey>& key) {
    return ApiKeyInfo{.key_id = key->id, .tier = network.tiers.of(owner), .label = key->label};
  });
}

Answer<ops::DeleteKey> delete_key(RequestContext& context, const KeyRef& request) {
  ApiKeyStore& keys = context.network->keys;
  const auto key = keys.find(request.key_id);
  if (!keys.remove(context.caller().account, request.key_id, context.records))
    return unexpected(ApiError(ErrorCode::not_found, "no such key"));
  SVC_TRY(context.keep([&](RecordBatch&) { keys.put_back(key); }));
  return DeletedKey{.key_id = request.key_id, .deleted = true};
}

// Agent keys: registration by the wallet, and their list.

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
  // A caller who learns of an agent or of their number has proven to be the wallet, as on success.
  const bool proven = registered || registered.error() == RegistrationRefusal::duplicate_agent ||
                      registered.error() == RegistrationRefusal::too_many_agents;
  if (proven) context.prove_signer(request.wallet);
  if (!registered) return unexpected(refusal_of_registration(context, registered.error()));
  SVC_TRY(context.keep([&](RecordBatch& never_kept) {
    (void)context.network->agents.revoke(request.wallet, request.agent, context.now_ms, never_kept);
  }));
  return RegisteredAgent{.agent_address = registered->address, .expires_at = registered->expires_at_ms};
}

Answer<ops::ListAgents> list_agents(RequestContext& context, const Empty&) {
  return list_of(context.network->agents.of(context.account(), context.now_ms), [](const Agent& agent) {
    return AgentInfo{.address = agent.address,
                     .expires_at = agent.expires_at_ms,
                     .registered_at = agent.registered_at_ms,
                     .label = agent.label};
  });
}

Answer<ops::RevokeAgent> revoke_agent(RequestContext& context, const AgentRef& request) {
  AgentStore& agents = context.network->agents;
  const auto agent = agents.find(request.address, context.now_ms);
  if (!agents.revoke(context.account(), request.address, context.now_ms, context.records))
    return unexpected(ApiError(ErrorCode::not_found, "no such agent"));
  SVC_TRY(context.keep([&](RecordBatch&) { agents.put_back(*agent); }));
  return RevokedAgent{.address = request.address, .revoked = true};
}

template <StreamChannels channels>
Result<StreamToken, ApiError> mint_stream_token(RequestContext& context, const Empty&) {
  const StreamGrant grant{.account = context.caller().account, .channels = channels};
  return StreamToken{.token = context.network->stream_tokens.mint(grant, context.now_ms)};
}

}  // namespace

void bind_auth(HandlerTable& handlers) {
  handlers.bind<ops::Login>(login);
  handlers.bind<ops::CreateKey>(create_key);
  handlers.bind<ops::ListKeys>(list_keys);
  handlers.bind<ops::DeleteKey>(delete_key);
  handlers.bind<ops::RegisterAgent>(register_agent);
  handlers.bind<ops::ListAgents>(list_agents);
  handlers.bind<ops::RevokeAgent>(revoke_agent);
  handlers.bind<ops::MintStreamToken>(mint_stream_token<StreamChannels::all>);
  handlers.bind<ops::MintPublicStreamToken>(mint_stream_token<StreamChannels::public_only>);
}

}  // namespace svc::sim
