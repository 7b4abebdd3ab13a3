// Time series and ledgers of an account: equity, portfolio, activity, funding.
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

// The first page holds the latest points; a cursor leads to older ones. Each page runs oldest first. (D-281)
struct EquityHistoryRequest {
  std::uint32_t limit = 720;
  std::optional<std::string> cursor{};

  static constexpr FieldInfo fields[] = {
      field<&EquityHistoryRequest::limit>("limit", "Points").page_of_at_most(720),
      field<&EquityHistoryRequest::cursor>("cursor", "From X-Next-Cursor of the page before").query()};
};

struct EquityPoint {
  TimestampMs timestamp_ms = 0;
  NumberText equity{};

  static constexpr FieldInfo fields[] = {
      field<&EquityPoint::timestamp_ms>("timestamp_ms", "Unix milliseconds, a multiple of 5000"),
      field<&EquityPoint::equity>("equity", "USDX, after everything that happened up to that instant")};
};

enum class PortfolioWindow : std::uint8_t { day, week, month, all };
inline constexpr std::string_view portfolio_window_texts[] = {"day", "week", "month", "all"};
constexpr EnumNames enum_names(PortfolioWindow) {
  return {"PortfolioWindow", portfolio_window_texts};
}

// The limit is clamped to the points of the window.
struct PortfolioHistoryRequest {
  PortfolioWindow window = PortfolioWindow::day;
  std::uint32_t limit = 366;

  static constexpr FieldInfo fields[] = {
      field<&PortfolioHistoryRequest::window>("window", "Span and cadence")
          .query()
          .defaulted()
          .refused_as(ErrorCode::invalid_window),
      field<&PortfolioHistoryRequest::limit>("limit", "Points, the latest ones; clamped to those of the window")
          .page_of_at_most(366)};
};

struct PortfolioPoint {
  TimestampMs timestamp_ms = 0;
  DecimalText equity{};
  DecimalText pnl{};
  DecimalText volume{};

  static constexpr FieldInfo fields[] = {
      field<&PortfolioPoint::timestamp_ms>("timestamp_ms", "Unix milliseconds"),
      field<&PortfolioPoint::equity>("equity", "USDX"),
      field<&PortfolioPoint::pnl>("pnl",
                                  "USDX since the account opened: equity minus what came in, plus what went out by "
                                  "deposits, withdrawals and transfers"),
      field<&PortfolioPoint::volume>("volume", "USDX traded since the account opened")};
};

struct PortfolioHistory {
  PortfolioWindow window = PortfolioWindow::day;
  std::int64_t cadence_ms = 0;
  std::vector<PortfolioPoint> points{};
  std::optional<PortfolioPoint> now{};

  static constexpr FieldInfo fields[] = {
      field<&PortfolioHistory::window>("window", "Span and cadence"),
      field<&PortfolioHistory::cadence_ms>("cadence_ms", "Time between points"),
      field<&PortfolioHistory::points>("points", "Oldest first"),
      field<&PortfolioHistory::now>("now",
                                    "The account at this instant, which closes the chart; null for one that never "
                                    "had money")};
};

struct ActivityRequest {
  std::uint32_t limit = 100;
  std::optional<std::string> cursor{};

  static constexpr FieldInfo fields[] = {
      field<&ActivityRequest::limit>("limit", "Rows").page_of_at_most(500),
      field<&ActivityRequest::cursor>("cursor", "From X-Next-Cursor of the page before").query()};
};

// What moved the collateral, that is the cross balance and the isolated margins. (D-282)
enum class ActivityCause : std::uint8_t {
  deposit,
  withdrawal,
  faucet,
  credit,
  fill,
  fee,
  funding,
  transfer_in,
  transfer_out,
  bridge_deposit,
  bridge_withdrawal,
  liquidation_fee,
  adl,
  insurance,
  operator_grant,
  withdrawal_reversal,
  settlement,
};
inline constexpr std::string_view activity_cause_texts[] = {"deposit",
                                                            "withdrawal",
                                                            "faucet",
                                                            "credit",
                                                            "fill",
                                                            "fee",
                                                            "funding",
                                                            "transfer_in",
                                                            "transfer_out",
                                                            "bridge_deposit",
                                                            "bridge_withdrawal",
                                                            "liquidation_fee",
                                                            "adl",
                                                            "insurance",
                                                            "operator_grant",
                                                            "withdrawal_reversal",
                                                            "settlement"};
constexpr EnumNames enum_names(ActivityCause) {
  return {"ActivityCause", activity_cause_texts};
}

// (D-127)
struct ActivityRow {
  std::string id{};
  ActivityCause cause = ActivityCause::deposit;
  std::optional<std::string> market_id{};
  DecimalText amount{};
  std::string asset = "USDX";
  std::optional<std::string> reference{};
  TimestampMs timestamp = 0;

