// Markets: parameters, prices, books and trades, all public; and an account's funding: past payments and the next one.
#include <algorithm>
#include <optional>

#include "api/contract/account.h"
#include "api/contract/markets.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "base/random.h"
#include "sim/gateway/handlers/records.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using namespace api;

NumberText price_number(const engine::MarketSpec& spec, Ticks price) {
  return NumberText(engine::format_price(spec, price));
}

NumberText lots_number(const engine::MarketSpec& spec, i128 lots) {
  return NumberText(decimal_text(lots * spec.lot_size.coefficient, spec.lot_size.scale));
}

MarketState state_of(const MarketView& view) {
  // For clients a delisted market is halted forever.
  return view.status() == engine::MarketStatus::active ? MarketState::active : MarketState::halted;
}

std::optional<std::string> halt_reason(const MarketView& view) {
  if (view.status() == engine::MarketStatus::active) return std::nullopt;
  if (view.last_status().reason == engine::HaltReason::adl_exhausted) return "adl_exhausted";
  if (!view.last_status().operator_reason.empty()) return view.last_status().operator_reason;
  return view.status() == engine::MarketStatus::delisted ? "delisted" : "operator_halt";
}

std::optional<TimestampMs> halted_at(const MarketView& view) {
  if (view.status() == engine::MarketStatus::active) return std::nullopt;
  return view.last_status().halted_ms;
}

// The change of a day in per cent of its opening price, to six digits.
NumberText percentage(Ticks open, Ticks close) {
  const i128 scaled = static_cast<i128>(close.value - open.value) * 100 * usdx_one;
  return NumberText(decimal_text(div_round(scaled, open.value, Rounding::half_up), usdx_decimals));
}

template <class Levels>
std::vector<PriceLevel> level_records(const engine::MarketSpec& spec, const Levels& levels) {
  std::vector<PriceLevel> records;
  records.reserve(std::min(levels.size(), limits::book_levels_max));
  for (const auto& [price, level] : levels) {
    if (records.size() == limits::book_levels_max) break;
    records.push_back({.price = price_number(spec, price), .amount = lots_number(spec, level.quantity.value)});
  }
  return records;
}

}  // namespace

api::MarketStatus status_record(const engine::MarketSpec& spec, const MarketView& view) {
  return {.market_id = spec.id,
          .status = state_of(view),
          .halt_reason = halt_reason(view),
          .halted_at = halted_at(view),
          .adl_event_count = view.adl_event_count()};
}

api::Ticker ticker_record(const engine::MarketSpec& spec, const MarketView& view, TimestampMs now_ms) {
  api::Ticker record;
  record.symbol = spec.id;
  record.timestamp = now_ms;
  record.datetime = utc_text(now_ms);
  if (!view.bids().empty()) {
    record.bid = price_number(spec, view.bids().begin()->first);
    record.bid_volume = lots_number(spec, view.bids().begin()->second.quantity.value);
  }
  if (!view.asks().empty()) {
    record.ask = price_number(spec, view.asks().begin()->first);
    record.ask_volume = lots_number(spec, view.asks().begin()->second.quantity.value);
  }
  const TradedRange day = view.last_day(now_ms);
  if (day.trades > 0) {
    record.open = price_number(spec, day.open);
    record.high = price_number(spec, day.high);
    record.low = price_number(spec, day.low);
    record.change = price_number(spec, day.close - day.open);
    record.percentage = percentage(day.open, day.close);
  }
  if (view.last()) record.close = record.last = price_number(spec, *view.last());
  record.base_volume = lots_number(spec, day.base_lots);
  record.quote_volume = NumberText(decimal_text(day.quote, usdx_decimals));
  if (view.mark())
    record.mark_price = price_number(spec, *view.mark());
  else
    record.mark_price = record.last;
  if (view.index()) record.index_price = price_number(spec, *view.index());
  return record;
}

api::OrderBook order_book_record(const engine::MarketSpec& spec, const MarketView& view, TimestampMs now_ms) {
  return {.symbol = spec.id,
          .bids = level_records(spec, view.bids()),
          .asks = level_records(spec, view.asks()),
          .timestamp = now_ms,
          .datetime = utc_text(now_ms),
          .nonce = view.book_nonce()};
}

