// What an account has and how fast it may ask.

#include "api/ops/account.h"

#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/handlers/market_translation.h"
#include "sim/gateway/handlers/position_translation.h"

namespace svc::sim {
namespace {

using namespace api;

// Figures, positions and the last day, all as of one instant.
struct Snapshot {
  engine::AccountFigures figures;
  std::vector<engine::PositionRow> positions;
  AccountDay day;
};

Snapshot snapshot_of(const VenueAccess& venue, const Address& account) {
  return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    return Snapshot{
        .figures = engine.account(account),
        .positions = engine.positions(account),
        .day = venue.views.read([&](const VenueView& view) { return view.account(account).last_day(now_ms); })};
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
    const Snapshot now = snapshot_of(venue, context.account());
    return AccountSummary{.balance = usdx_text(now.figures.balance),
                          .collateral = usdx_text(now.figures.collateral),
                          .equity = usdx_text(now.figures.equity),
                          .available_margin = usdx_text(now.figures.available),
                          .positions = position_records(venue.markets, now.positions)};
  });

  network.handlers.bind<ops::GetAccountSummary>(
      [venue](RequestContext& context, const Empty&) -> Answer<ops::GetAccountSummary> {
        const Snapshot now = snapshot_of(venue, context.account());
        return portfolio_record(now.figures, now.day);
      });

  network.handlers.bind<ops::GetAccountState>(
      [venue](RequestContext& context, const Empty&) -> Answer<ops::GetAccountState> {
        const Snapshot now = snapshot_of(venue, context.account());
        return AccountState{.summary = portfolio_record(now.figures, now.day),
                            .positions = position_records(venue.markets, now.positions)};
      });

  network.handlers.bind<ops::ListFunding>(
      [venue](RequestContext& context, const FundingRequest& request) -> Answer<ops::ListFunding> {
        std::optional<engine::MarketIndex> only;
        if (request.market_id) {
          const auto market = venue.market(*request.market_id);
          if (!market) return unexpected(market.error());
          only = *market;
        }
        return venue.views.read([&](const VenueView& view) {
          const auto& payments = view.account(context.account()).funding();
          FundingPage page;
          for (auto row = payments.rows().rbegin(); row != payments.rows().rend(); ++row) {
            if (page.rows.size() == request.limit) break;
            if (!only || row->paid.market == *only)
              page.rows.push_back(funding_record(venue.markets.spec(row->paid.market), *row));
          }
          if (!payments.rows().empty()) page.oldest_ms = payments.rows().front().at_ms;
          page.truncated = payments.forgotten() > 0;
          return page;
        });
      });

  network.handlers.bind<ops::ListAccountAdl>(
      [venue](RequestContext& context, const AccountAdlRequest& request) -> Answer<ops::ListAccountAdl> {
        // Somebody else's account does not exist for the caller.
        if (request.address != context.account())
          return unexpected(ApiError(ErrorCode::not_found, "no such account, or not the caller's"));
        return venue.views.read([&](const VenueView& view) {
          List<AdlEventRecord> list;
          for (const AdlEvent* row : view.account(request.address).adl_events().page({}, request.limit).rows)
            list.rows.push_back(adl_record(venue.markets.spec(row->event.market), *row));
          return list;
        });
      });

  network.handlers.bind<ops::GetRateLimit>(rate_limit);
}

}  // namespace svc::sim
