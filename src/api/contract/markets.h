#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/contract/declaration.h"
#include "api/contract/orders.h"
#include "base/address.h"
#include "base/clock.h"

// Markets: their parameters, state and prices. Records in the CCXT layout use JSON numbers.

namespace svc::api {

struct MarketRef {
  MarketId market_id{};

  static constexpr FieldInfo fields[] = {field<&MarketRef::market_id>("Market").path()};
};

struct Market {
  std::string market_id{}, base_asset{}, quote_asset{};
  DecimalText tick_size{}, lot_size{}, min_order_size{}, max_order_size{}, initial_margin_rate{},
      maintenance_margin_rate{};
  std::uint32_t max_leverage = 0;
  std::optional<DecimalText> funding_rate_cap{};

  static constexpr FieldInfo fields[] = {
      field<&Market::market_id>("Market"),
      field<&Market::base_asset>("What is traded"),
      field<&Market::quote_asset>("What it is priced and settled in"),
      field<&Market::tick_size>("Price step"),
      field<&Market::lot_size>("Quantity step"),
      field<&Market::min_order_size>("Smallest order"),
      field<&Market::max_order_size>("Largest order"),
      field<&Market::initial_margin_rate>("Of notional"),
      field<&Market::maintenance_margin_rate>("Of notional"),
      field<&Market::max_leverage>("Highest leverage"),
      field<&Market::funding_rate_cap>("Bound of the hourly rate, both signs").omit_when_empty()};
};

enum class MarketState : std::uint8_t { active, halted };
inline constexpr std::string_view market_state_texts[] = {"active", "halted"};
constexpr EnumNames enum_names(MarketState) {
  return {"MarketState", market_state_texts};
}

struct MarketSummary {
  std::string market_id{};
  std::optional<NumberText> last_trade_price{};
  NumberText volume_24h{};
  std::uint64_t trade_count = 0;
  MarketState status = MarketState::active;
  std::optional<std::string> halt_reason{};
  std::optional<TimestampMs> halted_at{};
  std::uint64_t adl_event_count = 0;
  std::optional<DecimalText> tick_size{}, lot_size{}, min_order_size{}, engine_mark_price{};

  static constexpr FieldInfo fields[] = {
      field<&MarketSummary::market_id>("Market"),
      field<&MarketSummary::last_trade_price>("Price of the last trade"),
      field<&MarketSummary::volume_24h>("Quote volume of all trades so far, whatever the name says; of the last 24 "
                                        "hours it is quoteVolume of the ticker"),
      field<&MarketSummary::trade_count>("Trades so far"),
      field<&MarketSummary::status>("active or halted"),
      field<&MarketSummary::halt_reason>("Why it is halted"),
      field<&MarketSummary::halted_at>("Unix milliseconds"),
      field<&MarketSummary::adl_event_count>("Auto-deleveraging events so far"),
      field<&MarketSummary::tick_size>("Price step").omit_when_empty(),
      field<&MarketSummary::lot_size>("Quantity step").omit_when_empty(),
      field<&MarketSummary::min_order_size>("Smallest order").omit_when_empty(),
      field<&MarketSummary::engine_mark_price>("Mark price").omit_when_empty()};
};

struct MarketStatus {
  std::string market_id{};
  MarketState status = MarketState::active;
  std::optional<std::string> halt_reason{};
  std::optional<TimestampMs> halted_at{};
  std::uint64_t adl_event_count = 0;

  static constexpr FieldInfo fields[] = {
      field<&MarketStatus::market_id>("Market"), field<&MarketStatus::status>("active or halted"),
      field<&MarketStatus::halt_reason>("Why it is halted"), field<&MarketStatus::halted_at>("Unix milliseconds"),
      field<&MarketStatus::adl_event_count>("Auto-deleveraging events so far")};
};

struct MarketRiskParams {
  std::string market_id{};
  std::uint32_t max_leverage = 0;
  DecimalText initial_margin_rate{}, maintenance_margin_rate{};

  static constexpr FieldInfo fields[] = {field<&MarketRiskParams::market_id>("Market"),
                                         field<&MarketRiskParams::max_leverage>("Highest leverage"),
                                         field<&MarketRiskParams::initial_margin_rate>("Of notional"),
                                         field<&MarketRiskParams::maintenance_margin_rate>("Of notional")};
};

struct MarkPrice {
  std::string market_id{};
  DecimalText mark_price{};

