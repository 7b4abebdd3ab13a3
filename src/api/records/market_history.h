// Histories of a market: candles, funding, auto-deleveraging.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/market_id.h"
#include "api/record.h"
#include "api/records/page.h"
#include "api/values.h"
#include "base/address.h"
#include "base/clock.h"

namespace svc::api {

enum class Timeframe : std::uint8_t { second_1, minute_1, minute_5, hour_1 };
inline constexpr std::string_view timeframe_texts[] = {"1s", "1m", "5m", "1h"};
constexpr EnumNames enum_names(Timeframe) {
  return {"Timeframe", timeframe_texts};
}

// With start_time pages run earliest first.
struct CandlesRequest {
  MarketId market_id{};
  Timeframe timeframe = Timeframe::minute_1;
  std::uint32_t limit = 200;
  std::optional<TimestampMs> start_time{};
  std::optional<TimestampMs> end_time{};

  static constexpr FieldInfo fields[] = {
      field<&CandlesRequest::market_id>("market_id", "Market").path(),
      field<&CandlesRequest::timeframe>("timeframe", "Length of a candle").query().defaulted(),
      field<&CandlesRequest::limit>("limit", "Candles").page_of_at_most(1000),
      field<&CandlesRequest::start_time>("startTime",
                                         "The earliest candles that open at or after this instant, Unix "
                                         "milliseconds; without it the latest ones")
          .query(),
      field<&CandlesRequest::end_time>("endTime", "Only candles that open at or before this instant, Unix milliseconds")
          .query()};
};

// [open time, open, high, low, close, volume], of the trades alone; intervals are those of UTC, and the last
// one may still be running. An interval without a trade repeats the close before it with no volume; the
// list begins with the first interval still kept that has one. (D-284)
struct Candle {
  TimestampMs open_time = 0;
  NumberText open{};
  NumberText high{};
  NumberText low{};
  NumberText close{};
  NumberText volume{};

  static constexpr bool as_array = true;
  static constexpr FieldInfo fields[] = {field<&Candle::open_time>("open_time", "Unix milliseconds"),
                                         field<&Candle::open>("open", "First price"),
                                         field<&Candle::high>("high", "Highest price"),
                                         field<&Candle::low>("low", "Lowest price"),
                                         field<&Candle::close>("close", "Last price"),
                                         field<&Candle::volume>("volume", "Base volume")};
};

struct FundingRatesRequest {
  MarketId market_id{};
  std::uint32_t limit = 300;

  static constexpr FieldInfo fields[] = {field<&FundingRatesRequest::market_id>("market_id", "Market").path(),
                                         field<&FundingRatesRequest::limit>("limit", "Rows").page_of_at_most(1000)};
};

// One settled window. Newest first. (D-133)
struct FundingSample {
  TimestampMs timestamp = 0;
  DecimalText funding_rate{};
  DecimalText premium_index{};
  DecimalText mark_price{};
  DecimalText oracle_price{};

  static constexpr FieldInfo fields[] = {
      field<&FundingSample::timestamp>("timestamp", "Unix milliseconds"),
      field<&FundingSample::funding_rate>("funding_rate", "Rate of the hour; positive: longs pay"),
      field<&FundingSample::premium_index>("premium_index", "Average premium"),
      field<&FundingSample::mark_price>("mark_price", "At settlement"),
      field<&FundingSample::oracle_price>("oracle_price", "At settlement")};
};

struct FundingSamplesRequest {
  MarketId market_id{};
  std::uint32_t limit = 480;

  static constexpr FieldInfo fields[] = {field<&FundingSamplesRequest::market_id>("market_id", "Market").path(),
                                         field<&FundingSamplesRequest::limit>("limit", "Samples").page_of_at_most(480)};
};

struct FundingPremiumSample {
  TimestampMs timestamp = 0;
  DecimalText premium_index{};

  static constexpr FieldInfo fields[] = {
      field<&FundingPremiumSample::timestamp>("timestamp", "Unix milliseconds"),
      field<&FundingPremiumSample::premium_index>("premium_index", "0 until the market has traded")};
};

struct AdlEventsRequest {
  MarketId market_id{};
  std::uint32_t limit = 100;

  static constexpr FieldInfo fields[] = {field<&AdlEventsRequest::market_id>("market_id", "Market").path(),
                                         field<&AdlEventsRequest::limit>("limit", "Rows").page_of_at_most(1000)};
};

struct AccountAdlRequest {
  Address address{};
  std::uint32_t limit = 100;

  static constexpr FieldInfo fields[] = {field<&AccountAdlRequest::address>("address", "Account").path(),
                                         field<&AccountAdlRequest::limit>("limit", "Rows").page_of_at_most(1000)};
};

struct AdlClosure {
  Address account_id{};
  DecimalText position_closed{};
  DecimalText settlement_amount{};

  static constexpr FieldInfo fields[] = {
      field<&AdlClosure::account_id>("account_id", "Counterparty"),
      field<&AdlClosure::position_closed>("position_closed", "Size closed"),
      field<&AdlClosure::settlement_amount>("settlement_amount", "USDX given up against the mark price")};
};

struct AdlEventRecord {
  std::string market_id{};
  Address target_account{};
  DecimalText bankruptcy_price{};
  DecimalText bad_debt_absorbed_by_fund{};
  std::vector<AdlClosure> counterparty_closures{};
  std::uint64_t sequence = 0;
  TimestampMs timestamp = 0;

  static constexpr FieldInfo fields[] = {
      field<&AdlEventRecord::market_id>("market_id", "Market"),
      field<&AdlEventRecord::target_account>("target_account", "The bankrupt account"),
      field<&AdlEventRecord::bankruptcy_price>("bankruptcy_price", "Price of the closures"),
      field<&AdlEventRecord::bad_debt_absorbed_by_fund>("bad_debt_absorbed_by_fund", "USDX"),
      field<&AdlEventRecord::counterparty_closures>("counterparty_closures",
                                                    "In order of rank; empty if nobody could take anything over"),
      field<&AdlEventRecord::sequence>("sequence", "Number of the event over all markets, from 1"),
      field<&AdlEventRecord::timestamp>("timestamp", "Unix milliseconds")};
};

}  // namespace svc::api
