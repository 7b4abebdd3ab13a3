// Markets: their parameters, state and prices. Shapes of the CCXT layout carry JSON numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/market_id.h"
#include "api/record.h"
#include "api/records/order_terms.h"
#include "api/records/page.h"
#include "api/values.h"
#include "base/address.h"
#include "base/clock.h"

namespace svc::api {

struct MarketRef {
  MarketId market_id{};

  static constexpr FieldInfo fields[] = {field<&MarketRef::market_id>("market_id", "Market").path()};
};

struct Market {
  std::string market_id{};
  std::string base_asset{};
  std::string quote_asset{};
  DecimalText tick_size{};
  DecimalText lot_size{};
  DecimalText min_order_size{};
  DecimalText max_order_size{};
  DecimalText initial_margin_rate{};
  DecimalText maintenance_margin_rate{};
  std::uint32_t max_leverage = 0;
  std::optional<DecimalText> funding_rate_cap{};

  static constexpr FieldInfo fields[] = {
      field<&Market::market_id>("market_id", "Market"),
      field<&Market::base_asset>("base_asset", "What is traded"),
      field<&Market::quote_asset>("quote_asset", "What it is priced and settled in"),
      field<&Market::tick_size>("tick_size", "Price step"),
      field<&Market::lot_size>("lot_size", "Quantity step"),
      field<&Market::min_order_size>("min_order_size", "Smallest order"),
      field<&Market::max_order_size>("max_order_size", "Largest order"),
      field<&Market::initial_margin_rate>("initial_margin_rate", "Of notional"),
      field<&Market::maintenance_margin_rate>("maintenance_margin_rate", "Of notional"),
      field<&Market::max_leverage>("max_leverage", "Highest leverage"),
      field<&Market::funding_rate_cap>("funding_rate_cap", "Bound of the hourly rate, both signs").omit_when_empty()};
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
  std::optional<DecimalText> tick_size{};
  std::optional<DecimalText> lot_size{};
  std::optional<DecimalText> min_order_size{};
  std::optional<DecimalText> engine_mark_price{};

  static constexpr FieldInfo fields[] = {
      field<&MarketSummary::market_id>("market_id", "Market"),
      field<&MarketSummary::last_trade_price>("last_trade_price", "Price of the last trade"),
      field<&MarketSummary::volume_24h>("volume_24h", "Quote volume of all trades so far, whatever the name says; "
                                          "of the last 24 hours it is quoteVolume of the ticker"),
      field<&MarketSummary::trade_count>("trade_count", "Trades so far"),
      field<&MarketSummary::status>("status", "active or halted"),
      field<&MarketSummary::halt_reason>("halt_reason", "Why it is halted"),
      field<&MarketSummary::halted_at>("halted_at", "Unix milliseconds"),
      field<&MarketSummary::adl_event_count>("adl_event_count", "Auto-deleveraging events so far"),
      field<&MarketSummary::tick_size>("tick_size", "Price step").omit_when_empty(),
      field<&MarketSummary::lot_size>("lot_size", "Quantity step").omit_when_empty(),
      field<&MarketSummary::min_order_size>("min_order_size", "Smallest order").omit_when_empty(),
      field<&MarketSummary::engine_mark_price>("engine_mark_price", "Mark price").omit_when_empty()};
};

struct MarketStatus {
  std::string market_id{};
  MarketState status = MarketState::active;
  std::optional<std::string> halt_reason{};
  std::optional<TimestampMs> halted_at{};
  std::uint64_t adl_event_count = 0;

  static constexpr FieldInfo fields[] = {
      field<&MarketStatus::market_id>("market_id", "Market"),
      field<&MarketStatus::status>("status", "active or halted"),
      field<&MarketStatus::halt_reason>("halt_reason", "Why it is halted"),
      field<&MarketStatus::halted_at>("halted_at", "Unix milliseconds"),
      field<&MarketStatus::adl_event_count>("adl_event_count", "Auto-deleveraging events so far")};
};

struct MarketRiskParams {
  std::string market_id{};
  std::uint32_t max_leverage = 0;
  DecimalText initial_margin_rate{};
  DecimalText maintenance_margin_rate{};

  static constexpr FieldInfo fields[] = {
      field<&MarketRiskParams::market_id>("market_id", "Market"),
      field<&MarketRiskParams::max_leverage>("max_leverage", "Highest leverage"),
      field<&MarketRiskParams::initial_margin_rate>("initial_margin_rate", "Of notional"),
      field<&MarketRiskParams::maintenance_margin_rate>("maintenance_margin_rate", "Of notional")};
};

struct MarkPrice {
  std::string market_id{};
  DecimalText mark_price{};

