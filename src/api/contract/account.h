#pragma once

#include <map>

#include "api/contract/declaration.h"
#include "api/contract/markets.h"
#include "api/contract/positions.h"
#include "trade/words.h"

// Account data: summaries, fees, limits, settings.

namespace svc::trade {

constexpr api::EnumNames enum_names(ActivityCause) {
  return {"ActivityCause", activity_cause_texts};
}

}  // namespace svc::trade

namespace svc::api {

using trade::ActivityCause;

struct AccountSummary {
  DecimalText balance{}, collateral{}, equity{}, available_margin{};
  std::vector<Position> positions{};

  static constexpr FieldInfo fields[] = {field<&AccountSummary::balance>("Cross balance, USDX"),
                                         field<&AccountSummary::collateral>("Balance and isolated margins, USDX"),
                                         field<&AccountSummary::equity>("Collateral and unrealised profit, USDX"),
                                         field<&AccountSummary::available_margin>("Free for new orders, USDX"),
                                         field<&AccountSummary::positions>("Open positions")};
};

struct AccountPortfolioSummary {
  DecimalText collateral{}, total_equity{}, total_unrealized_pnl{}, total_realized_pnl_24h{}, total_volume_24h{};
  std::uint64_t open_positions_count = 0, open_orders_count = 0;
  DecimalText margin_used{}, available_margin{}, withdrawable{};
  std::optional<bool> early_access_allowed{};

  static constexpr FieldInfo fields[] = {
      field<&AccountPortfolioSummary::collateral>("Balance and isolated margins, USDX"),
      field<&AccountPortfolioSummary::total_equity>("Collateral and unrealised profit, USDX"),
      field<&AccountPortfolioSummary::total_unrealized_pnl>("USDX at mark"),
      field<&AccountPortfolioSummary::total_realized_pnl_24h>("USDX, last 24 hours"),
      field<&AccountPortfolioSummary::total_volume_24h>("USDX, last 24 hours"),
      field<&AccountPortfolioSummary::open_positions_count>("Open positions"),
      field<&AccountPortfolioSummary::open_orders_count>("Open orders, untriggered ones included"),
      field<&AccountPortfolioSummary::margin_used>("Initial margin of positions, USDX"),
      field<&AccountPortfolioSummary::available_margin>("Free for new orders, USDX"),
      field<&AccountPortfolioSummary::withdrawable>("May leave the account, USDX"),
      field<&AccountPortfolioSummary::early_access_allowed>("Admitted to trade; the sandbox admits everybody")
          .omit_when_empty()};
};

struct AccountState {
  AccountPortfolioSummary summary{};
  std::vector<Position> positions{};
  std::vector<MarketSetting> market_settings{};

  static constexpr FieldInfo fields[] = {
      field<&AccountState::summary>("Portfolio summary of the same instant"),
      field<&AccountState::positions>("Open positions"),
      field<&AccountState::market_settings>("Margin mode and leverage in force in every listed market").defaulted()};
};

struct FeesRequest {
  std::optional<MarketId> market_id{};

  static constexpr FieldInfo fields[] = {field<&FeesRequest::market_id>("Only this market").query()};
};

struct MarketFees {
  std::string market_id{};
  std::int64_t maker_fee_bps = 0, taker_fee_bps = 0;

  static constexpr FieldInfo fields[] = {field<&MarketFees::market_id>("Market"),
                                         field<&MarketFees::maker_fee_bps>("Basis points; negative is a rebate"),
                                         field<&MarketFees::taker_fee_bps>("Basis points")};
};

struct AccountFees {
  std::int64_t maker_fee_bps = 0, taker_fee_bps = 0;
  std::string tier = "base", schedule = "standard";
  DecimalText volume_30d{};
  bool volume_30d_estimated = false;
  std::vector<std::string> discounts{};
  std::vector<MarketFees> markets{};

  static constexpr FieldInfo fields[] = {
      field<&AccountFees::maker_fee_bps>(
          "Basis points; negative is a rebate. Of the market asked for, else of the first one listed"),
      field<&AccountFees::taker_fee_bps>("Basis points, likewise"),
      field<&AccountFees::tier>("Fee tier: base, the only one"),
      field<&AccountFees::schedule>("Fee schedule; unknown when it cannot be read"),
      field<&AccountFees::volume_30d>("USDX as maker and taker: the running hour of UTC and the 719 before it"),
      field<&AccountFees::volume_30d_estimated>("Whether fills are missing from volume_30d; false, for all are kept"),
      field<&AccountFees::discounts>("Empty: the schedule has none"),
      field<&AccountFees::markets>("Rates by market").defaulted()};
};

struct BucketStatus {
  std::uint64_t limit = 0, remaining = 0;
  TimestampMs reset_at_ms = 0;

