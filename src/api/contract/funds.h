#pragma once

#include "api/contract/declaration.h"

// Collateral in and out: deposits, withdrawals, the faucet and its credit.

namespace svc::api {

SVC_RECORD(DepositCollateralRequest,
    (DecimalText, amount, {}, "USDX", .refused_as(ErrorCode::invalid_amount))
    (std::optional<Address>, account_id, {}, "Account credited, for service keys", .omit_when_empty()));

SVC_RECORD(BalanceResponse, (DecimalText, balance, {}, "Cross balance afterwards, USDX"));

SVC_RECORD(SubmitDepositRequest,
    (DecimalText, amount, {}, "Amount of the asset", .refused_as(ErrorCode::invalid_amount))
    (std::string, asset, = "USDX", "Asset", .defaulted()));

enum class FundsStatus : std::uint8_t { pending, confirmed, failed };
SVC_WIRE_TEXTS(FundsStatus, "pending", "confirmed", "failed");

// The acknowledgement of a deposit; members beyond `balance` are our own. (D-129)
SVC_RECORD(DepositReceipt,
    (DecimalText, balance, {}, "Cross balance afterwards, USDX")
    (std::uint64_t, id, = 0, "Id of the entry in GET /deposits")
    (DecimalText, amount, {}, "Amount")
    (std::string, asset, {}, "Asset")
    (FundsStatus, status, = FundsStatus::confirmed, "Status")
    (TimestampMs, timestamp, = 0, "Unix milliseconds"));

SVC_RECORD(DepositsRequest, (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(100)));

enum class FundsKind : std::uint8_t { deposit, withdrawal, faucet };
SVC_WIRE_TEXTS(FundsKind, "deposit", "withdrawal", "faucet");

SVC_RECORD(FundsEntry,
    (std::uint64_t, id, = 0, "Entry id")
    (FundsKind, kind, = FundsKind::deposit, "deposit, withdrawal or faucet")
    (Address, account, {}, "Account")
    (DecimalText, amount, {}, "Amount")
    (std::string, asset, = "USDX", "Asset")
    (TimestampMs, timestamp, = 0, "Unix milliseconds")
    (FundsStatus, status, = FundsStatus::confirmed, "Status")
    (std::optional<std::string>, tx_hash, {}, "Transaction, where there is one"));

// The amount of a withdrawal, as text. Older clients write a number, in whole units of 0.000001 USDX: the signature
// determines which scale was meant. (D-294)
struct WithdrawalAmount {
  std::string text{};

  static const CustomForm form;
};

// A nonce, which some clients send as text.
struct WithdrawalNonce {
  std::uint64_t value = 0;

