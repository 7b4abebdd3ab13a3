#pragma once

#include "api/contract/declaration.h"
#include "api/contract/orders.h"

// Markets: their parameters, state and prices. Records in the CCXT layout use JSON numbers.

namespace svc::api {

SVC_RECORD(MarketRef, (MarketId, market_id, {}, "Market", .path()));

SVC_RECORD(Market,
    (std::string, market_id, {}, "Market")
    (std::string, base_asset, {}, "What is traded")
    (std::string, quote_asset, {}, "What it is priced and settled in")
    (DecimalText, tick_size, {}, "Price step")
    (DecimalText, lot_size, {}, "Quantity step")
    (DecimalText, min_order_size, {}, "Smallest order")
    (DecimalText, max_order_size, {}, "Largest order")
    (DecimalText, initial_margin_rate, {}, "Of notional")
    (DecimalText, maintenance_margin_rate, {}, "Of notional")
    (std::uint32_t, max_leverage, = 0, "Highest leverage")
    (std::optional<DecimalText>, funding_rate_cap, {}, "Bound of the hourly rate, both signs", .omit_when_empty()));

enum class MarketState : std::uint8_t { active, halted };
inline constexpr std::string_view market_state_texts[] = {"active", "halted"};
SVC_WIRE_NAMES(MarketState, market_state_texts);

SVC_RECORD(MarketSummary,
    (std::string, market_id, {}, "Market")
    (std::optional<NumberText>, last_trade_price, {}, "Price of the last trade")
    (NumberText, volume_24h, {},
     "Quote volume of all trades so far, whatever the name says; of the last 24 hours it is quoteVolume of the ticker")
    (std::uint64_t, trade_count, = 0, "Trades so far")
    (MarketState, status, = MarketState::active, "active or halted")
    (std::optional<std::string>, halt_reason, {}, "Why it is halted")
    (std::optional<TimestampMs>, halted_at, {}, "Unix milliseconds")
    (std::uint64_t, adl_event_count, = 0, "Auto-deleveraging events so far")
    (std::optional<DecimalText>, tick_size, {}, "Price step", .omit_when_empty())
    (std::optional<DecimalText>, lot_size, {}, "Quantity step", .omit_when_empty())
    (std::optional<DecimalText>, min_order_size, {}, "Smallest order", .omit_when_empty())
    (std::optional<DecimalText>, engine_mark_price, {}, "Mark price", .omit_when_empty()));

SVC_RECORD(MarketStatus,
    (std::string, market_id, {}, "Market")
    (MarketState, status, = MarketState::active, "active or halted")
    (std::optional<std::string>, halt_reason, {}, "Why it is halted")
    (std::optional<TimestampMs>, halted_at, {}, "Unix milliseconds")
    (std::uint64_t, adl_event_count, = 0, "Auto-deleveraging events so far"));

SVC_RECORD(MarketRiskParams,
    (std::string, market_id, {}, "Market")
    (std::uint32_t, max_leverage, = 0, "Highest leverage")
    (DecimalText, initial_margin_rate, {}, "Of notional")
    (DecimalText, maintenance_margin_rate, {}, "Of notional"));

SVC_RECORD(MarkPrice,
    (std::string, market_id, {}, "Market")
    (DecimalText, mark_price, {}, "Mark price"));

SVC_RECORD(Ticker,
    (std::string, symbol, {}, "Market")
    (TimestampMs, timestamp, = 0, "Unix milliseconds")
    (std::string, datetime, {}, "The same, ISO 8601")
    (std::optional<NumberText>, high, {}, "Highest price of 24 hours")
    (std::optional<NumberText>, low, {}, "Lowest price of 24 hours")
    (std::optional<NumberText>, bid, {}, "Best bid")
    (std::optional<NumberText>, bid_volume, {}, "Size at the best bid", .named("bidVolume"))
    (std::optional<NumberText>, ask, {}, "Best ask")
    (std::optional<NumberText>, ask_volume, {}, "Size at the best ask", .named("askVolume"))
    (std::optional<NumberText>, open, {}, "First price of 24 hours")
    (std::optional<NumberText>, close, {}, "Last price")
    (std::optional<NumberText>, last, {}, "Last price")
    (std::optional<NumberText>, change, {}, "last - open")
    (std::optional<NumberText>, percentage, {}, "Change in per cent of open")
    (std::optional<NumberText>, base_volume, {}, "Base volume of 24 hours", .named("baseVolume"))
    (std::optional<NumberText>, quote_volume, {}, "Quote volume of 24 hours", .named("quoteVolume"))
    (std::optional<NumberText>, mark_price, {}, "Mark price", .named("markPrice"))
    (std::optional<NumberText>, index_price, {}, "Index price", .named("indexPrice"))
    (JsonObjectText, info, {}, "Empty object"));

// An object keyed by market id.
SVC_RECORD(Tickers, (MemberMap<Ticker>, by_market, {}, "By market id", .named("tickers").whole_body()));

// [price, amount]
struct PriceLevel {
  static constexpr bool as_array = true;
  SVC_FIELDS(PriceLevel, fields,
      (NumberText, price, {}, "Price")
      (NumberText, amount, {}, "Total size at the price"));
};

SVC_RECORD(OrderBook,
    (std::string, symbol, {}, "Market")
    (std::vector<PriceLevel>, bids, {}, "Best first")
    (std::vector<PriceLevel>, asks, {}, "Best first")
    (TimestampMs, timestamp, = 0, "Unix milliseconds")
    (std::string, datetime, {}, "The same, ISO 8601")
    (std::uint64_t, nonce, = 0, "Book sequence"));

SVC_RECORD(Trade,
    (std::string, id, {}, "Trade id")
    (std::string, symbol, {}, "Market")
    (NumberText, price, {}, "Price")
    (NumberText, amount, {}, "Size")
    (NumberText, cost, {}, "price x amount")
    (Side, side, = Side::buy, "Of the taker", .spelled(side_lower))
    (TimestampMs, timestamp, = 0, "Unix milliseconds")
    (std::string, datetime, {}, "The same, ISO 8601")
    (std::optional<Liquidity>, taker_or_maker, {}, "Null on public trades", .named("takerOrMaker"))
    (bool, is_liquidation, = false, "Part of a liquidation")
    (JsonObjectText, info, {}, "Empty object"));

SVC_RECORD(TradesRequest,
    (MarketId, market_id, {}, "Market", .path())
    (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(1000))
    (std::optional<std::string>, cursor, {}, "From X-Next-Cursor of the page before", .query()));

// Histories of a market: candles, funding, auto-deleveraging.

enum class Timeframe : std::uint8_t { second_1, minute_1, minute_5, hour_1 };
inline constexpr std::string_view timeframe_texts[] = {"1s", "1m", "5m", "1h"};
SVC_WIRE_NAMES(Timeframe, timeframe_texts);

// With start_time, the earliest page comes first.
SVC_RECORD(CandlesRequest,
    (MarketId, market_id, {}, "Market", .path())
    (Timeframe, timeframe, = Timeframe::minute_1, "Length of a candle", .query().defaulted())
    (std::uint32_t, limit, = 200, "Candles", .page_of_at_most(1000))
    (std::optional<TimestampMs>, start_time, {},
     "The earliest candles that open at or after this instant, Unix milliseconds; without it the latest ones",
     .named("startTime").query())
    (std::optional<TimestampMs>, end_time, {},
     "Only candles that open at or before this instant, Unix milliseconds", .named("endTime").query()));

// [open time, open, high, low, close, volume], from trades only; intervals are in UTC, and the last one may still
// be running. An interval without a trade repeats the previous close with no volume; the list begins with the first
// stored interval that has a trade. (D-284)
struct Candle {
  static constexpr bool as_array = true;
  SVC_FIELDS(Candle, fields,
      (TimestampMs, open_time, = 0, "Unix milliseconds")
      (NumberText, open, {}, "First price")
      (NumberText, high, {}, "Highest price")
      (NumberText, low, {}, "Lowest price")
      (NumberText, close, {}, "Last price")
      (NumberText, volume, {}, "Base volume"));
};

SVC_RECORD(FundingRatesRequest,
    (MarketId, market_id, {}, "Market", .path())
    (std::uint32_t, limit, = 300, "Rows", .page_of_at_most(1000)));

// One settled window. Newest first. (D-133)
SVC_RECORD(FundingSample,
    (TimestampMs, timestamp, = 0, "Unix milliseconds")
    (DecimalText, funding_rate, {}, "Rate of the hour; positive: longs pay")
    (DecimalText, premium_index, {}, "Average premium")
    (DecimalText, mark_price, {}, "At settlement")
    (DecimalText, oracle_price, {}, "At settlement"));

SVC_RECORD(FundingSamplesRequest,
    (MarketId, market_id, {}, "Market", .path())
    (std::uint32_t, limit, = 480, "Samples", .page_of_at_most(480)));

SVC_RECORD(FundingPremiumSample,
    (TimestampMs, timestamp, = 0, "Unix milliseconds")
    (DecimalText, premium_index, {}, "0 until the market has traded"));

SVC_RECORD(AdlEventsRequest,
    (MarketId, market_id, {}, "Market", .path())
    (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(1000)));

SVC_RECORD(AccountAdlRequest,
    (Address, address, {}, "Account", .path())
    (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(1000)));

SVC_RECORD(AdlClosure,
    (Address, account_id, {}, "Counterparty")
    (DecimalText, position_closed, {}, "Size closed")
    (DecimalText, settlement_amount, {}, "USDX given up against the mark price"));

SVC_RECORD(AdlEventRecord,
    (std::string, market_id, {}, "Market")
    (Address, target_account, {}, "The bankrupt account")
    (DecimalText, bankruptcy_price, {}, "Price of the closures")
    (DecimalText, bad_debt_absorbed_by_fund, {}, "USDX")
    (std::vector<AdlClosure>, counterparty_closures, {}, "In order of rank; empty if nobody could take anything over")
    (std::uint64_t, sequence, = 0, "Number of the event over all markets, from 1")
    (TimestampMs, timestamp, = 0, "Unix milliseconds"));

}  // namespace svc::api