  static constexpr FieldInfo fields[] = {field<&MarkPrice::market_id>("Market"),
                                         field<&MarkPrice::mark_price>("Mark price")};
};

struct Ticker {
  std::string symbol{};
  TimestampMs timestamp = 0;
  std::string datetime{};
  std::optional<NumberText> high{}, low{}, bid{}, bid_volume{}, ask{}, ask_volume{}, open{}, close{}, last{}, change{},
      percentage{}, base_volume{}, quote_volume{}, mark_price{}, index_price{};
  JsonObjectText info{};

  static constexpr FieldInfo fields[] = {field<&Ticker::symbol>("Market"),
                                         field<&Ticker::timestamp>("Unix milliseconds"),
                                         field<&Ticker::datetime>("The same, ISO 8601"),
                                         field<&Ticker::high>("Highest price of 24 hours"),
                                         field<&Ticker::low>("Lowest price of 24 hours"),
                                         field<&Ticker::bid>("Best bid"),
                                         field<&Ticker::bid_volume>("bidVolume", "Size at the best bid"),
                                         field<&Ticker::ask>("Best ask"),
                                         field<&Ticker::ask_volume>("askVolume", "Size at the best ask"),
                                         field<&Ticker::open>("First price of 24 hours"),
                                         field<&Ticker::close>("Last price"),
                                         field<&Ticker::last>("Last price"),
                                         field<&Ticker::change>("last - open"),
                                         field<&Ticker::percentage>("Change in per cent of open"),
                                         field<&Ticker::base_volume>("baseVolume", "Base volume of 24 hours"),
                                         field<&Ticker::quote_volume>("quoteVolume", "Quote volume of 24 hours"),
                                         field<&Ticker::mark_price>("markPrice", "Mark price"),
                                         field<&Ticker::index_price>("indexPrice", "Index price"),
                                         field<&Ticker::info>("Empty object")};
};

// An object keyed by market id.
struct Tickers {
  std::map<std::string, Ticker> by_market{};

  static constexpr FieldInfo fields[] = {field<&Tickers::by_market>("tickers", "By market id").whole_body()};
};

// [price, amount]
struct PriceLevel {
  NumberText price{}, amount{};

  static constexpr bool as_array = true;
  static constexpr FieldInfo fields[] = {field<&PriceLevel::price>("Price"),
                                         field<&PriceLevel::amount>("Total size at the price")};
};

struct OrderBook {
  std::string symbol{};
  std::vector<PriceLevel> bids{}, asks{};
  TimestampMs timestamp = 0;
  std::string datetime{};
  std::uint64_t nonce = 0;

  static constexpr FieldInfo fields[] = {field<&OrderBook::symbol>("Market"),
                                         field<&OrderBook::bids>("Best first"),
                                         field<&OrderBook::asks>("Best first"),
                                         field<&OrderBook::timestamp>("Unix milliseconds"),
                                         field<&OrderBook::datetime>("The same, ISO 8601"),
                                         field<&OrderBook::nonce>("Book sequence")};
};

struct Trade {
  std::string id{}, symbol{};
  NumberText price{}, amount{}, cost{};
  Side side = Side::buy;
  TimestampMs timestamp = 0;
  std::string datetime{};
  std::optional<Liquidity> taker_or_maker{};
  bool is_liquidation = false;
  JsonObjectText info{};

  static constexpr FieldInfo fields[] = {field<&Trade::id>("Trade id"),
                                         field<&Trade::symbol>("Market"),
                                         field<&Trade::price>("Price"),
                                         field<&Trade::amount>("Size"),
                                         field<&Trade::cost>("price x amount"),
                                         field<&Trade::side>("Of the taker").spelled(side_lower),
                                         field<&Trade::timestamp>("Unix milliseconds"),
                                         field<&Trade::datetime>("The same, ISO 8601"),
                                         field<&Trade::taker_or_maker>("takerOrMaker", "Null on public trades"),
                                         field<&Trade::is_liquidation>("Part of a liquidation"),
                                         field<&Trade::info>("Empty object")};
};

struct TradesRequest {
  MarketId market_id{};
  std::uint32_t limit = 100;
  std::optional<std::string> cursor{};