  static constexpr FieldInfo fields[] = {
      field<&BucketStatus::limit>("Tokens per second, and capacity"),
      field<&BucketStatus::remaining>("Whole tokens left"),
      field<&BucketStatus::reset_at_ms>("When it is full again, Unix milliseconds; 0 when it is")};
};

// For the Unlimited tier the numbers are null and the buckets empty.
struct RateLimitStatus {
  std::string tier{};
  std::optional<std::uint64_t> limit{}, remaining{};
  std::optional<TimestampMs> reset_at_ms{};
  std::map<std::string, BucketStatus> buckets{};

  static constexpr FieldInfo fields[] = {
      field<&RateLimitStatus::tier>("Lower-case tier name"),
      field<&RateLimitStatus::limit>("Request tokens per second"),
      field<&RateLimitStatus::remaining>("Request tokens left"),
      field<&RateLimitStatus::reset_at_ms>("When the request budget is full again; 0 when it is"),
      field<&RateLimitStatus::buckets>("By bucket: key, owner, order, cancel").defaulted()};
};

struct CancelOnDisconnectRequest {
  bool enabled = false;

  static constexpr FieldInfo fields[] = {
      field<&CancelOnDisconnectRequest::enabled>("Cancel resting orders when the last stream closes")};
};

struct CancelOnDisconnectStatus {
  bool enabled = false, active = false;
  std::optional<std::uint64_t> grace_secs{};

  static constexpr FieldInfo fields[] = {
      field<&CancelOnDisconnectStatus::enabled>("Switched on"),
      field<&CancelOnDisconnectStatus::active>("Switched on, and a /ws stream of the account is open"),
      field<&CancelOnDisconnectStatus::grace_secs>("Time to reconnect before orders are cancelled")};
};

// No operation of the API creates a referral code or binds an account to one, so there is nothing to count yet.
// (D-126, D-286)
struct AccountReferrals {
  std::optional<std::string> code{};
  std::uint64_t referred_count = 0;

  static constexpr FieldInfo fields[] = {
      field<&AccountReferrals::code>(
          "The account's own code; null while it has none, and no operation hands one out yet"),
      field<&AccountReferrals::referred_count>("Accounts that joined with it")};
};

// Time series and ledgers of an account: equity, portfolio, activity, funding.

// The first page holds the latest points; a cursor leads to older ones. Within a page the oldest is first. (D-281)
struct EquityHistoryRequest {
  std::uint32_t limit = 720;
  std::optional<std::string> cursor{};

  static constexpr FieldInfo fields[] = {
      field<&EquityHistoryRequest::limit>("Points").page_of_at_most(720),
      field<&EquityHistoryRequest::cursor>("From X-Next-Cursor of the page before").query()};
};

struct EquityPoint {
  TimestampMs timestamp_ms = 0;
  NumberText equity{};

  static constexpr FieldInfo fields[] = {
      field<&EquityPoint::timestamp_ms>("Unix milliseconds, a multiple of 5000"),
      field<&EquityPoint::equity>("USDX, after everything that happened up to that instant")};
};

enum class PortfolioWindow : std::uint8_t { day, week, month, all };
SVC_WIRE_TEXTS(PortfolioWindow, "day", "week", "month", "all");

// The limit is clamped to the points of the window.
struct PortfolioHistoryRequest {
  PortfolioWindow window = PortfolioWindow::day;
  std::uint32_t limit = 366;

  static constexpr FieldInfo fields[] = {
      field<&PortfolioHistoryRequest::window>("Span and cadence")
          .query()
          .defaulted()
          .refused_as(ErrorCode::invalid_window),
      field<&PortfolioHistoryRequest::limit>("Points, the latest ones; clamped to those of the window")
          .page_of_at_most(366)};
};

struct PortfolioPoint {
  TimestampMs timestamp_ms = 0;
  DecimalText equity{}, pnl{}, volume{};

  static constexpr FieldInfo fields[] = {
      field<&PortfolioPoint::timestamp_ms>("Unix milliseconds"), field<&PortfolioPoint::equity>("USDX"),
      field<&PortfolioPoint::pnl>("USDX since the account opened: equity minus what came in, plus what went out by "
                                  "deposits, withdrawals and transfers"),
      field<&PortfolioPoint::volume>("USDX traded since the account opened")};
};

struct PortfolioHistory {
  PortfolioWindow window = PortfolioWindow::day;
  std::int64_t cadence_ms = 0;
  std::vector<PortfolioPoint> points{};
  std::optional<PortfolioPoint> now{};

  static constexpr FieldInfo fields[] = {
      field<&PortfolioHistory::window>("Span and cadence"), field<&PortfolioHistory::cadence_ms>("Time between points"),
      field<&PortfolioHistory::points>("Oldest first"),
      field<&PortfolioHistory::now>(
          "The account at this instant, which closes the chart; null for one that never had money")};
};

struct ActivityRequest {
  std::uint32_t limit = 100;
  std::optional<std::string> cursor{};