  static constexpr FieldInfo fields[] = {field<&MarkPrice::market_id>("market_id", "Market"),
                                         field<&MarkPrice::mark_price>("mark_price", "Mark price")};
};

struct Ticker {
  std::string symbol{};
  TimestampMs timestamp = 0;
  std::string datetime{};
  std::optional<NumberText> high{};
  std::optional<NumberText> low{};
  std::optional<NumberText> bid{};
  std::optional<NumberText> bid_volume{};
  std::optional<NumberText> ask{};
  std::optional<NumberText> ask_volume{};
  std::optional<NumberText> open{};
  std::optional<NumberText> close{};
  std::optional<NumberText> last{};
  std::optional<NumberText> change{};
  std::optional<NumberText> percentage{};
  std::optional<NumberText> base_volume{};
  std::optional<NumberText> quote_volume{};
  std::optional<NumberText> mark_price{};
  std::optional<NumberText> index_price{};
  JsonObjectText info{};

  static constexpr FieldInfo fields[] = {field<&Ticker::symbol>("symbol", "Market"),
                                         field<&Ticker::timestamp>("timestamp", "Unix milliseconds"),
                                         field<&Ticker::datetime>("datetime", "The same, ISO 8601"),
                                         field<&Ticker::high>("high", "Highest price of 24 hours"),
                                         field<&Ticker::low>("low", "Lowest price of 24 hours"),
                                         field<&Ticker::bid>("bid", "Best bid"),
                                         field<&Ticker::bid_volume>("bidVolume", "Size at the best bid"),
                                         field<&Ticker::ask>("ask", "Best ask"),
                                         field<&Ticker::ask_volume>("askVolume", "Size at the best ask"),
                                         field<&Ticker::open>("open", "First price of 24 hours"),
                                         field<&Ticker::close>("close", "Last price"),
                                         field<&Ticker::last>("last", "Last price"),
                                         field<&Ticker::change>("change", "last - open"),
                                         field<&Ticker::percentage>("percentage", "Change in per cent of open"),
                                         field<&Ticker::base_volume>("baseVolume", "Base volume of 24 hours"),
                                         field<&Ticker::quote_volume>("quoteVolume", "Quote volume of 24 hours"),
                                         field<&Ticker::mark_price>("markPrice", "Mark price"),
                                         field<&Ticker::index_price>("indexPrice", "Index price"),
                                         field<&Ticker::info>("info", "Empty object")};
};

// An object keyed by market id.
struct Tickers {
  std::map<std::string, Ticker> by_market{};

  static constexpr FieldInfo fields[] = {field<&Tickers::by_market>("tickers", "By market id").whole_body()};
};

// [price, amount]
struct PriceLevel {
  NumberText price{};
  NumberText amount{};

  static constexpr bool as_array = true;
  static constexpr FieldInfo fields[] = {field<&PriceLevel::price>("price", "Price"),
                                         field<&PriceLevel::amount>("amount", "Total size at the price")};
};

struct OrderBook {
  std::string symbol{};
  std::vector<PriceLevel> bids{};
  std::vector<PriceLevel> asks{};
  TimestampMs timestamp = 0;
  std::string datetime{};
  std::uint64_t nonce = 0;

  static constexpr FieldInfo fields[] = {field<&OrderBook::symbol>("symbol", "Market"),
                                         field<&OrderBook::bids>("bids", "Best first"),
                                         field<&OrderBook::asks>("asks", "Best first"),
                                         field<&OrderBook::timestamp>("timestamp", "Unix milliseconds"),
                                         field<&OrderBook::datetime>("datetime", "The same, ISO 8601"),
                                         field<&OrderBook::nonce>("nonce", "Book sequence")};
};

struct Trade {
  std::string id{};
  std::string symbol{};
  NumberText price{};
  NumberText amount{};
  NumberText cost{};
  Side side = Side::buy;
  TimestampMs timestamp = 0;
  std::string datetime{};
  std::optional<Liquidity> taker_or_maker{};
  bool is_liquidation = false;
  JsonObjectText info{};

  static constexpr FieldInfo fields[] = {field<&Trade::id>("id", "Trade id"),
                                         field<&Trade::symbol>("symbol", "Market"),
                                         field<&Trade::price>("price", "Price"),
                                         field<&Trade::amount>("amount", "Size"),
                                         field<&Trade::cost>("cost", "price x amount"),
                                         field<&Trade::side>("side", "Of the taker").spelled(side_lower),
                                         field<&Trade::timestamp>("timestamp", "Unix milliseconds"),
                                         field<&Trade::datetime>("datetime", "The same, ISO 8601"),
                                         field<&Trade::taker_or_maker>("takerOrMaker", "Null on public trades"),
                                         field<&Trade::is_liquidation>("is_liquidation", "Part of a liquidation"),
                                         field<&Trade::info>("info", "Empty object")};
};

struct TradesRequest {
  MarketId market_id{};
  std::uint32_t limit = 100;
  std::optional<std::string> cursor{};

  static constexpr FieldInfo fields[] = {
      field<&TradesRequest::market_id>("market_id", "Market").path(),
      field<&TradesRequest::limit>("limit", "Rows").page_of_at_most(1000),
      field<&TradesRequest::cursor>("cursor", "From X-Next-Cursor of the page before").query()};
};

}  // namespace svc::api
