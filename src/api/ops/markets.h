// Markets, their prices and their histories; public, but for the events that name accounts. (D-136)
#pragma once

#include "api/operation.h"
#include "api/records/market_history.h"
#include "api/records/markets.h"

namespace svc::api::ops {

inline constexpr OperationError market_errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market};

struct ListMarkets {
  using Request = Empty;
  using Response = List<Market>;
  static constexpr Operation op{
      .name = "list_markets", .group = "markets", .method = Method::get, .path = "/markets", .summary = "List markets"};
};

struct ListMarketSummaries {
  using Request = Empty;
  using Response = List<MarketSummary>;
  static constexpr Operation op{.name = "list_market_summaries",
                                .group = "markets",
                                .method = Method::get,
                                .path = "/markets/summary",
                                .summary = "List markets with their volume",
                                .twin = true};
};

struct GetMarkPrice {
  using Request = MarketRef;
  using Response = MarkPrice;
  static constexpr Operation op{.name = "get_mark_price",
                                .group = "markets",
                                .method = Method::get,
                                .path = "/markets/{market_id}/mark-price",
                                .summary = "Show the mark price",
                                .twin = true,
                                .errors = market_errors};
};

struct GetRiskParams {
  using Request = MarketRef;
  using Response = MarketRiskParams;
  static constexpr Operation op{.name = "get_risk_params",
                                .group = "markets",
                                .method = Method::get,
                                .path = "/markets/{market_id}/risk-params",
                                .summary = "Show the risk parameters",
                                .errors = market_errors};
};

struct GetMarketStatus {
  using Request = MarketRef;
  using Response = MarketStatus;
  static constexpr Operation op{.name = "get_market_status",
                                .group = "markets",
                                .method = Method::get,
                                .path = "/markets/{market_id}/status",
                                .summary = "Show whether a market is halted",
                                .twin = true,
                                .errors = market_errors};
};

struct ListAdlEvents {
  using Request = AdlEventsRequest;
  using Response = List<AdlEventRecord>;
  static constexpr Operation op{.name = "list_adl_events",
                                .group = "markets",
                                .method = Method::get,
                                .path = "/markets/{market_id}/adl-events",
                                .summary = "List auto-deleveraging events, newest first",
                                .detail = "The rows name accounts, which is why a credential is asked for.",
                                .auth = Auth::hmac | Auth::agent,
                                .errors = market_errors};
};

struct GetTicker {
  using Request = MarketRef;
  using Response = Ticker;
  static constexpr Operation op{.name = "get_ticker",
                                .group = "markets",
                                .method = Method::get,
                                .path = "/markets/{market_id}/ticker",
                                .summary = "Show the ticker",
                                .twin = true,
                                .errors = market_errors};
};

struct ListTickers {
  using Request = Empty;
  using Response = Tickers;
  static constexpr Operation op{.name = "list_tickers",
                                .group = "markets",
                                .method = Method::get,
                                .path = "/tickers",
                                .summary = "Show the tickers of all markets",
                                .detail = "An object with one member for each market.",
                                .twin = true};
};

struct GetOrderBook {
  using Request = MarketRef;
  using Response = OrderBook;
  static constexpr Operation op{
      .name = "get_order_book",
      .group = "markets",
      .method = Method::get,
      .path = "/markets/{market_id}/orderbook",
      .summary = "Show the order book",
      .detail = "The best 1,000 levels of each side. `nonce` is the sequence that the streams carry as well.",
      .twin = true,
      .errors = market_errors};
};

struct ListCandles {
  using Request = CandlesRequest;
  using Response = List<Candle>;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market,
                                              ErrorCode::invalid_window};
  static constexpr Operation op{.name = "list_candles",
                                .group = "markets",
                                .method = Method::get,
                                .path = "/markets/{market_id}/candles",
                                .summary = "List candles, ascending",
                                .detail =
                                    "With `startTime` the page runs forward from there; without it, it ends with the "
                                    "latest. Intervals without a trade repeat the last close where the market has one.",
                                .twin = true,
                                .errors = errors};
};

struct ListTrades {
  using Request = TradesRequest;
  using Response = Page<Trade>;
  static constexpr Operation op{.name = "list_trades",
                                .group = "markets",
                                .method = Method::get,
                                .path = "/markets/{market_id}/trades",
                                .summary = "List trades, newest first",
                                .twin = true,
                                .errors = market_errors};
};

struct ListFundingRates {
  using Request = FundingRatesRequest;
  using Response = List<FundingSample>;
  static constexpr Operation op{.name = "list_funding_rates",
                                .group = "markets",
                                .method = Method::get,
                                .path = "/markets/{market_id}/funding",
                                .summary = "List settled funding rates",
                                .twin = true,
                                .errors = market_errors};
};

struct ListFundingSamples {
  using Request = FundingSamplesRequest;
  using Response = List<FundingPremiumSample>;
  static constexpr Operation op{.name = "list_funding_samples",
                                .group = "markets",
                                .method = Method::get,
                                .path = "/markets/{market_id}/funding-samples",
                                .summary = "List premium samples, oldest first",
                                .twin = true,
                                .errors = market_errors};
};

}  // namespace svc::api::ops
