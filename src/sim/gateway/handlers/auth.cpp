// Login and API keys.

#include "api/ops/auth.h"
#include "sim/gateway/handlers/bindings.h"

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
  if (const auto kept = context.keep(); !kept) {
    RecordBatch never_kept;
    (void)network.keys.remove(owner, minted->id, never_kept);
    return unexpected(kept.error());
  }
  return CreatedKey{.key_id = std::move(minted->id), .secret = std::move(minted->secret)};
}

Answer<ops::ListKeys> list_keys(RequestContext& context, const Empty&) {
  NetworkInstance& network = *context.network;
  const Address& owner = context.caller().account;
  List<ApiKeyInfo> list;
  for (const auto& key : network.keys.of(owner))
    list.rows.push_back({.key_id = key->id, .tier = network.tiers.of(owner), .label = key->label});
  return list;
}

Answer<ops::DeleteKey> delete_key(RequestContext& context, const KeyRef& request) {
  ApiKeyStore& keys = context.network->keys;
  const auto key = keys.find(request.key_id);
  if (!keys.remove(context.caller().account, request.key_id, context.records))
    return unexpected(ApiError(ErrorCode::not_found, "no such key"));
  if (const auto kept = context.keep(); !kept) {
    keys.put_back(key);
    return unexpected(kept.error());
  }
  return DeletedKey{.key_id = request.key_id, .deleted = true};
}

}  // namespace

void bind_auth(NetworkInstance& network) {
  network.handlers.bind<ops::Login>(login);
  network.handlers.bind<ops::CreateKey>(create_key);
  network.handlers.bind<ops::ListKeys>(list_keys);
  network.handlers.bind<ops::DeleteKey>(delete_key);
}

}  // namespace svc::sim