  static constexpr FieldInfo fields[] = {
      field<&TradesRequest::market_id>("Market").path(), field<&TradesRequest::limit>("Rows").page_of_at_most(1000),
      field<&TradesRequest::cursor>("From X-Next-Cursor of the page before").query()};
};

// Histories of a market: candles, funding, auto-deleveraging.

enum class Timeframe : std::uint8_t { second_1, minute_1, minute_5, hour_1 };
inline constexpr std::string_view timeframe_texts[] = {"1s", "1m", "5m", "1h"};
constexpr EnumNames enum_names(Timeframe) {
  return {"Timeframe", timeframe_texts};
}

// With start_time, the earliest page comes first.
struct CandlesRequest {
  MarketId market_id{};
  Timeframe timeframe = Timeframe::minute_1;
  std::uint32_t limit = 200;
  std::optional<TimestampMs> start_time{}, end_time{};

  static constexpr FieldInfo fields[] = {
      field<&CandlesRequest::market_id>("Market").path(),
      field<&CandlesRequest::timeframe>("Length of a candle").query().defaulted(),
      field<&CandlesRequest::limit>("Candles").page_of_at_most(1000),
      field<&CandlesRequest::start_time>(
          "startTime",
          "The earliest candles that open at or after this instant, Unix milliseconds; without it the latest ones")
          .query(),
      field<&CandlesRequest::end_time>("endTime", "Only candles that open at or before this instant, Unix milliseconds")
          .query()};
};

// [open time, open, high, low, close, volume], from trades only; intervals are in UTC, and the last one may still
// be running. An interval without a trade repeats the previous close with no volume; the list begins with the first
// stored interval that has a trade. (D-284)
struct Candle {
  TimestampMs open_time = 0;
  NumberText open{}, high{}, low{}, close{}, volume{};

  static constexpr bool as_array = true;
  static constexpr FieldInfo fields[] = {field<&Candle::open_time>("Unix milliseconds"),
                                         field<&Candle::open>("First price"),
                                         field<&Candle::high>("Highest price"),
                                         field<&Candle::low>("Lowest price"),
                                         field<&Candle::close>("Last price"),
                                         field<&Candle::volume>("Base volume")};
};

struct FundingRatesRequest {
  MarketId market_id{};
  std::uint32_t limit = 300;

  static constexpr FieldInfo fields[] = {field<&FundingRatesRequest::market_id>("Market").path(),
                                         field<&FundingRatesRequest::limit>("Rows").page_of_at_most(1000)};
};

// One settled window. Newest first. (D-133)
struct FundingSample {
  TimestampMs timestamp = 0;
  DecimalText funding_rate{}, premium_index{}, mark_price{}, oracle_price{};

  static constexpr FieldInfo fields[] = {field<&FundingSample::timestamp>("Unix milliseconds"),
                                         field<&FundingSample::funding_rate>("Rate of the hour; positive: longs pay"),
                                         field<&FundingSample::premium_index>("Average premium"),
                                         field<&FundingSample::mark_price>("At settlement"),
                                         field<&FundingSample::oracle_price>("At settlement")};
};

struct FundingSamplesRequest {
  MarketId market_id{};
  std::uint32_t limit = 480;

  static constexpr FieldInfo fields[] = {field<&FundingSamplesRequest::market_id>("Market").path(),
                                         field<&FundingSamplesRequest::limit>("Samples").page_of_at_most(480)};
};

struct FundingPremiumSample {
  TimestampMs timestamp = 0;
  DecimalText premium_index{};

  static constexpr FieldInfo fields[] = {field<&FundingPremiumSample::timestamp>("Unix milliseconds"),
                                         field<&FundingPremiumSample::premium_index>("0 until the market has traded")};
};

struct AdlEventsRequest {
  MarketId market_id{};
  std::uint32_t limit = 100;

  static constexpr FieldInfo fields[] = {field<&AdlEventsRequest::market_id>("Market").path(),
                                         field<&AdlEventsRequest::limit>("Rows").page_of_at_most(1000)};
};

struct AccountAdlRequest {
  Address address{};
  std::uint32_t limit = 100;

  static constexpr FieldInfo fields[] = {field<&AccountAdlRequest::address>("Account").path(),
                                         field<&AccountAdlRequest::limit>("Rows").page_of_at_most(1000)};
};

struct AdlClosure {
  Address account_id{};
  DecimalText position_closed{}, settlement_amount{};

  static constexpr FieldInfo fields[] = {field<&AdlClosure::account_id>("Counterparty"),
                                         field<&AdlClosure::position_closed>("Size closed"),
                                         field<&AdlClosure::settlement_amount>("USDX given up against the mark price")};
};

struct AdlEventRecord {
  std::string market_id{};
  Address target_account{};
  DecimalText bankruptcy_price{}, bad_debt_absorbed_by_fund{};
  std::vector<AdlClosure> counterparty_closures{};
  std::uint64_t sequence = 0;
  TimestampMs timestamp = 0;

