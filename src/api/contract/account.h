#pragma once

#include "api/contract/declaration.h"
#include "api/contract/markets.h"
#include "api/contract/positions.h"
#include "trade/words.h"

// Account data: summaries, fees, limits, settings.

namespace svc::api {

using trade::ActivityCause;

SVC_RECORD(AccountSummary,
    (DecimalText, balance, {}, "Cross balance, USDX")
    (DecimalText, collateral, {}, "Balance and isolated margins, USDX")
    (DecimalText, equity, {}, "Collateral and unrealised profit, USDX")
    (DecimalText, available_margin, {}, "Free for new orders, USDX")
    (std::vector<Position>, positions, {}, "Open positions"));

SVC_RECORD(AccountPortfolioSummary,
    (DecimalText, collateral, {}, "Balance and isolated margins, USDX")
    (DecimalText, total_equity, {}, "Collateral and unrealised profit, USDX")
    (DecimalText, total_unrealized_pnl, {}, "USDX at mark")
    (DecimalText, total_realized_pnl_24h, {}, "USDX, last 24 hours")
    (DecimalText, total_volume_24h, {}, "USDX, last 24 hours")
    (std::uint64_t, open_positions_count, = 0, "Open positions")
    (std::uint64_t, open_orders_count, = 0, "Open orders, untriggered ones included")
    (DecimalText, margin_used, {}, "Initial margin of positions, USDX")
    (DecimalText, available_margin, {}, "Free for new orders, USDX")
    (DecimalText, withdrawable, {}, "May leave the account, USDX")
    (std::optional<bool>, early_access_allowed, {},
     "Admitted to trade; the sandbox admits everybody", .omit_when_empty()));

SVC_RECORD(AccountState,
    (AccountPortfolioSummary, summary, {}, "Portfolio summary of the same instant")
    (std::vector<Position>, positions, {}, "Open positions")
    (std::vector<MarketSetting>, market_settings, {},
     "Margin mode and leverage in force in every listed market", .defaulted()));

SVC_RECORD(FeesRequest, (std::optional<MarketId>, market_id, {}, "Only this market", .query()));

SVC_RECORD(MarketFees,
    (std::string, market_id, {}, "Market")
    (std::int64_t, maker_fee_bps, = 0, "Basis points; negative is a rebate")
    (std::int64_t, taker_fee_bps, = 0, "Basis points"));

SVC_RECORD(AccountFees,
    (std::int64_t, maker_fee_bps, = 0,
     "Basis points; negative is a rebate. Of the market asked for, else of the first one listed")
    (std::int64_t, taker_fee_bps, = 0, "Basis points, likewise")
    (std::string, tier, = "base", "Fee tier: base, the only one")
    (std::string, schedule, = "standard", "Fee schedule; unknown when it cannot be read")
    (DecimalText, volume_30d, {}, "USDX as maker and taker: the running hour of UTC and the 719 before it")
    (bool, volume_30d_estimated, = false, "Whether fills are missing from volume_30d; false, for all are kept")
    (std::vector<std::string>, discounts, {}, "Empty: the schedule has none")
    (std::vector<MarketFees>, markets, {}, "Rates by market", .defaulted()));

SVC_RECORD(BucketStatus,
    (std::uint64_t, limit, = 0, "Tokens per second, and capacity")
    (std::uint64_t, remaining, = 0, "Whole tokens left")
    (TimestampMs, reset_at_ms, = 0, "When it is full again, Unix milliseconds; 0 when it is"));

// For the Unlimited tier the numbers are null and the buckets empty.
SVC_RECORD(RateLimitStatus,
    (std::string, tier, {}, "Lower-case tier name")
    (std::optional<std::uint64_t>, limit, {}, "Request tokens per second")
    (std::optional<std::uint64_t>, remaining, {}, "Request tokens left")
    (std::optional<TimestampMs>, reset_at_ms, {}, "When the request budget is full again; 0 when it is")
    (MemberMap<BucketStatus>, buckets, {}, "By bucket: key, owner, order, cancel", .defaulted()));

SVC_RECORD(CancelOnDisconnectRequest, (bool, enabled, = false, "Cancel resting orders when the last stream closes"));

SVC_RECORD(CancelOnDisconnectStatus,
    (bool, enabled, = false, "Switched on")
    (bool, active, = false, "Switched on, and a /ws stream of the account is open")
    (std::optional<std::uint64_t>, grace_secs, {}, "Time to reconnect before orders are cancelled"));

// No operation of the API creates a referral code or binds an account to one, so there is nothing to count yet.
// (D-126, D-286)
SVC_RECORD(AccountReferrals,
    (std::optional<std::string>, code, {},
     "The account's own code; null while it has none, and no operation hands one out yet")
    (std::uint64_t, referred_count, = 0, "Accounts that joined with it"));

// Time series and ledgers of an account: equity, portfolio, activity, funding.

// The first page holds the latest points; a cursor leads to older ones. Within a page the oldest is first. (D-281)
SVC_RECORD(EquityHistoryRequest,
    (std::uint32_t, limit, = 720, "Points", .page_of_at_most(720))
    (std::optional<std::string>, cursor, {}, "From X-Next-Cursor of the page before", .query()));

SVC_RECORD(EquityPoint,
    (TimestampMs, timestamp_ms, = 0, "Unix milliseconds, a multiple of 5000")
    (NumberText, equity, {}, "USDX, after everything that happened up to that instant"));

enum class PortfolioWindow : std::uint8_t { day, week, month, all };
SVC_WIRE_TEXTS(PortfolioWindow, "day", "week", "month", "all");

// The limit is clamped to the points of the window.
SVC_RECORD(PortfolioHistoryRequest,
    (PortfolioWindow, window, = PortfolioWindow::day,
     "Span and cadence", .query().defaulted().refused_as(ErrorCode::invalid_window))
    (std::uint32_t, limit, = 366, "Points, the latest ones; clamped to those of the window", .page_of_at_most(366)));

SVC_RECORD(PortfolioPoint,
    (TimestampMs, timestamp_ms, = 0, "Unix milliseconds")
    (DecimalText, equity, {}, "USDX")
    (DecimalText, pnl, {},
     "USDX since the account opened: equity minus what came in, plus what went out by deposits, withdrawals and "
     "transfers")
    (DecimalText, volume, {}, "USDX traded since the account opened"));

SVC_RECORD(PortfolioHistory,
    (PortfolioWindow, window, = PortfolioWindow::day, "Span and cadence")
    (std::int64_t, cadence_ms, = 0, "Time between points")
    (std::vector<PortfolioPoint>, points, {}, "Oldest first")
    (std::optional<PortfolioPoint>, now, {},
     "The account at this instant, which closes the chart; null for one that never had money"));

SVC_RECORD(ActivityRequest,
    (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(500))
    (std::optional<std::string>, cursor, {}, "From X-Next-Cursor of the page before", .query()));

// (D-127)
SVC_LISTED_RECORD(ActivityRow,
    (std::string, id, {}, "Row id, unique within the account and the same on every page")
    (ActivityCause, cause, = ActivityCause::deposit,
     "What happened. A fill that closes something has the profit it realised, one that only opens has 0, and its fee "
     "is a row of its own; settlement is the closing of a delisted market")
    (std::optional<std::string>, market_id, {}, "Market, where there is one")
    (DecimalText, amount, {}, "Signed from the account's view; all amounts together are the collateral")
    (std::string, asset, = "USDX", "Asset")
    (std::optional<std::string>, reference, {},
     "Id of the fill, the entry in GET /deposits, the withdrawal, the bridge withdrawal or the transfer, or sequence "
     "of the auto-deleveraging event; null where there is no such record: funding, settlements")
    (TimestampMs, timestamp, = 0, "Unix milliseconds"));

enum class FundingDirection : std::uint8_t { paid, received };
SVC_WIRE_TEXTS(FundingDirection, "paid", "received");

SVC_RECORD(AccountFunding,
    (std::string, market_id, {}, "Market")
    (DecimalText, amount, {}, "USDX; negative was paid")
    (FundingDirection, direction, = FundingDirection::paid, "paid or received")
    (DecimalText, funding_rate, {}, "Rate of the hour")
    (DecimalText, position_size, {}, "Size it was computed on")
    (TimestampMs, timestamp, = 0, "Unix milliseconds"));

SVC_RECORD(FundingRequest,
    (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(1000))
    (std::optional<MarketId>, market_id, {}, "Only this market", .query()));

// Newest first; the headers say how far back the record goes.
SVC_RECORD(FundingPage,
    (std::vector<AccountFunding>, rows, {}, "Newest first", .whole_body())
    (std::optional<TimestampMs>, oldest_ms, {},
     "Oldest payment kept", .named("x-svc-funding-oldest-ms").header().omit_when_empty())
    (std::optional<bool>, truncated, {},
     "Older payments were dropped", .named("x-svc-funding-truncated").header().omit_when_empty()));

using FundingSnapshotRequest = FeesRequest;

SVC_RECORD(MarketFundingSnapshot,
    (std::string, market_id, {}, "Market")
    (std::string, status, = "ok",
     "ok; halted: no funding is settled, rate and payment are null; no_index: the oracle has not spoken yet, "
     "everything it takes part in is null")
    (DecimalText, position_size, {}, "Signed size")
    (std::optional<DecimalText>, funding_rate, {},
     "What a settlement at this instant would use: samples still to come count as no premium")
    (std::optional<DecimalText>, index_price, {}, "Index price")
    (std::optional<DecimalText>, next_payment, {},
     "USDX that a settlement at this instant would move; negative is paid")
    (DecimalText, funding_paid, {}, "USDX since the position opened; positive was paid"));

// One atomic read of the engine. (D-128)
SVC_RECORD(FundingSnapshot,
    (std::string, status, = "ok", "ok, or degraded when one of the markets is not")
    (TimestampMs, timestamp, = 0, "Unix milliseconds")
    (TimestampMs, next_funding_ms, = 0, "Next settlement")
    (std::vector<MarketFundingSnapshot>, markets, {}, "Markets with a position, or the one asked for"));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area account{"account"};

SVC_OPERATIONS(AccountOperations,
    (GetAccount, Empty, AccountSummary, account, get, "get_account", "/account", "Show balance, equity and positions",
     twin, key_or_agent)
    (GetAccountSummary, Empty, AccountPortfolioSummary, account, get, "get_account_summary", "/account/summary",
     "Show the portfolio summary",
     "Fails closed: without the engine's margin view it answers 502 rather than an estimate.", twin, key_or_agent,
     Weight{5}, refuses<authoritative_margin_unavailable>)
    (GetAccountState, Empty, AccountState, account, get, "get_account_state", "/account/state",
     "Show summary and positions of one instant",
     "Summary and positions of the same instant. Fails closed: without the engine's margin view it answers "
     "502 rather than an estimate.", twin, key_or_agent, refuses<authoritative_margin_unavailable>)
    (GetAccountFees, FeesRequest, AccountFees, account, get, "get_account_fees", "/account/fees",
     "Show the fee schedule", twin, key_or_agent, refuses<unknown_market>)
    (ListAccountActivity, ActivityRequest, Page<ActivityRow>, account, get, "list_account_activity",
     "/account/activity", "List what moved the balance, newest first",
     "One row for each cause; amounts are signed as the account sees them, and `reference` leads to the "
     "record behind the row.", twin, key_or_agent)
    (GetFundingSnapshot, FundingSnapshotRequest, FundingSnapshot, account, get, "get_funding_snapshot",
     "/account/funding-snapshot", "Read funding of all positions at one instant",
     "All figures belong to one instant of the engine. What is not known is null, never 0.", twin, key_or_agent,
     refuses<unknown_market, funding_source_unavailable, funding_source_stale>)
    (GetAccountReferrals, Empty, AccountReferrals, account, get, "get_account_referrals", "/account/referrals",
     "Show the referral code and its count", twin, key_or_agent, refuses<bad_gateway, referral_store_not_configured>)
    (ListEquityHistory, EquityHistoryRequest, Page<EquityPoint>, account, get, "list_equity_history",
     "/account/equity-history", "List equity every 5 seconds, oldest first", twin, key_or_agent)
    (GetPortfolioHistory, PortfolioHistoryRequest, PortfolioHistory, account, get, "get_portfolio_history",
     "/account/portfolio-history", "Show equity, profit and volume over a window",
     "`day` has a point every 5 minutes (288), `week` every hour (168), `month` every 6 hours (120), `all` every day "
     "(366). A larger `limit` is lowered to that.", twin, key_or_agent, Weight{5})
    (GetRateLimit, Empty, RateLimitStatus, account, get, "get_rate_limit", "/account/rate-limit",
     "Show the budgets; costs nothing",
     "`reset_at_ms` is in milliseconds, the header X-RateLimit-Reset in seconds. The numbers are null for the "
     "Unlimited tier.", twin, key_or_agent, Weight{0})
    (GetCancelOnDisconnect, Empty, CancelOnDisconnectStatus, account, get, "get_cancel_on_disconnect",
     "/account/cancel-on-disconnect", "Read cancel-on-disconnect",
     "`active` is true while it is switched on and a stream is open.", twin, key_or_agent)
    (SetCancelOnDisconnect, CancelOnDisconnectRequest, CancelOnDisconnectStatus, account, put,
     "set_cancel_on_disconnect", "/account/cancel-on-disconnect", "Switch cancel-on-disconnect",
     "Once the account's last connection to /ws is gone and the grace has passed, its resting orders are "
     "cancelled; those that wait for their trigger stay. Off until it is switched on.", twin, key_or_agent)
    (ListAccountAdl, AccountAdlRequest, List<AdlEventRecord>, account, get, "list_account_adl",
     "/account/{address}/adl-history", "List auto-deleveraging events of an account", key_or_agent, refuses<not_found>)
    (ListFunding, FundingRequest, FundingPage, account, get, "list_funding", "/funding",
     "List own funding payments, newest first",
     "A negative amount was paid. `X-Svc-Funding-Oldest-Ms` says how far back the "
     "rows reach, `X-Svc-Funding-Truncated` whether older ones were dropped.", key_or_agent, refuses<unknown_market>));

}  // namespace svc::api::ops
