// Login, API keys, agent keys, stream tokens.
#include "api/contract/auth.h"
#include "api/contract/agents.h"
#include "api/contract/streams.h"
#include "signing/domain.h"
#include "signing/key.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using namespace api;

// The wallet is the signer of the constant text as a personal message. (API: POST /auth/login)
Answer<ops::Login> login(RequestContext& context, const LoginRequest& request) {
  NetworkInstance& network = *context.network;
  const auto refused = [&](const char* why) {
    return unexpected(context.refuse_credential(AuthFault::wrong_login, why));
  };
  if (request.message != signing::login_message(network.settings.domain_name)) return refused("wrong_message");
  const auto signature = signing::parse_signature(request.signature);
  if (!signature) return refused("malformed_signature");
  const auto signer = signing::recover(signing::personal_message_digest(request.message), *signature);
  if (!signer) return refused("unrecoverable_signature");
  if (!network.settings.owns_domain_name()) return unexpected(context.refuse_shared_name());
  context.prove_signer(*signer);
  auto token = drawn_before(network.settings.secrets, session_token_bytes);
  auto opened = SVC_TRY(serve(context, OpenSession{.account = *signer, .drawn = token_hash(token)}));
  return LoginResponse{.token = token ? std::move(*token) : std::move(opened.value), .address = *signer};
}

Result<void, ApiError> check_label(const std::optional<std::string>& label) {
  if (!label || label->size() <= limits::label_bytes_max) return {};
  return refused(ErrorCode::invalid_json, "label takes at most " + std::to_string(limits::label_bytes_max) + " bytes");
}

Answer<ops::CreateKey> create_key(RequestContext& context, const CreateKeyRequest& request) {
  SVC_TRY(check_label(request.label));
  auto minted = SVC_TRY(serve(context, sim::CreateKey{.account = context.caller().account,
                                                      .label = request.label,
                                                      .drawn = key_drawn_before(context.network->settings.secrets)}))
                    .value;
  return CreatedKey{.key_id = std::move(minted.id), .secret = std::move(minted.secret)};
}

Answer<ops::DeleteKey> delete_key(RequestContext& context, const KeyRef& request) {
  SVC_TRY(serve(context, sim::DeleteKey{.account = context.caller().account, .id = request.key_id}));
  return DeletedKey{.key_id = request.key_id, .deleted = true};
}

// Agent keys: registration by the wallet, and their list.

ApiError refusal_of_registration(RequestContext& context, RegistrationRefusal refusal) {
  using enum RegistrationRefusal;
  switch (refusal) {
    case bad_agent: return ApiError(ErrorCode::bad_agent, "the agent is the wallet itself, or nobody");
    case expiry_out_of_range: return ApiError(ErrorCode::expiry_out_of_range);
    case malformed_signature: return context.refuse_credential(AuthFault::malformed_signature);
    case signature_mismatch:
      return context.refuse_credential(AuthFault::signature_mismatch, "not the wallet's, in neither domain");
    case other_networks_name: return context.refuse_shared_name();
  }
  SVC_ASSERT(false);
}

bool is_account(const NetworkInstance& network, const Address& address) {
  if (network.has_money && network.has_money(address)) return true;
  const auto services = network.services.look();
  return !services->keys.of(address).empty() || services->transfers.enrolled_ms(address).has_value();
}

// A caller who learns of an agent or of their number has proven to be the wallet.
Answer<ops::RegisterAgent> register_agent(RequestContext& context, const RegisterAgentRequest& request) {
  SVC_TRY(check_label(request.label));
  auto agent = context.network->registrar.verified(request, context.now_ms);
  if (!agent) return unexpected(refusal_of_registration(context, agent.error()));
  SVC_TRY(context.spend_owner_nonce(request.wallet, request.nonce));
  context.prove_signer(request.wallet);
  // An agent takes no part in transfers: else a stranger could shut anybody out of them. (D-296)
  if (is_account(*context.network, agent->address))
    return refused(ErrorCode::bad_agent, "the agent's address is an account of its own");
  const auto registered = SVC_TRY(serve(context, sim::RegisterAgent{.agent = agent->address,
                                                                    .account = agent->account,
                                                                    .label = std::move(agent->label),
                                                                    .expires_at_ms = agent->expires_at_ms}))
                              .value;
  return RegisteredAgent{.agent_address = registered.address, .expires_at = registered.expires_at_ms};
}

Answer<ops::RevokeAgent> revoke_agent(RequestContext& context, const AgentRef& request) {
  SVC_TRY(serve(context, sim::RevokeAgent{.account = context.account(), .agent = request.address}));
  return RevokedAgent{.address = request.address, .revoked = true};
}

template <StreamChannels channels>
Result<StreamToken, ApiError> mint_stream_token(RequestContext& context, const Empty&) {
  auto token = drawn_before(context.network->settings.secrets, stream_token_bytes);
  const StreamGrant grant{
      .account = context.caller().account, .channels = channels, .by = context.authentication.entitlements()};
  auto minted = SVC_TRY(serve(context, sim::MintStreamToken{.grant = grant, .drawn = token_hash(token)}));
  return StreamToken{.token = token ? std::move(*token) : std::move(minted.value)};
}

}  // namespace

void bind_auth(HandlerTable& handlers) {
  handlers.bind_all(login, create_key, delete_key, register_agent, revoke_agent);
  handlers.bind<ops::ListKeys>([](RequestContext& context, const Empty&) {
    const Address& owner = context.caller().account;
    const auto state = context.network->services.look();
    return list_of(state->keys.of(owner), [&](const std::shared_ptr<const ApiKey>& key) {
      return ApiKeyInfo{.key_id = key->id, .tier = state->tiers.of(owner), .label = key->label};
    });
  });
  handlers.bind<ops::ListAgents>([](RequestContext& context, const Empty&) {
    const auto state = context.network->services.look();
    return list_of(state->agents.of(context.account(), context.now_ms), [](const Agent& agent) {
      return AgentInfo{.address = agent.address,
                       .expires_at = agent.expires_at_ms,
                       .registered_at = agent.registered_at_ms,
                       .label = agent.label};
    });
  });
  handlers.bind<ops::MintStreamToken>(mint_stream_token<StreamChannels::all>);
  handlers.bind<ops::MintPublicStreamToken>(mint_stream_token<StreamChannels::public_only>);
}

}  // namespace svc::sim
