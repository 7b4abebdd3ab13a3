// Markets: parameters, prices, books and trades. All public.

#include "api/ops/markets.h"

#include <algorithm>

#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/handlers/market_translation.h"
#include "sim/gateway/handlers/time_range.h"

namespace svc::sim {
namespace {

using namespace api;

// Binds an operation on one market: answer(spec, view, now) -> record.
template <class Op, class F>
void bind_market(NetworkInstance& network, const VenueAccess& venue, F answer) {
  network.handlers.bind<Op>([venue, answer](RequestContext& context, const MarketRef& request) -> Answer<Op> {
    const auto market = SVC_TRY(venue.market(request.market_id));
    return venue.views.read([&](const VenueView& view) -> Answer<Op> {
      return answer(venue.markets.spec(market), view.market(market), context.now_ms);
    });
  });
}

}  // namespace

void bind_markets(NetworkInstance& network, const VenueAccess& venue) {
  network.handlers.bind<ops::ListMarkets>([venue](RequestContext&, const Empty&) -> Answer<ops::ListMarkets> {
    return venue.views.read([&](const VenueView& view) {
      List<Market> list;
      venue.each_listed(
          view, [&](engine::MarketIndex, const engine::MarketSpec& spec) { list.rows.push_back(market_record(spec)); });
      return list;
    });
  });

  network.handlers.bind<ops::ListMarketSummaries>(
      [venue](RequestContext&, const Empty&) -> Answer<ops::ListMarketSummaries> {
        return venue.views.read([&](const VenueView& view) {
          List<MarketSummary> list;
          venue.each_listed(view, [&](engine::MarketIndex index, const engine::MarketSpec& spec) {
            list.rows.push_back(summary_record(spec, view.market(index)));
          });
          return list;
        });
      });

  network.handlers.bind<ops::ListTickers>([venue](RequestContext& context, const Empty&) -> Answer<ops::ListTickers> {
    return venue.views.read([&](const VenueView& view) {
      Tickers tickers;
      venue.each_listed(view, [&](engine::MarketIndex index, const engine::MarketSpec& spec) {
        tickers.by_market.emplace(spec.id, ticker_record(spec, view.market(index), context.now_ms));
      });
      return tickers;
    });
  });

  bind_market<ops::GetTicker>(network, venue, ticker_record);
  bind_market<ops::GetOrderBook>(network, venue, order_book_record);
  bind_market<ops::GetMarketStatus>(
      network, venue,
      [](const engine::MarketSpec& spec, const MarketView& view, TimestampMs) { return status_record(spec, view); });
  bind_market<ops::GetRiskParams>(network, venue, [](const engine::MarketSpec& spec, const MarketView&, TimestampMs) {
    return risk_params_record(spec);
  });
  bind_market<ops::GetMarkPrice>(
      network, venue,
      [](const engine::MarketSpec& spec, const MarketView& view, TimestampMs) -> Answer<ops::GetMarkPrice> {
        if (!view.mark())
          return unexpected(ApiError(ErrorCode::service_unavailable, spec.id + " has no mark price yet"));
        return MarkPrice{.market_id = spec.id, .mark_price = price_text(spec, *view.mark())};
      });

  network.handlers.bind<ops::ListFundingRates>(
      [venue](RequestContext&, const FundingRatesRequest& request) -> Answer<ops::ListFundingRates> {
        const auto market = SVC_TRY(venue.market(request.market_id));
        return venue.views.read([&](const VenueView& view) {
          List<FundingSample> list;
          for (const SettledFunding* row : view.market(market).funding_rates().page({}, request.limit).rows)
            list.rows.push_back(funding_rate_record(venue.markets.spec(market), *row));
          return list;
        });
      });

  network.handlers.bind<ops::ListFundingSamples>(
      [venue](RequestContext&, const FundingSamplesRequest& request) -> Answer<ops::ListFundingSamples> {
        const auto market = SVC_TRY(venue.market(request.market_id));
        return venue.views.read([&](const VenueView& view) {
          List<FundingPremiumSample> list;
          for (const sim::PremiumSample* row : view.market(market).premium_samples().page({}, request.limit).rows)
            list.rows.push_back({.timestamp = row->at_ms, .premium_index = ppb_text(row->premium)});
          std::ranges::reverse(list.rows);  // this one list runs oldest first
          return list;
        });
      });

  network.handlers.bind<ops::ListAdlEvents>(
      [venue](RequestContext&, const AdlEventsRequest& request) -> Answer<ops::ListAdlEvents> {
        const auto market = SVC_TRY(venue.market(request.market_id));
        return venue.views.read([&](const VenueView& view) {
          List<AdlEventRecord> list;
          for (const AdlEvent* row : view.market(market).adl_events().page({}, request.limit).rows)
            list.rows.push_back(adl_record(venue.markets.spec(market), *row));
          return list;
        });
      });

  network.handlers.bind<ops::ListCandles>([venue](RequestContext& context,
                                                  const CandlesRequest& request) -> Answer<ops::ListCandles> {
    const auto market = SVC_TRY(venue.market(request.market_id));
    const auto range = SVC_TRY(time_range(request.start_time, request.end_time));
    const CandleWindow window{
        .from_ms = request.start_time, .until_ms = std::min(range.until_ms, context.now_ms), .limit = request.limit};
    return venue.views.read([&](const VenueView& view) {
      List<Candle> list;
      const auto timeframe = static_cast<std::size_t>(request.timeframe);
      for (const MarketCandle& candle : view.market(market).candles().read(timeframe, window))
        list.rows.push_back(candle_record(venue.markets.spec(market), candle));
      return list;
    });
  });

  network.handlers.bind<ops::ListTrades>(
      [venue](RequestContext&, const TradesRequest& request) -> Answer<ops::ListTrades> {
        const auto market = SVC_TRY(venue.market(request.market_id));
        return venue.views.read([&](const VenueView& view) {
          const auto page = view.market(market).trades().page(parse_cursor(request.cursor), request.limit);
          Page<Trade> trades;
          for (const PublicTrade* trade : page.rows)
            trades.rows.push_back(trade_record(venue.markets.spec(market), *trade));
          if (page.next) trades.next_cursor = cursor_text(*page.next);
          return trades;
        });
      });
}

}  // namespace svc::sim
