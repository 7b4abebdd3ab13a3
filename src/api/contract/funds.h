#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/contract/scalars.h"
#include "api/operation.h"
#include "api/record.h"
#include "api/values.h"
#include "base/address.h"
#include "base/clock.h"

// Collateral in and out: deposits, withdrawals, the faucet and its credit.

namespace svc::api {

struct DepositCollateralRequest {
  DecimalText amount{};
  std::optional<Address> account_id{};

  static constexpr FieldInfo fields[] = {
      field<&DepositCollateralRequest::amount>("amount", "USDX").refused_as(ErrorCode::invalid_amount),
      field<&DepositCollateralRequest::account_id>("account_id", "Account credited, for service keys")
          .omit_when_empty()};
};

struct BalanceResponse {
  DecimalText balance{};

  static constexpr FieldInfo fields[] = {field<&BalanceResponse::balance>("balance", "Cross balance afterwards, USDX")};
};

struct SubmitDepositRequest {
  DecimalText amount{};
  std::string asset = "USDX";

  static constexpr FieldInfo fields[] = {
      field<&SubmitDepositRequest::amount>("amount", "Amount of the asset").refused_as(ErrorCode::invalid_amount),
      field<&SubmitDepositRequest::asset>("asset", "Asset").defaulted()};
};

enum class FundsStatus : std::uint8_t { pending, confirmed, failed };
inline constexpr std::string_view funds_status_texts[] = {"pending", "confirmed", "failed"};
constexpr EnumNames enum_names(FundsStatus) {
  return {"FundsStatus", funds_status_texts};
}

// The acknowledgement of a deposit; members beyond `balance` are our own. (D-129)
struct DepositReceipt {
  DecimalText balance{};
  std::uint64_t id = 0;
  DecimalText amount{};
  std::string asset{};
  FundsStatus status = FundsStatus::confirmed;
  TimestampMs timestamp = 0;

  static constexpr FieldInfo fields[] = {field<&DepositReceipt::balance>("balance", "Cross balance afterwards, USDX"),
                                         field<&DepositReceipt::id>("id", "Id of the entry in GET /deposits"),
                                         field<&DepositReceipt::amount>("amount", "Amount"),
                                         field<&DepositReceipt::asset>("asset", "Asset"),
                                         field<&DepositReceipt::status>("status", "Status"),
                                         field<&DepositReceipt::timestamp>("timestamp", "Unix milliseconds")};
};

struct DepositsRequest {
  std::uint32_t limit = 100;

  static constexpr FieldInfo fields[] = {field<&DepositsRequest::limit>("limit", "Rows").page_of_at_most(100)};
};

enum class FundsKind : std::uint8_t { deposit, withdrawal, faucet };
inline constexpr std::string_view funds_kind_texts[] = {"deposit", "withdrawal", "faucet"};
constexpr EnumNames enum_names(FundsKind) {
  return {"FundsKind", funds_kind_texts};
}

struct FundsEntry {
  std::uint64_t id = 0;
  FundsKind kind = FundsKind::deposit;
  Address account{};
  DecimalText amount{};
  std::string asset = "USDX";
  TimestampMs timestamp = 0;
  FundsStatus status = FundsStatus::confirmed;
  std::optional<std::string> tx_hash{};

  static constexpr FieldInfo fields[] = {field<&FundsEntry::id>("id", "Entry id"),
                                         field<&FundsEntry::kind>("kind", "deposit, withdrawal or faucet"),
                                         field<&FundsEntry::account>("account", "Account"),
                                         field<&FundsEntry::amount>("amount", "Amount"),
                                         field<&FundsEntry::asset>("asset", "Asset"),
                                         field<&FundsEntry::timestamp>("timestamp", "Unix milliseconds"),
                                         field<&FundsEntry::status>("status", "Status"),
                                         field<&FundsEntry::tx_hash>("tx_hash", "Transaction, where there is one")};
};

// The amount of a withdrawal, as text. Older clients write a number, in whole units of 0.000001 USDX: the signature
// determines which scale was meant. (D-294)
struct WithdrawalAmount {
  std::string text{};
};

// A nonce, which some clients send as text.
struct WithdrawalNonce {
  std::uint64_t value = 0;
};

struct CustomForm;
extern const CustomForm withdrawal_amount_form;
extern const CustomForm withdrawal_nonce_form;
constexpr const CustomForm* custom_form(const WithdrawalAmount*) {
  return &withdrawal_amount_form;
}
constexpr const CustomForm* custom_form(const WithdrawalNonce*) {
  return &withdrawal_nonce_form;
}

// Signed by the wallet as WithdrawIntent: the struct's amount is this amount in 1e-6 USDX. (D-130)
struct SubmitWithdrawalRequest {
  Address wallet{};
  WithdrawalAmount amount{};
  std::optional<std::string> asset{};
  WithdrawalNonce nonce{};
  std::string signature{};

