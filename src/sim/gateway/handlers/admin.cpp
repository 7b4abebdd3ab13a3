// Account tiers, assigned by the operator.

#include "api/contract/admin.h"
#include "api/tiers.h"

#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using namespace api;

Answer<ops::ListTiers> list_tiers(RequestContext& context, const Empty&) {
  return list_of(context.network->services.look()->tiers.overrides(),
                 [](const auto& row) { return TierOverride{.address = row.first, .tier = row.second}; });
}

Answer<ops::SetTier> set_tier(RequestContext& context, const TierOverride& request) {
  SVC_TRY(serve(context, AssignTier{.account = request.address, .tier = request.tier}));
  context.network->fill_budgets(request.address);
  return request;
}

Answer<ops::ResetTier> reset_tier(RequestContext& context, const TierRef& request) {
  SVC_TRY(serve(context, sim::ResetTier{.account = request.address}));
  context.network->fill_budgets(request.address);
  return TierOverride{.address = request.address, .tier = default_tier};
}

}  // namespace

void bind_admin(HandlerTable& handlers) {
  handlers.bind<ops::ListTiers>(list_tiers);
  handlers.bind<ops::SetTier>(set_tier);
  handlers.bind<ops::ResetTier>(reset_tier);
}

}  // namespace svc::sim
