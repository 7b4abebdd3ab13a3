// Account tiers, as the operator assigns them.

#include "api/ops/admin.h"

#include "sim/gateway/handlers/bindings.h"

namespace svc::sim {
namespace {

using namespace api;

Answer<ops::ListTiers> list_tiers(RequestContext& context, const Empty&) {
  List<TierOverride> list;
  for (const auto& [address, tier] : context.network->tiers.overrides())
    list.rows.push_back({.address = address, .tier = tier});
  return list;
}

Answer<ops::SetTier> set_tier(RequestContext& context, const TierOverride& request) {
  context.network->assign_tier(request.address, request.tier);
  return request;
}

Answer<ops::ResetTier> reset_tier(RequestContext& context, const TierRef& request) {
  if (!context.network->reset_tier(request.address))
    return unexpected(ApiError(ErrorCode::not_found, "the account has no tier of its own"));
  return TierOverride{.address = request.address, .tier = Tier::pro};
}

}  // namespace

void bind_admin(NetworkInstance& network) {
  network.handlers.bind<ops::ListTiers>(list_tiers);
  network.handlers.bind<ops::SetTier>(set_tier);
  network.handlers.bind<ops::ResetTier>(reset_tier);
}

}  // namespace svc::sim