  static constexpr FieldInfo fields[] = {
      field<&SubmitWithdrawalRequest::wallet>("wallet", "The account that withdraws and signs")
          .refused_as(ErrorCode::bad_wallet),
      field<&SubmitWithdrawalRequest::amount>(
          "amount",
          "USDX as decimal text. What is signed is the amount in 0.000001 USDX; a client that writes that whole "
          "number here is understood too, since the signature tells the two apart")
          .refused_as(ErrorCode::invalid_amount),
      field<&SubmitWithdrawalRequest::asset>(
          "asset", "Only USDX leaves: its name, or the address 0xcc…cc that stands for it and is signed; the default")
          .omit_when_empty(),
      field<&SubmitWithdrawalRequest::nonce>(
          "nonce",
          "Higher than every nonce of a struct that this wallet signed before (registrations, transfers, "
          "withdrawals); spent once the signature was verified, whatever becomes of the withdrawal"),
      field<&SubmitWithdrawalRequest::signature>("signature", "Of WithdrawIntent: 65 bytes in hex")};
};

enum class WithdrawalStatus : std::uint8_t { pending, settled, failed };
inline constexpr std::string_view withdrawal_status_texts[] = {"pending", "settled", "failed"};
constexpr EnumNames enum_names(WithdrawalStatus) {
  return {"WithdrawalStatus", withdrawal_status_texts};
}

struct Withdrawal {
  std::string id{};
  DecimalText amount{};
  TimestampMs timestamp = 0;
  WithdrawalStatus status = WithdrawalStatus::pending;

  static constexpr FieldInfo fields[] = {
      field<&Withdrawal::id>("id", "Withdrawal id, wd_…"), field<&Withdrawal::amount>("amount", "USDX"),
      field<&Withdrawal::timestamp>("timestamp", "When it was accepted, Unix milliseconds"),
      field<&Withdrawal::status>("status",
                                 "pending: the money has left the account and the chain confirms; settled: confirmed; "
                                 "failed: the money is back, as a deposit of its own")};
};

struct WithdrawalsRequest {
  std::uint32_t limit = 100;

  static constexpr FieldInfo fields[] = {field<&WithdrawalsRequest::limit>("limit", "Rows").page_of_at_most(100)};
};

struct FaucetClaim {
  DecimalText amount{};
  TimestampMs available_at_ms = 0;

  static constexpr FieldInfo fields[] = {
      field<&FaucetClaim::amount>("amount", "USDX credited"),
      field<&FaucetClaim::available_at_ms>("available_at_ms", "When the next claim is possible")};
};

// The body may be missing: then all that is left of today's allowance is credited.
struct CreditRequest {
  std::optional<DecimalText> amount{};

  static constexpr FieldInfo fields[] = {
      field<&CreditRequest::amount>("amount", "USDX").omit_when_empty().refused_as(ErrorCode::invalid_amount)};
};

struct CreditResponse {
  DecimalText amount{};
  DecimalText credited_today{};
  DecimalText daily_limit{};

  static constexpr FieldInfo fields[] = {
      field<&CreditResponse::amount>("amount", "USDX credited now"),
      field<&CreditResponse::credited_today>("credited_today", "USDX since 00:00 UTC"),
      field<&CreditResponse::daily_limit>("daily_limit", "USDX per UTC day")};
};

enum class DepositMode : std::uint8_t { onchain, testnet_faucet };
inline constexpr std::string_view deposit_mode_texts[] = {"onchain", "testnet-faucet"};
constexpr EnumNames enum_names(DepositMode) {
  return {"DepositMode", deposit_mode_texts};
}

// `onchain` contains chain, asset, address and minimum; `testnet-faucet` amount and cooldown. (D-131)
struct DepositTarget {
  DepositMode mode = DepositMode::testnet_faucet;
  Address account{};
  std::string confirm{};
  std::optional<std::string> chain{};
  std::optional<std::uint64_t> chain_id{};
  std::optional<std::string> asset{};
  std::optional<std::string> address{};
  std::optional<DecimalText> min_amount{};
  std::optional<DecimalText> amount{};
  std::optional<std::uint64_t> cooldown_secs{};

  static constexpr FieldInfo fields[] = {
      field<&DepositTarget::mode>("mode", "How the account is funded here"),
      field<&DepositTarget::account>("account", "The owner's address"),
      field<&DepositTarget::confirm>("confirm", "The sentence to show before sending anything"),
      field<&DepositTarget::chain>("chain", "Chain").omit_when_empty(),
      field<&DepositTarget::chain_id>("chain_id", "Chain id").omit_when_empty(),
      field<&DepositTarget::asset>("asset", "Asset").omit_when_empty(),
      field<&DepositTarget::address>("address", "Where to send it").omit_when_empty(),
      field<&DepositTarget::min_amount>("min_amount", "Smallest deposit").omit_when_empty(),
      field<&DepositTarget::amount>("amount", "USDX per claim").omit_when_empty(),
      field<&DepositTarget::cooldown_secs>("cooldown_secs", "Time between claims").omit_when_empty()};
};

}  // namespace svc::api

// Collateral in and out. Agents may not call these; the faucet exists on play networks only.

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
                                .errors = errors,
                                .effect = Effect::costly};
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