  static const CustomForm form;
};

// Signed by the wallet as WithdrawIntent: the struct's amount is this amount in 1e-6 USDX. (D-130)
SVC_RECORD(SubmitWithdrawalRequest,
    (Address, wallet, {}, "The account that withdraws and signs", .refused_as(ErrorCode::bad_wallet))
    (WithdrawalAmount, amount, {},
     "USDX as decimal text. What is signed is the amount in 0.000001 USDX; a client that writes that whole number here "
     "is understood too, since the signature tells the two apart", .refused_as(ErrorCode::invalid_amount))
    (std::optional<std::string>, asset, {},
     "Only USDX leaves: its name, or the address 0xcc…cc that stands for it and is signed; the default",
     .omit_when_empty())
    (WithdrawalNonce, nonce, {},
     "Higher than every nonce of a struct that this wallet signed before (registrations, transfers, withdrawals); "
     "spent once the signature was verified, whatever becomes of the withdrawal")
    (std::string, signature, {}, "Of WithdrawIntent: 65 bytes in hex"));

enum class WithdrawalStatus : std::uint8_t { pending, settled, failed };
SVC_WIRE_TEXTS(WithdrawalStatus, "pending", "settled", "failed");

SVC_RECORD(Withdrawal,
    (std::string, id, {}, "Withdrawal id, wd_…")
    (DecimalText, amount, {}, "USDX")
    (TimestampMs, timestamp, = 0, "When it was accepted, Unix milliseconds")
    (WithdrawalStatus, status, = WithdrawalStatus::pending,
     "pending: the money has left the account and the chain confirms; settled: confirmed; failed: the money is back, "
     "as a deposit of its own"));

using WithdrawalsRequest = DepositsRequest;

SVC_RECORD(FaucetClaim,
    (DecimalText, amount, {}, "USDX credited")
    (TimestampMs, available_at_ms, = 0, "When the cooldown is over"));

// The body may be missing: then all that is left of today's allowance is credited.
SVC_RECORD(CreditRequest,
    (std::optional<DecimalText>, amount, {}, "USDX", .omit_when_empty().refused_as(ErrorCode::invalid_amount)));

SVC_RECORD(CreditResponse,
    (DecimalText, amount, {}, "USDX credited now")
    (DecimalText, credited_today, {}, "USDX since 00:00 UTC")
    (DecimalText, daily_limit, {}, "USDX per UTC day"));

enum class DepositMode : std::uint8_t { onchain, testnet_faucet };
SVC_WIRE_TEXTS(DepositMode, "onchain", "testnet-faucet");

// `onchain` contains chain, asset, address and minimum; `testnet-faucet` amount and cooldown. (D-131)
SVC_RECORD(DepositTarget,
    (DepositMode, mode, = DepositMode::testnet_faucet, "How the account is funded here")
    (Address, account, {}, "The owner's address")
    (std::string, confirm, {}, "The sentence to show before sending anything")
    (std::optional<std::string>, chain, {}, "Chain", .omit_when_empty())
    (std::optional<std::uint64_t>, chain_id, {}, "Chain id", .omit_when_empty())
    (std::optional<std::string>, asset, {}, "Asset", .omit_when_empty())
    (std::optional<std::string>, address, {}, "Where to send it", .omit_when_empty())
    (std::optional<DecimalText>, min_amount, {}, "Smallest deposit", .omit_when_empty())
    (std::optional<DecimalText>, amount, {}, "USDX per claim", .omit_when_empty())
    (std::optional<std::uint64_t>, cooldown_secs, {}, "Time between claims", .omit_when_empty()));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area funds{"funds"};

SVC_OPERATIONS(FundsOperations,
    (ClaimFaucet, Empty, FaucetClaim, funds, post, "claim_faucet", "/faucet", "Claim play funds from the faucet",
     "No body. A fixed amount, once per cooldown, up to a total.", Auth::hmac, NetworkSet::testnet_only,
     refuses<faucet_cooldown, faucet_cap_reached, forbidden, us_restricted, geo_unresolved>)
    (ClaimCredit, CreditRequest, CreditResponse, funds, post, "claim_credit", "/account/credit",
     "Claim synthetic USDX within the daily allowance",
     "Without an amount all that is left of today's allowance is credited; it starts anew at 00:00 UTC. More "
     "than is left is refused whole.", twin, Auth::hmac, NetworkSet::testnet_only, refuses<credits_frozen,
     daily_limit_exceeded, forbidden, us_restricted, geo_unresolved>)
    (DepositCollateral, DepositCollateralRequest, BalanceResponse, funds, post, "deposit_collateral",
     "/account/deposit", "Deposit USDX collateral",
     "Service keys name the credited account as `account_id` in the body; for other callers any account but "
     "their own is `forbidden`. The header X-Account-Id is refused with 426.", Auth::hmac, refuses<forbidden,
     account_id_header_unsupported, us_restricted, geo_unresolved>, Effect::costly)
    (SubmitDeposit, SubmitDepositRequest, DepositReceipt, funds, post, "submit_deposit", "/deposits",
     "Submit a deposit", Auth::hmac, refuses<forbidden, us_restricted, geo_unresolved>, Effect::costly)
    (ListDeposits, DepositsRequest, List<FundsEntry>, funds, get, "list_deposits", "/deposits",
     "List deposits, newest first", Auth::hmac)
    (GetDepositTarget, Empty, DepositTarget, funds, get, "get_deposit_target", "/account/deposit-target",
     "Show how to fund the account", "A union on `mode`: members of the other mode are left out.", twin, Auth::hmac,
     refuses<early_access_required, deposit_target_misconfigured>)
    (SubmitWithdrawal, SubmitWithdrawalRequest, Withdrawal, funds, post, "submit_withdrawal", "/withdrawals",
     "Withdraw USDX, signed by the wallet",
     "Signed as `WithdrawIntent(uint256 amount,address asset,uint64 nonce)` under the action domain; the signed "
     "amount is that of the body in 0.000001 USDX.", Auth::wallet_signature, refuses<withdrawal_rejected,
     OperationError(insufficient_balance, 403), OperationError(account_in_liquidation, 403),
     OperationError(market_halted, 403)>, Effect::costly)
    (ListWithdrawals, WithdrawalsRequest, List<Withdrawal>, funds, get, "list_withdrawals", "/withdrawals",
     "List withdrawals, newest first", Auth::hmac));

}  // namespace svc::api::ops