api::Trade trade_record(const engine::MarketSpec& spec, const PublicTrade& row) {
  const engine::Trade& trade = row.trade;
  return {.id = make_uuid(UuidKind::trade, trade.id.value),
          .symbol = spec.id,
          .price = price_number(spec, trade.price),
          .amount = lots_number(spec, trade.quantity.value),
          .cost = NumberText(format_usdx(trade.quote)),
          .side = trade.taker_side,
          .timestamp = row.at_ms,
          .datetime = utc_text(row.at_ms),
          .taker_or_maker = std::nullopt,
          .is_liquidation = trade.is_liquidation,
          .info = {}};
}

api::Candle candle_record(const engine::MarketSpec& spec, const MarketCandle& candle) {
  return {.open_time = candle.open_ms,
          .open = price_number(spec, candle.range.open),
          .high = price_number(spec, candle.range.high),
          .low = price_number(spec, candle.range.low),
          .close = price_number(spec, candle.range.close),
          .volume = lots_number(spec, candle.range.base_lots)};
}

api::AdlEventRecord adl_record(const MarketTable& markets, const AdlEvent& row) {
  const engine::MarketSpec& spec = markets.spec(row.event.market);
  api::AdlEventRecord record;
  record.market_id = spec.id;
  record.target_account = row.event.target;
  record.bankruptcy_price = average_price_text(spec, row.event.bankruptcy_quote.value, row.event.bankruptcy_lots.value);
  record.bad_debt_absorbed_by_fund = usdx_text(row.event.absorbed_by_fund);
  for (const engine::AdlClosure& closure : row.event.closures)
    record.counterparty_closures.push_back({.account_id = closure.account,
                                            .position_closed = lots_text(spec, closure.quantity),
                                            .settlement_amount = usdx_text(closure.settlement_amount)});
  record.sequence = row.event.number;
  record.timestamp = row.at_ms;
  return record;
}