  static constexpr FieldInfo fields[] = {
      field<&ActivityRow::id>("id", "Row id, unique within the account and the same on every page"),
      field<&ActivityRow::cause>("cause",
                                 "What happened. A fill that closes something has the profit it realised, one that "
                                 "only opens has 0, and its fee is a row of its own; settlement is the closing of a "
                                 "delisted market"),
      field<&ActivityRow::market_id>("market_id", "Market, where there is one"),
      field<&ActivityRow::amount>("amount", "Signed from the account's view; all amounts together are the collateral"),
      field<&ActivityRow::asset>("asset", "Asset"),
      field<&ActivityRow::reference>("reference",
                                     "Id of the fill, the entry in GET /deposits, the withdrawal, the bridge "
                                     "withdrawal or the transfer, or sequence of the auto-deleveraging event; null "
                                     "where there is no such record: funding, settlements"),
      field<&ActivityRow::timestamp>("timestamp", "Unix milliseconds")};
};

enum class FundingDirection : std::uint8_t { paid, received };
inline constexpr std::string_view funding_direction_texts[] = {"paid", "received"};
constexpr EnumNames enum_names(FundingDirection) {
  return {"FundingDirection", funding_direction_texts};
}

struct AccountFunding {
  std::string market_id{};
  DecimalText amount{};
  FundingDirection direction = FundingDirection::paid;
  DecimalText funding_rate{};
  DecimalText position_size{};
  TimestampMs timestamp = 0;

  static constexpr FieldInfo fields[] = {
      field<&AccountFunding::market_id>("market_id", "Market"),
      field<&AccountFunding::amount>("amount", "USDX; negative was paid"),
      field<&AccountFunding::direction>("direction", "paid or received"),
      field<&AccountFunding::funding_rate>("funding_rate", "Rate of the hour"),
      field<&AccountFunding::position_size>("position_size", "Size it was computed on"),
      field<&AccountFunding::timestamp>("timestamp", "Unix milliseconds")};
};

struct FundingRequest {
  std::uint32_t limit = 100;
  std::optional<MarketId> market_id{};

  static constexpr FieldInfo fields[] = {field<&FundingRequest::limit>("limit", "Rows").page_of_at_most(1000),
                                         field<&FundingRequest::market_id>("market_id", "Only this market").query()};
};

// Newest first; the headers say how far back the record goes.
struct FundingPage {
  std::vector<AccountFunding> rows{};
  std::optional<TimestampMs> oldest_ms{};
  std::optional<bool> truncated{};

  static constexpr FieldInfo fields[] = {
      field<&FundingPage::rows>("rows", "Newest first").whole_body(),
      field<&FundingPage::oldest_ms>("x-svc-funding-oldest-ms", "Oldest payment kept").header().omit_when_empty(),
      field<&FundingPage::truncated>("x-svc-funding-truncated", "Older payments were dropped")
          .header()
          .omit_when_empty()};
};

struct FundingSnapshotRequest {
  std::optional<MarketId> market_id{};

  static constexpr FieldInfo fields[] = {
      field<&FundingSnapshotRequest::market_id>("market_id", "Only this market").query()};
};

struct MarketFundingSnapshot {
  std::string market_id{};
  std::string status = "ok";
  DecimalText position_size{};
  std::optional<DecimalText> funding_rate{};
  std::optional<DecimalText> index_price{};
  std::optional<DecimalText> next_payment{};
  DecimalText funding_paid{};

  static constexpr FieldInfo fields[] = {
      field<&MarketFundingSnapshot::market_id>("market_id", "Market"),
      field<&MarketFundingSnapshot::status>("status",
                                            "ok; halted: no funding is settled, rate and payment are null; no_index: "
                                            "the oracle has not spoken yet, everything it takes part in is null"),
      field<&MarketFundingSnapshot::position_size>("position_size", "Signed size"),
      field<&MarketFundingSnapshot::funding_rate>("funding_rate",
                                                  "What a settlement at this instant would use: samples still to "
                                                  "come count as no premium"),
      field<&MarketFundingSnapshot::index_price>("index_price", "Index price"),
      field<&MarketFundingSnapshot::next_payment>("next_payment",
                                                  "USDX that a settlement at this instant would move; negative is "
                                                  "paid"),
      field<&MarketFundingSnapshot::funding_paid>("funding_paid", "USDX since the position opened; positive was paid")};
};

// One atomic read of the engine. (D-128)
struct FundingSnapshot {
  std::string status = "ok";
  TimestampMs timestamp = 0;
  TimestampMs next_funding_ms = 0;
  std::vector<MarketFundingSnapshot> markets{};

  static constexpr FieldInfo fields[] = {
      field<&FundingSnapshot::status>("status", "ok, or degraded when one of the markets is not"),
      field<&FundingSnapshot::timestamp>("timestamp", "Unix milliseconds"),
      field<&FundingSnapshot::next_funding_ms>("next_funding_ms", "Next settlement"),
      field<&FundingSnapshot::markets>("markets", "Markets with a position, or the one asked for")};
};

}  // namespace svc::api
