// Account tiers, assigned by the operator.

#include "api/contract/admin.h"

#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using namespace api;

// Undoes the tier change if it cannot be logged.
Result<void, ApiError> keep_tier(RequestContext& context, const Address& account, Tier before) {
  return context.keep([&](RecordBatch& never_kept) { context.network->assign_tier(account, before, never_kept); });
}

Answer<ops::ListTiers> list_tiers(RequestContext& context, const Empty&) {
  return list_of(context.network->tiers.overrides(),
                 [](const auto& row) { return TierOverride{.address = row.first, .tier = row.second}; });
}

// Money in transit counts as well: a failed withdrawal comes back, a confirmed deposit arrives.
bool trades(const RequestContext& context, const Address& account) {
  const auto [figures, now_ms] = context.venue().sequencer.read(
      [&](const engine::Engine& engine, TimestampMs at_ms) { return std::pair(engine.account(account), at_ms); });
  const auto moves = [&](const ChainMovements& movements) {
    const auto is_open = [&](const ChainMovement& movement) {
      return movements.fate(movement, now_ms) == MovementFate::open;
    };
    return !movements.newest_of(account, 1, is_open).empty();
  };
  const MoneyServices& money = context.network->money;
  return figures.collateral != Usdx{} || figures.balance != Usdx{} || figures.open_positions > 0 ||
         figures.open_orders > 0 || moves(money.withdrawals) || moves(money.bridge_withdrawals) ||
         moves(money.deposits.movements);
}

// The Unlimited tier is for gateways' keys, never for a trading account. (API: Tiers; D-725)
Answer<ops::SetTier> set_tier(RequestContext& context, const TierOverride& request) {
  NetworkInstance& network = *context.network;
  const auto turn = network.money.turns.take(request.address);
  if (request.tier == Tier::unlimited && trades(context, request.address))
    return unexpected(ApiError(ErrorCode::unprocessable,
                               "the account has funds, positions or orders, and Unlimited is never the tier of a "
                               "trading account"));
  const Tier before = network.tiers.of(request.address);
  network.assign_tier(request.address, request.tier, context.records);
  SVC_TRY(keep_tier(context, request.address, before));
  return request;
}

Answer<ops::ResetTier> reset_tier(RequestContext& context, const TierRef& request) {
  NetworkInstance& network = *context.network;
  const Tier before = network.tiers.of(request.address);
  if (!network.reset_tier(request.address, context.records))
    return unexpected(ApiError(ErrorCode::not_found, "the account has no tier of its own"));
  SVC_TRY(keep_tier(context, request.address, before));
  return TierOverride{.address = request.address, .tier = Tier::pro};
}

}  // namespace

void bind_admin(HandlerTable& handlers) {
  handlers.bind<ops::ListTiers>(list_tiers);
  handlers.bind<ops::SetTier>(set_tier);
  handlers.bind<ops::ResetTier>(reset_tier);
}

}  // namespace svc::sim