namespace {

// A margin rate; one without a decimal form is rounded down at 1e-9: 1 divided by it is at least the highest leverage.
// (D-1060)
DecimalText rate_text(const engine::Rational& rate) {
  return DecimalText(decimal_text(div_round(static_cast<i128>(rate.num) * ppb_one, rate.den, Rounding::down), 9));
}

Market market_record(const engine::MarketSpec& spec) {
  return {.market_id = spec.id,
          .base_asset = spec.base_asset,
          .quote_asset = spec.quote_asset,
          .tick_size = DecimalText(format_decimal(spec.tick_size)),
          .lot_size = DecimalText(format_decimal(spec.lot_size)),
          .min_order_size = lots_text(spec, spec.min_order_size),
          .max_order_size = lots_text(spec, spec.max_order_size),
          .initial_margin_rate = rate_text(spec.tiers.front().imr),
          .maintenance_margin_rate = rate_text(spec.tiers.front().mmr),
          .max_leverage = static_cast<std::uint32_t>(spec.max_leverage),
          .funding_rate_cap = ppb_text(spec.funding_rate_cap)};
}

MarketRiskParams risk_params_record(const engine::MarketSpec& spec) {
  return {.market_id = spec.id,
          .max_leverage = static_cast<std::uint32_t>(spec.max_leverage),
          .initial_margin_rate = rate_text(spec.tiers.front().imr),
          .maintenance_margin_rate = rate_text(spec.tiers.front().mmr)};
}

MarketSummary summary_record(const engine::MarketSpec& spec, const MarketView& view) {
  MarketSummary record;
  record.market_id = spec.id;
  if (view.last()) record.last_trade_price = price_number(spec, *view.last());
  record.volume_24h = NumberText(decimal_text(view.ever().quote, usdx_decimals));  // cumulative (D-703)
  record.trade_count = view.ever().trades;
  record.status = state_of(view);
  record.halt_reason = halt_reason(view);
  record.halted_at = halted_at(view);
  record.adl_event_count = view.adl_event_count();
  record.tick_size = DecimalText(format_decimal(spec.tick_size));
  record.lot_size = DecimalText(format_decimal(spec.lot_size));
  record.min_order_size = lots_text(spec, spec.min_order_size);
  if (view.mark()) record.engine_mark_price = price_text(spec, *view.mark());
  return record;
}

FundingSample funding_rate_record(const engine::MarketSpec& spec, const SettledFunding& row) {
  return {.timestamp = row.at_ms,
          .funding_rate = ppb_text(row.settled.rate),
          .premium_index = ppb_text(row.settled.average_premium),
          .mark_price = price_text(spec, row.settled.mark),
          .oracle_price = price_text(spec, row.settled.index)};
}

template <class Request>
struct MarketQuery {
  const Request& request;
  const engine::MarketSpec& spec;
  const MarketView& view;
};

// Binds a public operation on one market: answer(MarketQuery) -> record or error, or answer(MarketQuery, now).
template <class Op, class F>
void bind_market(HandlerTable& handlers, F answer) {
  using Request = typename Op::Request;
  bind_public_view<Op>(
      handlers,
      [answer]<class... Now>(const VenueView& view, const VenueAccess& venue, const Request& request, Now... now)
          -> Answer<Op> requires std::is_invocable_v<F, const MarketQuery<Request>&, Now...> {
        const auto market = SVC_TRY(venue.market(request.market_id));
        return answer(MarketQuery<Request>{request, venue.markets.spec(market), view.market(market)}, now...);
      });
}

// Binds a list over all listed markets: record(spec, market's view) of each.
template <class Op, class F>
void bind_all_markets(HandlerTable& handlers, F record) {
  bind_public_view<Op>(handlers, [record](const VenueView& view, const VenueAccess& venue, const Empty&) {
    ResponseOf<Op> list;
    venue.each_listed(view, [&](engine::MarketIndex index, const engine::MarketSpec& spec) {
      list.rows.add(record(spec, view.market(index)));
    });
    return list;
  });
}

Answer<ops::ListTickers> list_tickers(const VenueView& view, const VenueAccess& venue, const Empty&,
                                      TimestampMs now_ms) {
  Tickers tickers;
  venue.each_listed(view, [&](engine::MarketIndex index, const engine::MarketSpec& spec) {
    tickers.by_market.emplace(spec.id, ticker_record(spec, view.market(index), now_ms));
  });
  return tickers;
}

Answer<ops::ListCandles> list_candles(const MarketQuery<CandlesRequest>& on, TimestampMs now_ms) {
  const auto range = SVC_TRY(time_range(on.request.start_time, on.request.end_time));
  const CandleWindow window{
      .from_ms = on.request.start_time, .until_ms = std::min(range.until_ms, now_ms), .limit = on.request.limit};
  const auto timeframe = static_cast<std::size_t>(on.request.timeframe);
  return list_of(on.view.candles().read(timeframe, window),
                 [&](const MarketCandle& candle) { return candle_record(on.spec, candle); });
}

Answer<ops::ListAdlEvents> list_adl_events(const ViewRead<AdlEventsRequest>& on) {
  const auto market = SVC_TRY(on.venue.market(on.request.market_id));
  return list_of(on.view.market(market).adl_events().page({}, on.request.limit).rows,
                 [&](std::uint64_t number) { return adl_record(on.venue.markets, on.view.adl_event(number)); });
}

AccountFunding funding_record(const engine::MarketSpec& spec, const FundingPayment& payment) {
  const engine::FundingPaid& paid = payment.paid;
  return {.market_id = spec.id,
          .amount = usdx_text(paid.amount),
          .direction = paid.amount < Usdx{} ? FundingDirection::paid : FundingDirection::received,
          .funding_rate = ppb_text(paid.rate),
          .position_size = lots_text(spec, paid.position),
          .timestamp = payment.at_ms};
}

Usdx payment(const engine::MarketSpec& spec, Lots size, Ticks index, Ppb rate) {
  return engine::funding_of(static_cast<i128>(size.value) * index.value * engine::quote_unit(spec), rate);
}

MarketFundingSnapshot market_snapshot(const engine::MarketSpec& spec, const engine::MarketFigures& market,
                                      const engine::PositionRow* position) {
  MarketFundingSnapshot row;
  row.market_id = spec.id;
  const Lots size = position == nullptr ? Lots{} : position->size;
  row.position_size = lots_text(spec, size);
  row.funding_paid = usdx_text(position == nullptr ? Usdx{} : -position->funding);
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

Answer<ops::ListFunding> list_funding(const ViewRead<FundingRequest>& on) {
  const auto only = SVC_TRY(on.venue.market_if_named(on.request.market_id));
  const auto& payments = on.own().funding();
  const auto wanted = [&](const FundingPayment& row) { return !only || row.paid.market == *only; };
  FundingPage page;
  for (const FundingPayment* row : payments.page({}, on.request.limit, wanted).rows)
    page.rows.push_back(funding_record(on.venue.markets.spec(row->paid.market), *row));
  if (!payments.rows().empty()) page.oldest_ms = payments.rows().front().at_ms;
  page.truncated = payments.forgotten() > 0;
  return page;
}

Answer<ops::GetFundingSnapshot> get_funding_snapshot(RequestContext& context, const FundingSnapshotRequest& request) {
  const auto only = SVC_TRY(context.venue().market_if_named(request.market_id));
  return context.venue().sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    return funding_snapshot(engine, context.account(), now_ms, only);
  });
}

}  // namespace

