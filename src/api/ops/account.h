// What an account has, may do and has done.
#pragma once

#include "api/operation.h"
#include "api/records/account.h"
#include "api/records/account_history.h"
#include "api/records/market_history.h"

namespace svc::api::ops {

struct GetAccount {
  using Request = Empty;
  using Response = AccountSummary;
  static constexpr Operation op{.name = "get_account",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account",
                                .summary = "Show balance, equity and positions",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent};
};

struct GetAccountSummary {
  using Request = Empty;
  using Response = AccountPortfolioSummary;
  static constexpr OperationError errors[] = {ErrorCode::authoritative_margin_unavailable};
  static constexpr Operation op{
      .name = "get_account_summary",
      .group = "account",
      .method = Method::get,
      .path = "/account/summary",
      .summary = "Show the portfolio summary",
      .detail = "Fails closed: without the engine's margin view it answers 502 rather than an estimate.",
      .twin = true,
      .auth = Auth::hmac | Auth::agent,
      .weight = {5},
      .errors = errors};
};

struct GetAccountState {
  using Request = Empty;
  using Response = AccountState;
  static constexpr OperationError errors[] = {ErrorCode::authoritative_margin_unavailable};
  static constexpr Operation op{.name = "get_account_state",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account/state",
                                .summary = "Show summary and positions of one instant",
                                .detail =
                                    "Summary and positions of the same instant. Fails closed: without the engine's "
                                    "margin view it answers 502 rather than an estimate.",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent,
                                .errors = errors};
};

struct GetAccountFees {
  using Request = FeesRequest;
  using Response = AccountFees;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market};
  static constexpr Operation op{.name = "get_account_fees",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account/fees",
                                .summary = "Show the fee schedule",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent,
                                .errors = errors};
};

struct ListAccountActivity {
  using Request = ActivityRequest;
  using Response = Page<ActivityRow>;
  static constexpr Operation op{.name = "list_account_activity",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account/activity",
                                .summary = "List what moved the balance, newest first",
                                .detail =
                                    "One row for each cause; amounts are signed as the account sees them, and "
                                    "`reference` leads to the record behind the row.",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent};
};

struct GetFundingSnapshot {
  using Request = FundingSnapshotRequest;
  using Response = FundingSnapshot;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market,
                                              ErrorCode::funding_source_unavailable, ErrorCode::funding_source_stale};
  static constexpr Operation op{
      .name = "get_funding_snapshot",
      .group = "account",
      .method = Method::get,
      .path = "/account/funding-snapshot",
      .summary = "Read funding of all positions at one instant",
      .detail = "All figures belong to one instant of the engine. What is not known is null, never 0.",
      .twin = true,
      .auth = Auth::hmac | Auth::agent,
      .errors = errors};
};

struct GetAccountReferrals {
  using Request = Empty;
  using Response = AccountReferrals;
  static constexpr OperationError errors[] = {ErrorCode::bad_gateway, ErrorCode::referral_store_not_configured};
  static constexpr Operation op{.name = "get_account_referrals",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account/referrals",
                                .summary = "Show the referral code and its count",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent,
                                .errors = errors};
};

struct ListEquityHistory {
  using Request = EquityHistoryRequest;
  using Response = Page<EquityPoint>;
  static constexpr Operation op{.name = "list_equity_history",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account/equity-history",
                                .summary = "List equity every 5 seconds, oldest first",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent};
};

struct GetPortfolioHistory {
  using Request = PortfolioHistoryRequest;
  using Response = PortfolioHistory;
  static constexpr OperationError errors[] = {ErrorCode::invalid_window};
  static constexpr Operation op{.name = "get_portfolio_history",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account/portfolio-history",
                                .summary = "Show equity, profit and volume over a window",
                                .detail =
                                    "`day` has a point every 5 minutes (288), `week` every hour (168), `month` every 6 "
                                    "hours (120), `all` every day (366). A larger `limit` is lowered to that.",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent,
                                .weight = {5},
                                .errors = errors};
};

struct GetRateLimit {
  using Request = Empty;
  using Response = RateLimitStatus;
  static constexpr Operation op{.name = "get_rate_limit",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account/rate-limit",
                                .summary = "Show the budgets; costs nothing",
                                .detail =
                                    "`reset_at_ms` is in milliseconds, the header X-RateLimit-Reset in seconds. The "
                                    "numbers are null for the Unlimited tier.",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent,
                                .weight = {0}};
};

struct GetCancelOnDisconnect {
  using Request = Empty;
  using Response = CancelOnDisconnectStatus;
  static constexpr Operation op{.name = "get_cancel_on_disconnect",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account/cancel-on-disconnect",
                                .summary = "Read cancel-on-disconnect",
                                .detail = "`active` is true while it is switched on and a stream is open.",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent};
};

struct SetCancelOnDisconnect {
  using Request = CancelOnDisconnectRequest;
  using Response = CancelOnDisconnectStatus;
  static constexpr Operation op{.name = "set_cancel_on_disconnect",
                                .group = "account",
                                .method = Method::put,
                                .path = "/account/cancel-on-disconnect",
                                .summary = "Switch cancel-on-disconnect",
                                .detail =
                                    "Once the account's last connection to /ws is gone and the grace has passed, its "
                                    "open orders are cancelled. Off until it is switched on.",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent};
};

struct ListAccountAdl {
  using Request = AccountAdlRequest;
  using Response = List<AdlEventRecord>;
  static constexpr OperationError errors[] = {ErrorCode::not_found};
  static constexpr Operation op{.name = "list_account_adl",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account/{address}/adl-history",
                                .summary = "List auto-deleveraging events of an account",
                                .auth = Auth::hmac | Auth::agent,
                                .errors = errors};
};

struct ListFunding {
  using Request = FundingRequest;
  using Response = FundingPage;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market};
  static constexpr Operation op{.name = "list_funding",
                                .group = "account",
                                .method = Method::get,
                                .path = "/funding",
                                .summary = "List own funding payments, newest first",
                                .detail =
                                    "A negative amount was paid. `X-Svc-Funding-Oldest-Ms` says how far back the rows "
                                    "reach, `X-Svc-Funding-Truncated` whether older ones were dropped.",
                                .auth = Auth::hmac | Auth::agent,
                                .errors = errors};
};

}  // namespace svc::api::ops
