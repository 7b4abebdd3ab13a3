// Collateral in and out. No agent may call these; the faucet exists on play networks only.
#pragma once

#include "api/operation.h"
#include "api/records/funds.h"

namespace svc::api::ops {

struct ClaimFaucet {
  using Request = Empty;
  using Response = FaucetClaim;
  static constexpr OperationError errors[] = {ErrorCode::faucet_cooldown, ErrorCode::faucet_cap_reached,
                                              ErrorCode::forbidden,       ErrorCode::restricted_jurisdiction,
                                              ErrorCode::us_restricted,   ErrorCode::geo_unresolved};
  static constexpr Operation op{.name = "claim_faucet",
                                .group = "funds",
                                .method = Method::post,
                                .path = "/faucet",
                                .summary = "Claim play funds from the faucet",
                                .detail = "No body. A fixed amount, once per cooldown, up to a total.",
                                .auth = Auth::hmac,
                                .networks = NetworkSet::testnet_only,
                                .errors = errors};
};

struct ClaimCredit {
  using Request = CreditRequest;
  using Response = CreditResponse;
  static constexpr OperationError errors[] = {
      ErrorCode::invalid_amount, ErrorCode::credits_frozen, ErrorCode::daily_limit_exceeded,   ErrorCode::forbidden,
      ErrorCode::us_restricted,  ErrorCode::geo_unresolved, ErrorCode::restricted_jurisdiction};
  static constexpr Operation op{.name = "claim_credit",
                                .group = "funds",
                                .method = Method::post,
                                .path = "/account/credit",
                                .summary = "Claim synthetic USDX within the daily allowance",
                                .detail =
                                    "Without an amount all that is left of today's allowance is credited; it starts "
                                    "anew at 00:00 UTC. More than is left is refused whole.",
                                .twin = true,
                                .auth = Auth::hmac,
                                .networks = NetworkSet::testnet_only,
                                .errors = errors};
};

struct DepositCollateral {
  using Request = DepositCollateralRequest;
  using Response = BalanceResponse;
  static constexpr OperationError errors[] = {
      ErrorCode::invalid_amount,          ErrorCode::forbidden,     ErrorCode::account_id_header_unsupported,
      ErrorCode::restricted_jurisdiction, ErrorCode::us_restricted, ErrorCode::geo_unresolved};
  static constexpr Operation op{
      .name = "deposit_collateral",
      .group = "funds",
      .method = Method::post,
      .path = "/account/deposit",
      .summary = "Deposit USDX collateral",
      .detail =
          "Service keys name the credited account as `account_id` in the body; for other callers any account but their "
          "own is `forbidden`. The header X-Account-Id is refused with 426.",
      .auth = Auth::hmac,
      .errors = errors};
};

struct SubmitDeposit {
  using Request = SubmitDepositRequest;
  using Response = DepositReceipt;
  static constexpr OperationError errors[] = {ErrorCode::invalid_amount, ErrorCode::invalid_parameter,
                                              ErrorCode::forbidden,      ErrorCode::restricted_jurisdiction,
                                              ErrorCode::us_restricted,  ErrorCode::geo_unresolved};
  static constexpr Operation op{.name = "submit_deposit",
                                .group = "funds",
                                .method = Method::post,
                                .path = "/deposits",
                                .summary = "Submit a deposit",
                                .auth = Auth::hmac,
                                .errors = errors};
};

struct ListDeposits {
  using Request = DepositsRequest;
  using Response = List<FundsEntry>;
  static constexpr Operation op{.name = "list_deposits",
                                .group = "funds",
                                .method = Method::get,
                                .path = "/deposits",
                                .summary = "List deposits, newest first",
                                .auth = Auth::hmac};
};

struct GetDepositTarget {
  using Request = Empty;
  using Response = DepositTarget;
  static constexpr OperationError errors[] = {ErrorCode::early_access_required,
                                              ErrorCode::deposit_target_misconfigured};
  static constexpr Operation op{.name = "get_deposit_target",
                                .group = "funds",
                                .method = Method::get,
                                .path = "/account/deposit-target",
                                .summary = "Show how to fund the account",
                                .detail = "A union on `mode`: members of the other mode are left out.",
                                .twin = true,
                                .auth = Auth::hmac,
                                .errors = errors};
};

struct SubmitWithdrawal {
  using Request = SubmitWithdrawalRequest;
  using Response = Withdrawal;
  static constexpr OperationError errors[] = {ErrorCode::bad_wallet,
                                              ErrorCode::invalid_amount,
                                              ErrorCode::withdrawal_rejected,
                                              {ErrorCode::insufficient_balance, 403},
                                              {ErrorCode::account_in_liquidation, 403},
                                              {ErrorCode::market_halted, 403}};
  static constexpr Operation op{.name = "submit_withdrawal",
                                .group = "funds",
                                .method = Method::post,
                                .path = "/withdrawals",
                                .summary = "Withdraw USDX, signed by the wallet",
                                .detail =
                                    "Signed as `WithdrawIntent(uint256 amount,address asset,uint64 nonce)` under the "
                                    "action domain; the signed amount is that of the body in 0.000001 USDX.",
                                .auth = Auth::wallet_signature,
                                .errors = errors};
};

struct ListWithdrawals {
  using Request = WithdrawalsRequest;
  using Response = List<Withdrawal>;
  static constexpr Operation op{.name = "list_withdrawals",
                                .group = "funds",
                                .method = Method::get,
                                .path = "/withdrawals",
                                .summary = "List withdrawals, newest first",
                                .auth = Auth::hmac};
};

}  // namespace svc::api::ops