void bind_markets(HandlerTable& handlers) {
  bind_all_markets<ops::ListMarkets>(
      handlers, [](const engine::MarketSpec& spec, const MarketView&) { return market_record(spec); });
  bind_all_markets<ops::ListMarketSummaries>(handlers, summary_record);
  bind_public_view<ops::ListTickers>(handlers, list_tickers);
  bind_market<ops::GetTicker>(
      handlers, [](const auto& on, TimestampMs now_ms) { return ticker_record(on.spec, on.view, now_ms); });
  bind_market<ops::GetOrderBook>(
      handlers, [](const auto& on, TimestampMs now_ms) { return order_book_record(on.spec, on.view, now_ms); });
  bind_market<ops::GetMarketStatus>(handlers, [](const auto& on) -> Answer<ops::GetMarketStatus> {
    if (on.view.status() == engine::MarketStatus::delisted)
      return refused(ErrorCode::unknown_market, on.spec.id + " was delisted");
    return status_record(on.spec, on.view);
  });
  bind_market<ops::GetRiskParams>(handlers, [](const auto& on) { return risk_params_record(on.spec); });
  bind_market<ops::GetMarkPrice>(handlers, [](const auto& on) -> Answer<ops::GetMarkPrice> {
    if (!on.view.mark()) return refused(ErrorCode::service_unavailable, on.spec.id + " has no mark price yet");
    return MarkPrice{.market_id = on.spec.id, .mark_price = price_text(on.spec, *on.view.mark())};
  });
  bind_market<ops::ListFundingRates>(handlers, [](const auto& on) {
    return list_of(on.view.funding_rates().page({}, on.request.limit).rows,
                   [&](const SettledFunding& row) { return funding_rate_record(on.spec, row); });
  });
  bind_market<ops::ListFundingSamples>(handlers, [](const auto& on) {
    auto rows = on.view.premium_samples().page({}, on.request.limit).rows;
    std::ranges::reverse(rows);  // only this list is sorted oldest first
    return list_of(rows, [](const sim::PremiumSample& row) {
      return FundingPremiumSample{.timestamp = row.at_ms, .premium_index = ppb_text(row.premium)};
    });
  });
  bind_market<ops::ListTrades>(handlers, [](const auto& on) {
    return page_of(on.view.trades(), on.request,
                   [&](const PublicTrade& trade) { return trade_record(on.spec, trade); });
  });
  bind_market<ops::ListCandles>(handlers, list_candles);
  handlers.bind_all(list_adl_events, list_funding, get_funding_snapshot);
}

}  // namespace svc::sim