  static constexpr FieldInfo fields[] = {
      field<&ActivityRequest::limit>("Rows").page_of_at_most(500),
      field<&ActivityRequest::cursor>("From X-Next-Cursor of the page before").query()};
};

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
      field<&ActivityRow::id>("Row id, unique within the account and the same on every page"),
      field<&ActivityRow::cause>(
          "What happened. A fill that closes something has the profit it realised, one that only opens has 0, and its "
          "fee is a row of its own; settlement is the closing of a delisted market"),
      field<&ActivityRow::market_id>("Market, where there is one"),
      field<&ActivityRow::amount>("Signed from the account's view; all amounts together are the collateral"),
      field<&ActivityRow::asset>("Asset"),
      field<&ActivityRow::reference>(
          "Id of the fill, the entry in GET /deposits, the withdrawal, the bridge withdrawal or the transfer, or "
          "sequence of the auto-deleveraging event; null where there is no such record: funding, settlements"),
      field<&ActivityRow::timestamp>("Unix milliseconds")};
};

enum class FundingDirection : std::uint8_t { paid, received };
SVC_WIRE_TEXTS(FundingDirection, "paid", "received");

struct AccountFunding {
  std::string market_id{};
  DecimalText amount{};
  FundingDirection direction = FundingDirection::paid;
  DecimalText funding_rate{}, position_size{};
  TimestampMs timestamp = 0;

  static constexpr FieldInfo fields[] = {field<&AccountFunding::market_id>("Market"),
                                         field<&AccountFunding::amount>("USDX; negative was paid"),
                                         field<&AccountFunding::direction>("paid or received"),
                                         field<&AccountFunding::funding_rate>("Rate of the hour"),
                                         field<&AccountFunding::position_size>("Size it was computed on"),
                                         field<&AccountFunding::timestamp>("Unix milliseconds")};
};

struct FundingRequest {
  std::uint32_t limit = 100;
  std::optional<MarketId> market_id{};

  static constexpr FieldInfo fields[] = {field<&FundingRequest::limit>("Rows").page_of_at_most(1000),
                                         field<&FundingRequest::market_id>("Only this market").query()};
};

// Newest first; the headers say how far back the record goes.
struct FundingPage {
  std::vector<AccountFunding> rows{};
  std::optional<TimestampMs> oldest_ms{};
  std::optional<bool> truncated{};

  static constexpr FieldInfo fields[] = {
      field<&FundingPage::rows>("Newest first").whole_body(),
      field<&FundingPage::oldest_ms>("x-svc-funding-oldest-ms", "Oldest payment kept").header().omit_when_empty(),
      field<&FundingPage::truncated>("x-svc-funding-truncated", "Older payments were dropped")
          .header()
          .omit_when_empty()};
};

using FundingSnapshotRequest = FeesRequest;

struct MarketFundingSnapshot {
  std::string market_id{}, status = "ok";
  DecimalText position_size{};
  std::optional<DecimalText> funding_rate{}, index_price{}, next_payment{};
  DecimalText funding_paid{};

  static constexpr FieldInfo fields[] = {
      field<&MarketFundingSnapshot::market_id>("Market"),
      field<&MarketFundingSnapshot::status>("ok; halted: no funding is settled, rate and payment are null; no_index: "
                                            "the oracle has not spoken yet, everything it takes part in is null"),
      field<&MarketFundingSnapshot::position_size>("Signed size"),
      field<&MarketFundingSnapshot::funding_rate>(
          "What a settlement at this instant would use: samples still to come count as no premium"),
      field<&MarketFundingSnapshot::index_price>("Index price"),
      field<&MarketFundingSnapshot::next_payment>(
          "USDX that a settlement at this instant would move; negative is paid"),
      field<&MarketFundingSnapshot::funding_paid>("USDX since the position opened; positive was paid")};
};

// One atomic read of the engine. (D-128)
struct FundingSnapshot {
  std::string status = "ok";
  TimestampMs timestamp = 0, next_funding_ms = 0;
  std::vector<MarketFundingSnapshot> markets{};

  static constexpr FieldInfo fields[] = {
      field<&FundingSnapshot::status>("ok, or degraded when one of the markets is not"),
      field<&FundingSnapshot::timestamp>("Unix milliseconds"),
      field<&FundingSnapshot::next_funding_ms>("Next settlement"),
      field<&FundingSnapshot::markets>("Markets with a position, or the one asked for")};
};

}  // namespace svc::api

// The operations on an account.

