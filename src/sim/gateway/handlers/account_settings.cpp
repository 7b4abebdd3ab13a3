// The terms of an account: fees, referrals, how it is funded, what happens when it disconnects.

#include "api/ops/account.h"
#include "api/ops/funds.h"
#include "base/decimal.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"

namespace svc::sim {
namespace {

using namespace api;

MarketFees fees_of(const engine::MarketSpec& spec) {
  // Rates of listed markets are whole basis points; a finer one is shown as what it costs at most.
  constexpr std::int64_t ppm_per_bp = ppm_one / limits::basis_points;
  const auto in_bps = [](Ppm rate) { return narrow(div_round(rate.value, ppm_per_bp, Rounding::up)); };
  return {.market_id = spec.id, .maker_fee_bps = in_bps(spec.maker_fee), .taker_fee_bps = in_bps(spec.taker_fee)};
}

CancelOnDisconnectStatus disconnect_record(const DisconnectSetting& setting) {
  return {.enabled = setting.enabled,
          .active = setting.active(),
          .grace_secs = static_cast<std::uint64_t>(setting.grace_ms / second_ms)};
}

// Where a person sends money, or gets play money. (D-131, D-288)
Answer<ops::GetDepositTarget> deposit_target(RequestContext& context, const Empty&) {
  NetworkInstance& network = *context.network;
  const Address& account = context.account();
  DepositTarget target;
  target.account = account;
  if (network.settings.faucet) {
    const FaucetTerms& terms = network.settings.faucet_terms;
    target.mode = DepositMode::testnet_faucet;
    target.amount = usdx_text(terms.amount);
    target.cooldown_secs = static_cast<std::uint64_t>(terms.cooldown_ms / second_ms);
    target.confirm = "POST /faucet credits " + format_usdx(terms.amount) + " USDX of play money to " +
                     to_string(account) + ". It has no value.";
    return target;
  }
  const ChainTerms& chain = network.money.chain;
  // A person must not be told to send money to a chain that has no number.
  if (chain.chain_id == 0) return unexpected(ApiError(ErrorCode::deposit_target_misconfigured));
  const DepositAddress address = network.money.addresses.open(account, context.now_ms, context.records);
  target.mode = DepositMode::onchain;
  target.chain = chain.name;
  target.chain_id = chain.chain_id;
  target.asset = "USDC";
  target.address = to_string(address.address);
  target.min_amount = usdx_text(chain.min_deposit);
  target.confirm = "Send at least " + format_usdx(chain.min_deposit) + " USDC on " + chain.name + " to " +
                   *target.address + ". It is credited to " + to_string(account) + " and to nobody else.";
  return target;
}

}  // namespace

void bind_account_settings(NetworkInstance& network, const VenueAccess& venue) {
  network.handlers.bind<ops::GetAccountFees>([venue](RequestContext& context,
                                                     const FeesRequest& request) -> Answer<ops::GetAccountFees> {
    const auto only = SVC_TRY(venue.market_if_named(request.market_id));
    return venue.views.read([&](const VenueView& view) {
      AccountFees fees;
      if (only)
        fees.markets.push_back(fees_of(venue.markets.spec(*only)));
      else
        venue.each_listed(
            view, [&](engine::MarketIndex, const engine::MarketSpec& spec) { fees.markets.push_back(fees_of(spec)); });
      if (fees.markets.empty()) {
        fees.schedule = "unknown";
      } else {
        fees.maker_fee_bps = fees.markets.front().maker_fee_bps;
        fees.taker_fee_bps = fees.markets.front().taker_fee_bps;
      }
      fees.volume_30d = usdx_text(view.account(context.account()).volume_30_days(context.now_ms));
      return fees;
    });
  });

  network.handlers.bind<ops::GetAccountReferrals>(
      [](RequestContext& context, const Empty&) -> Answer<ops::GetAccountReferrals> {
        if (!context.network->settings.referral_store)
          return unexpected(ApiError(ErrorCode::referral_store_not_configured));
        return AccountReferrals{};
      });

  network.handlers.bind<ops::GetDepositTarget>(deposit_target);

  network.handlers.bind<ops::GetCancelOnDisconnect>(
      [](RequestContext& context, const Empty&) -> Answer<ops::GetCancelOnDisconnect> {
        return disconnect_record(context.network->disconnects.settings_of(context.account()));
      });

  network.handlers.bind<ops::SetCancelOnDisconnect>(
      [](RequestContext& context, const CancelOnDisconnectRequest& request) -> Answer<ops::SetCancelOnDisconnect> {
        DisconnectSettings& disconnects = context.network->disconnects;
        disconnects.set(context.account(), request.enabled, context.records);
        return disconnect_record(disconnects.settings_of(context.account()));
      });
}

}  // namespace svc::sim
