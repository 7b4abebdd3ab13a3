#include "sim/gateway/owner_proof.h"

#include "base/assert.h"
#include "signing/domain.h"
#include "signing/key.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {
namespace {

// One sequence for all structs signed by an owner; spent once the signature is verified. (D-243)
Result<void, api::ApiError> spend(RequestContext& context, const Address& owner, std::uint64_t nonce) {
  if (context.network->owner_nonces.spend(owner, {nonce}, context.records)) return {};
  return unexpected(context.refuse_credential(AuthFault::nonce_not_increasing));
}

api::ApiError not_the_signer(RequestContext& context, const std::optional<Address>& signer) {
  return context.refuse_credential(AuthFault::signature_mismatch,
                                   signer ? "signed by " + to_string(*signer) : std::string("signed by nobody"));
}

}  // namespace

Result<std::size_t, api::ApiError> prove_wallet(RequestContext& context, const Address& claimed,
                                                std::span<const signing::Hash32> struct_hashes,
                                                std::string_view signature, std::uint64_t nonce) {
  SVC_ASSERT(!struct_hashes.empty());
  const auto parsed = signing::parse_signature(signature);
  if (!parsed) return unexpected(context.refuse_credential(AuthFault::malformed_signature));
  const auto separator = signing::separator(signing::action_domain(context.network->settings.domain_name));
  std::optional<Address> first_signer;
  for (std::size_t i = 0; i < struct_hashes.size(); ++i) {
    const auto signer = signing::recover(signing::typed_data_digest(separator, struct_hashes[i]), *parsed);
    if (i == 0) first_signer = signer;
    if (signer != claimed) continue;
    // Signed with the right key, perhaps for another network of this name: no nonce is spent.
    if (!context.network->settings.owns_domain_name()) return unexpected(context.refuse_shared_name());
    context.prove_signer(claimed);
    SVC_TRY(spend(context, claimed, nonce));
    return i;
  }
  return unexpected(not_the_signer(context, first_signer));
}

Result<void, api::ApiError> prove_owner(RequestContext& context, const Address& claimed, std::string_view deployment,
                                        const signing::Hash32& struct_hash) {
  SVC_ASSERT(context.authentication.owner);
  const OwnerSignature& owner = *context.authentication.owner;
  const auto separator = signing::separator(signing::action_domain(context.network->settings.domain_name));
  const auto signer = signing::recover(signing::typed_data_digest(separator, struct_hash), owner.signature);
  if (signer != claimed) return unexpected(not_the_signer(context, signer));
  // Signed with the right key, for another exchange: no nonce is spent.
  if (deployment != context.network->settings.deployment)
    return unexpected(context.refuse_credential(AuthFault::signature_mismatch,
                                                "signed for deployment \"" + std::string(deployment) + '"'));
  context.prove_signer(claimed);
  return owner.nonce ? spend(context, claimed, *owner.nonce) : Result<void, api::ApiError>{};
}

}  // namespace svc::sim
