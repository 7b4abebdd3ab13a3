// Funding from an account's view: what was paid, and what is due.

#include <optional>

#include "api/ops/account.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/handlers/position_translation.h"

namespace svc::sim {
namespace {

using namespace api;

// What a settlement at this index and rate would move; a long pays a positive rate. Rounded as the engine
// rounds it: up if paid, down if received. (rule 8.3)
Usdx payment(const engine::MarketSpec& spec, Lots size, Ticks index, Ppb rate) {
  const i128 owed = static_cast<i128>(size.value) * index.value * engine::quote_unit(spec) * rate.value;
  return {-narrow(div_round(owed, ppb_one, Rounding::up))};
}

MarketFundingSnapshot market_snapshot(const engine::MarketSpec& spec, const engine::MarketFigures& market,
                                      const engine::PositionRow* position) {
  MarketFundingSnapshot row;
  row.market_id = spec.id;
  const Lots size = position == nullptr ? Lots{} : position->size;
  row.position_size = lots_text(spec, size);
  row.funding_paid = usdx_text(position == nullptr ? Usdx{} : -position->totals.funding);
  if (market.index) row.index_price = price_text(spec, *market.index);
  if (market.status != engine::MarketStatus::active) {
    row.status = "halted";
  } else if (!market.index) {
    row.status = "no_index";
  } else {
    row.funding_rate = ppb_text(market.funding_rate);
    row.next_payment = usdx_text(payment(spec, size, *market.index, market.funding_rate));
  }
  return row;
}

FundingSnapshot funding_snapshot(const engine::Engine& engine, const Address& account, TimestampMs now_ms,
                         std::optional<engine::MarketIndex> only) {
  FundingSnapshot result;
  result.timestamp = now_ms;
  // All markets share one interval.
  const std::int64_t interval_ms = engine.spec({}).funding_interval_ms;
  result.next_funding_ms = (now_ms / interval_ms + 1) * interval_ms;
  const auto positions = engine.positions(account);
  const auto add = [&](engine::MarketIndex market, const engine::PositionRow* position) {
    result.markets.push_back(market_snapshot(engine.spec(market), engine.market(market, now_ms), position));
    if (result.markets.back().status != "ok") result.status = "degraded";
  };
  const engine::PositionRow* asked_for = nullptr;
  for (const engine::PositionRow& position : positions) {
    if (only && position.market == *only) asked_for = &position;
    if (!only) add(position.market, &position);
  }
  if (only) add(*only, asked_for);
  return result;
}

}  // namespace

void bind_funding(NetworkInstance& network, const VenueAccess& venue) {
  network.handlers.bind<ops::ListFunding>(
      [venue](RequestContext& context, const FundingRequest& request) -> Answer<ops::ListFunding> {
        const auto only = SVC_TRY(venue.market_if_named(request.market_id));
        return venue.views.read([&](const VenueView& view) {
          const auto& payments = view.account(context.account()).funding();
          const auto wanted = [&](const FundingPayment& row) { return !only || row.paid.market == *only; };
          FundingPage page;
          for (const FundingPayment* row : payments.page({}, request.limit, wanted).rows)
            page.rows.push_back(funding_record(venue.markets.spec(row->paid.market), *row));
          if (!payments.rows().empty()) page.oldest_ms = payments.rows().front().at_ms;
          page.truncated = payments.forgotten() > 0;
          return page;
        });
      });

  network.handlers.bind<ops::GetFundingSnapshot>(
      [venue](RequestContext& context, const FundingSnapshotRequest& request) -> Answer<ops::GetFundingSnapshot> {
        const auto only = SVC_TRY(venue.market_if_named(request.market_id));
        return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
          return funding_snapshot(engine, context.account(), now_ms, only);
        });
      });
}

}  // namespace svc::sim