// Markets, their prices and their histories; public, except the events that name accounts. (D-136)

namespace svc::api::ops {

inline constexpr Area markets{"markets"};

inline constexpr auto& market_errors = refuses<unknown_market>;

SVC_OPERATIONS(MarketOperations,
    (ListMarkets, Empty, List<Market>, markets, get, "list_markets", "/markets", "List markets")
    (ListMarketSummaries, Empty, List<MarketSummary>, markets, get, "list_market_summaries", "/markets/summary",
     "List markets with their volume", twin)
    (GetMarkPrice, MarketRef, MarkPrice, markets, get, "get_mark_price", "/markets/{market_id}/mark-price",
     "Show the mark price", twin, market_errors)
    (GetRiskParams, MarketRef, MarketRiskParams, markets, get, "get_risk_params", "/markets/{market_id}/risk-params",
     "Show the risk parameters", market_errors)
    (GetMarketStatus, MarketRef, MarketStatus, markets, get, "get_market_status", "/markets/{market_id}/status",
     "Show whether a market is halted", twin, market_errors)
    (ListAdlEvents, AdlEventsRequest, List<AdlEventRecord>, markets, get, "list_adl_events",
     "/markets/{market_id}/adl-events", "List auto-deleveraging events, newest first",
     "The rows name accounts, which is why a credential is asked for.", key_or_agent, market_errors)
    (GetTicker, MarketRef, Ticker, markets, get, "get_ticker", "/markets/{market_id}/ticker", "Show the ticker", twin,
     market_errors)
    (ListTickers, Empty, Tickers, markets, get, "list_tickers", "/tickers", "Show the tickers of all markets",
     "An object with one member for each market.", twin)
    (GetOrderBook, MarketRef, OrderBook, markets, get, "get_order_book", "/markets/{market_id}/orderbook",
     "Show the order book",
     "The best 1,000 levels of each side. `nonce` is the sequence that the streams carry as well.", twin, market_errors)
    (ListCandles, CandlesRequest, List<Candle>, markets, get, "list_candles", "/markets/{market_id}/candles",
     "List candles, ascending",
     "With `startTime` the page runs forward from there; without it, it ends with the latest. Intervals "
     "without a trade repeat the last close where the market has one.", twin, refuses<unknown_market, invalid_window>)
    (ListTrades, TradesRequest, Page<Trade>, markets, get, "list_trades", "/markets/{market_id}/trades",
     "List trades, newest first", twin, market_errors)
    (ListFundingRates, FundingRatesRequest, List<FundingSample>, markets, get, "list_funding_rates",
     "/markets/{market_id}/funding", "List settled funding rates", twin, market_errors)
    (ListFundingSamples, FundingSamplesRequest, List<FundingPremiumSample>, markets, get, "list_funding_samples",
     "/markets/{market_id}/funding-samples", "List premium samples, oldest first", twin, market_errors));

}  // namespace svc::api::ops
