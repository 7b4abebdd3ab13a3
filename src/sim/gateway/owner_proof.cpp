#include "sim/gateway/owner_proof.h"

#include "base/assert.h"
#include "signing/domain.h"
#include "signing/key.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {
namespace {

Result<void, api::ApiError> prove(RequestContext& context, const Address& claimed, const signing::Hash32& digest,
                                  const signing::Signature& signature) {
  const auto signer = signing::recover(digest, signature);
  if (signer != claimed) {
    return unexpected(context.refuse_credential(
        AuthFault::signature_mismatch, signer ? "signed by " + to_string(*signer) : std::string("signed by nobody")));
  }
  context.prove_signer(*signer);
  return {};
}

}  // namespace

Result<void, api::ApiError> prove_wallet(RequestContext& context, const Address& claimed, const signing::Hash32& digest,
                                         std::string_view signature) {
  const auto parsed = signing::parse_signature(signature);
  if (!parsed) return unexpected(context.refuse_credential(AuthFault::malformed_signature));
  return prove(context, claimed, digest, *parsed);
}

Result<void, api::ApiError> prove_owner(RequestContext& context, const Address& claimed,
                                        const signing::Hash32& struct_hash) {
  SVC_ASSERT(context.authentication.owner);
  const OwnerSignature& owner = *context.authentication.owner;
  const auto separator = signing::separator(signing::action_domain(context.network->settings.domain_name));
  const auto digest = signing::typed_data_digest(separator, struct_hash);
  if (auto proven = prove(context, claimed, digest, owner.signature); !proven) return proven;
  if (owner.nonce && !context.network->owner_nonces.spend(claimed, {*owner.nonce}))
    return unexpected(context.refuse_credential(AuthFault::nonce_not_increasing));
  return {};
}

}  // namespace svc::sim
