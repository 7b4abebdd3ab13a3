// What an account has and how fast it may ask.

#include "api/ops/account.h"

#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/handlers/position_translation.h"

namespace svc::sim {
namespace {

using namespace api;

std::vector<MarketSetting> market_settings(const VenueAccess& venue, const engine::Engine& engine,
                                           const VenueView& view, const Address& account) {
  std::vector<MarketSetting> rows;
  venue.each_listed(view, [&](engine::MarketIndex index, const engine::MarketSpec& spec) {
    const engine::MarketSettings settings = engine.settings(account, index);
    rows.push_back({.market_id = spec.id,
                    .margin_mode = wire_mode(settings.mode),
                    .leverage = static_cast<std::uint32_t>(settings.leverage)});
  });
  return rows;
}

// Figures, positions, the last day and the settings, all as of one instant.
struct AccountSnapshot {
  engine::AccountFigures figures;
  std::vector<engine::PositionRow> positions;
  AccountDay day;
  std::vector<MarketSetting> settings;
};

AccountSnapshot snapshot_of(const VenueAccess& venue, const Address& account) {
  return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    return venue.views.read([&](const VenueView& view) {
      return AccountSnapshot{.figures = engine.account(account),
                             .positions = engine.positions(account),
                             .day = view.account(account).last_day(now_ms),
                             .settings = market_settings(venue, engine, view, account)};
    });
  });
}

BucketStatus bucket_status(const Meter& meter) {
  return {.limit = meter.limit, .remaining = meter.remaining, .reset_at_ms = meter.full_at_ms};
}

Answer<ops::GetRateLimit> rate_limit(RequestContext& context, const Empty&) {
  NetworkInstance& network = *context.network;
  const Payer payer = network.payer_of(context.caller(), context.client_address);
  RateLimitStatus status;
  status.tier = std::string(tier_lower_texts[static_cast<std::size_t>(payer.tier)]);
  if (payer.tier == Tier::unlimited) return status;
  const Meter meter = network.limiter.peek(payer, RateClass::request, context.now_ms);
  status.limit = meter.limit;
  status.remaining = meter.remaining;
  status.reset_at_ms = meter.full_at_ms;
  for (const Meter& bucket : network.limiter.buckets_of(payer, context.now_ms))
    status.buckets.emplace(to_string(bucket.bucket), bucket_status(bucket));
  return status;
}

}  // namespace

void bind_account(NetworkInstance& network, const VenueAccess& venue) {
  network.handlers.bind<ops::GetAccount>([venue](RequestContext& context, const Empty&) -> Answer<ops::GetAccount> {
    const AccountSnapshot now = snapshot_of(venue, context.account());
    return AccountSummary{.balance = usdx_text(now.figures.balance),
                          .collateral = usdx_text(now.figures.collateral),
                          .equity = usdx_text(now.figures.equity),
                          .available_margin = usdx_text(now.figures.available),
                          .positions = position_records(venue.markets, now.positions)};
  });

  network.handlers.bind<ops::GetAccountSummary>(
      [venue](RequestContext& context, const Empty&) -> Answer<ops::GetAccountSummary> {
        const AccountSnapshot now = snapshot_of(venue, context.account());
        return portfolio_record(now.figures, now.day);
      });

  network.handlers.bind<ops::GetAccountState>(
      [venue](RequestContext& context, const Empty&) -> Answer<ops::GetAccountState> {
        const AccountSnapshot now = snapshot_of(venue, context.account());
        return AccountState{.summary = portfolio_record(now.figures, now.day),
                            .positions = position_records(venue.markets, now.positions),
                            .market_settings = now.settings};
      });

  network.handlers.bind<ops::GetRateLimit>(rate_limit);
}

}  // namespace svc::sim