namespace svc::api::ops {

inline constexpr Area account{"account"};

struct GetAccount : Records<Empty, AccountSummary> {
  static constexpr Operation op =
      account(get, "get_account", "/account", "Show balance, equity and positions", twin, key_or_agent);
};

struct GetAccountSummary : Records<Empty, AccountPortfolioSummary> {
  static constexpr Operation op =
      account(get, "get_account_summary", "/account/summary", "Show the portfolio summary",
              "Fails closed: without the engine's margin view it answers 502 rather than an estimate.", twin,
              key_or_agent, Weight{5}, refuses<authoritative_margin_unavailable>);
};

struct GetAccountState : Records<Empty, AccountState> {
  static constexpr Operation op =
      account(get, "get_account_state", "/account/state", "Show summary and positions of one instant",
              "Summary and positions of the same instant. Fails closed: without the engine's margin view it answers "
              "502 rather than an estimate.",
              twin, key_or_agent, refuses<authoritative_margin_unavailable>);
};

struct GetAccountFees : Records<FeesRequest, AccountFees> {
  static constexpr Operation op = account(get, "get_account_fees", "/account/fees", "Show the fee schedule", twin,
                                          key_or_agent, refuses<invalid_market_id, unknown_market>);
};

struct ListAccountActivity : Records<ActivityRequest, Page<ActivityRow>> {
  static constexpr Operation op =
      account(get, "list_account_activity", "/account/activity", "List what moved the balance, newest first",
              "One row for each cause; amounts are signed as the account sees them, and `reference` leads to the "
              "record behind the row.",
              twin, key_or_agent);
};

struct GetFundingSnapshot : Records<FundingSnapshotRequest, FundingSnapshot> {
  static constexpr Operation op = account(
      get, "get_funding_snapshot", "/account/funding-snapshot", "Read funding of all positions at one instant",
      "All figures belong to one instant of the engine. What is not known is null, never 0.", twin, key_or_agent,
      refuses<invalid_market_id, unknown_market, funding_source_unavailable, funding_source_stale>);
};

struct GetAccountReferrals : Records<Empty, AccountReferrals> {
  static constexpr Operation op =
      account(get, "get_account_referrals", "/account/referrals", "Show the referral code and its count", twin,
              key_or_agent, refuses<bad_gateway, referral_store_not_configured>);
};

struct ListEquityHistory : Records<EquityHistoryRequest, Page<EquityPoint>> {
  static constexpr Operation op = account(get, "list_equity_history", "/account/equity-history",
                                          "List equity every 5 seconds, oldest first", twin, key_or_agent);
};

struct GetPortfolioHistory : Records<PortfolioHistoryRequest, PortfolioHistory> {
  static constexpr Operation op = account(
      get, "get_portfolio_history", "/account/portfolio-history", "Show equity, profit and volume over a window",
      "`day` has a point every 5 minutes (288), `week` every hour (168), `month` every 6 hours (120), `all` every day "
      "(366). A larger `limit` is lowered to that.",
      twin, key_or_agent, Weight{5}, refuses<invalid_window>);
};

struct GetRateLimit : Records<Empty, RateLimitStatus> {
  static constexpr Operation op =
      account(get, "get_rate_limit", "/account/rate-limit", "Show the budgets; costs nothing",
              "`reset_at_ms` is in milliseconds, the header X-RateLimit-Reset in seconds. The numbers are null for the "
              "Unlimited tier.",
              twin, key_or_agent, Weight{0});
};

struct GetCancelOnDisconnect : Records<Empty, CancelOnDisconnectStatus> {
  static constexpr Operation op =
      account(get, "get_cancel_on_disconnect", "/account/cancel-on-disconnect", "Read cancel-on-disconnect",
              "`active` is true while it is switched on and a stream is open.", twin, key_or_agent);
};

struct SetCancelOnDisconnect : Records<CancelOnDisconnectRequest, CancelOnDisconnectStatus> {
  static constexpr Operation op =
      account(put, "set_cancel_on_disconnect", "/account/cancel-on-disconnect", "Switch cancel-on-disconnect",
              "Once the account's last connection to /ws is gone and the grace has passed, its open orders are "
              "cancelled. Off until it is switched on.",
              twin, key_or_agent);
};

struct ListAccountAdl : Records<AccountAdlRequest, List<AdlEventRecord>> {
  static constexpr Operation op =
      account(get, "list_account_adl", "/account/{address}/adl-history", "List auto-deleveraging events of an account",
              key_or_agent, refuses<not_found>);
};

struct ListFunding : Records<FundingRequest, FundingPage> {
  static constexpr Operation op = account(get, "list_funding", "/funding", "List own funding payments, newest first",
                                          "A negative amount was paid. `X-Svc-Funding-Oldest-Ms` says how far back the "
                                          "rows reach, `X-Svc-Funding-Truncated` whether older ones were dropped.",
                                          key_or_agent, refuses<invalid_market_id, unknown_market>);
};

}  // namespace svc::api::ops
