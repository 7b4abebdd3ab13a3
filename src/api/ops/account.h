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
  static constexpr Operation op{.name = "get_account_summary",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account/summary",
                                .summary = "Show the portfolio summary",
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
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent};
};

struct GetFundingSnapshot {
  using Request = FundingSnapshotRequest;
  using Response = FundingSnapshot;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market,
                                              ErrorCode::funding_source_unavailable, ErrorCode::funding_source_stale};
  static constexpr Operation op{.name = "get_funding_snapshot",
                                .group = "account",
                                .method = Method::get,
                                .path = "/account/funding-snapshot",
                                .summary = "Read funding of all positions at one instant",
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
                                .auth = Auth::hmac | Auth::agent,
                                .errors = errors};
};

}  // namespace svc::api::ops