  static constexpr FieldInfo fields[] = {
      field<&AdlEventRecord::market_id>("Market"),
      field<&AdlEventRecord::target_account>("The bankrupt account"),
      field<&AdlEventRecord::bankruptcy_price>("Price of the closures"),
      field<&AdlEventRecord::bad_debt_absorbed_by_fund>("USDX"),
      field<&AdlEventRecord::counterparty_closures>("In order of rank; empty if nobody could take anything over"),
      field<&AdlEventRecord::sequence>("Number of the event over all markets, from 1"),
      field<&AdlEventRecord::timestamp>("Unix milliseconds")};
};

}  // namespace svc::api

// Markets, their prices and their histories; public, except the events that name accounts. (D-136)

namespace svc::api::ops {

inline constexpr Area markets{"markets"};

inline constexpr auto& market_errors = refuses<invalid_market_id, unknown_market>;

struct ListMarkets : Records<Empty, List<Market>> {
  static constexpr Operation op = markets(get, "list_markets", "/markets", "List markets");
};

struct ListMarketSummaries : Records<Empty, List<MarketSummary>> {
  static constexpr Operation op =
      markets(get, "list_market_summaries", "/markets/summary", "List markets with their volume", twin);
};

struct GetMarkPrice : Records<MarketRef, MarkPrice> {
  static constexpr Operation op =
      markets(get, "get_mark_price", "/markets/{market_id}/mark-price", "Show the mark price", twin, market_errors);
};

struct GetRiskParams : Records<MarketRef, MarketRiskParams> {
  static constexpr Operation op =
      markets(get, "get_risk_params", "/markets/{market_id}/risk-params", "Show the risk parameters", market_errors);
};

struct GetMarketStatus : Records<MarketRef, MarketStatus> {
  static constexpr Operation op = markets(get, "get_market_status", "/markets/{market_id}/status",
                                          "Show whether a market is halted", twin, market_errors);
};

struct ListAdlEvents : Records<AdlEventsRequest, List<AdlEventRecord>> {
  static constexpr Operation op =
      markets(get, "list_adl_events", "/markets/{market_id}/adl-events", "List auto-deleveraging events, newest first",
              "The rows name accounts, which is why a credential is asked for.", key_or_agent, market_errors);
};

struct GetTicker : Records<MarketRef, Ticker> {
  static constexpr Operation op =
      markets(get, "get_ticker", "/markets/{market_id}/ticker", "Show the ticker", twin, market_errors);
};

struct ListTickers : Records<Empty, Tickers> {
  static constexpr Operation op = markets(get, "list_tickers", "/tickers", "Show the tickers of all markets",
                                          "An object with one member for each market.", twin);
};

struct GetOrderBook : Records<MarketRef, OrderBook> {
  static constexpr Operation op =
      markets(get, "get_order_book", "/markets/{market_id}/orderbook", "Show the order book",
              "The best 1,000 levels of each side. `nonce` is the sequence that the streams carry as well.", twin,
              market_errors);
};

struct ListCandles : Records<CandlesRequest, List<Candle>> {
  static constexpr Operation op =
      markets(get, "list_candles", "/markets/{market_id}/candles", "List candles, ascending",
              "With `startTime` the page runs forward from there; without it, it ends with the latest. Intervals "
              "without a trade repeat the last close where the market has one.",
              twin, refuses<invalid_market_id, unknown_market, invalid_window>);
};

struct ListTrades : Records<TradesRequest, Page<Trade>> {
  static constexpr Operation op =
      markets(get, "list_trades", "/markets/{market_id}/trades", "List trades, newest first", twin, market_errors);
};

struct ListFundingRates : Records<FundingRatesRequest, List<FundingSample>> {
  static constexpr Operation op = markets(get, "list_funding_rates", "/markets/{market_id}/funding",
                                          "List settled funding rates", twin, market_errors);
};

struct ListFundingSamples : Records<FundingSamplesRequest, List<FundingPremiumSample>> {
  static constexpr Operation op = markets(get, "list_funding_samples", "/markets/{market_id}/funding-samples",
                                          "List premium samples, oldest first", twin, market_errors);
};

}  // namespace svc::api::ops
