// Account tiers, as the operator assigns them.

#include "api/ops/admin.h"

#include "sim/gateway/handlers/bindings.h"

namespace svc::sim {
namespace {

using namespace api;

// A tier that was not recorded was not assigned.
Result<void, ApiError> keep_tier(RequestContext& context, const Address& account, Tier before) {
  auto kept = context.keep();
  RecordBatch never_kept;
  if (!kept) context.network->assign_tier(account, before, never_kept);
  return kept;
}

Answer<ops::ListTiers> list_tiers(RequestContext& context, const Empty&) {
  List<TierOverride> list;
  for (const auto& [address, tier] : context.network->tiers.overrides())
    list.rows.push_back({.address = address, .tier = tier});
  return list;
}

Answer<ops::SetTier> set_tier(RequestContext& context, const TierOverride& request) {
  NetworkInstance& network = *context.network;
  const Tier before = network.tiers.of(request.address);
  network.assign_tier(request.address, request.tier, context.records);
  if (const auto kept = keep_tier(context, request.address, before); !kept) return unexpected(kept.error());
  return request;
}

Answer<ops::ResetTier> reset_tier(RequestContext& context, const TierRef& request) {
  NetworkInstance& network = *context.network;
  const Tier before = network.tiers.of(request.address);
  if (!network.reset_tier(request.address, context.records))
    return unexpected(ApiError(ErrorCode::not_found, "the account has no tier of its own"));
  if (const auto kept = keep_tier(context, request.address, before); !kept) return unexpected(kept.error());
  return TierOverride{.address = request.address, .tier = Tier::pro};
}

}  // namespace

void bind_admin(NetworkInstance& network) {
  network.handlers.bind<ops::ListTiers>(list_tiers);
  network.handlers.bind<ops::SetTier>(set_tier);
  network.handlers.bind<ops::ResetTier>(reset_tier);
}

}  // namespace svc::sim
