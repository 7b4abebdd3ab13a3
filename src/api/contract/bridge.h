#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/contract/scalars.h"
#include "api/operation.h"
#include "api/record.h"
#include "api/values.h"
#include "base/address.h"
#include "base/clock.h"

// The bridge from and to other chains; served under /api/v1 only.

namespace svc::api {

struct BridgeAsset {
  std::string symbol{};
  std::uint32_t decimals = 6;
  DecimalText min_amount{};
  std::uint32_t confirmations = 0;
  std::optional<DecimalText> fee{};
  std::optional<std::string> contract_address{};

  static constexpr FieldInfo fields[] = {
      field<&BridgeAsset::symbol>("symbol", "USDC or USDX"),
      field<&BridgeAsset::decimals>("decimals", "Decimals on the chain"),
      field<&BridgeAsset::min_amount>("min_amount", "Smallest amount; a deposit below it is not credited"),
      field<&BridgeAsset::confirmations>("confirmations", "Blocks to wait for"),
      field<&BridgeAsset::fee>("fee", "Part of a withdrawal that the chain keeps; deposits have none")
          .omit_when_empty(),
      field<&BridgeAsset::contract_address>("contract_address",
                                            "Token contract; null where the asset is the venue's own")};
};

struct BridgeChain {
  std::string chain{};
  std::optional<std::uint64_t> chain_id{};
  std::vector<BridgeAsset> deposit_assets{};
  std::vector<BridgeAsset> withdraw_assets{};

  static constexpr FieldInfo fields[] = {field<&BridgeChain::chain>("chain", "Chain"),
                                         field<&BridgeChain::chain_id>("chain_id", "Chain id"),
                                         field<&BridgeChain::deposit_assets>("deposit_assets", "What may come in"),
                                         field<&BridgeChain::withdraw_assets>("withdraw_assets", "What may go out")};
};

struct BridgeAssetsResponse {
  std::vector<BridgeChain> chains{};

  static constexpr FieldInfo fields[] = {field<&BridgeAssetsResponse::chains>("chains", "By chain")};
};

enum class BridgeDepositStatus : std::uint8_t { detected, confirming, credited, failed };
inline constexpr std::string_view bridge_deposit_status_texts[] = {"detected", "confirming", "credited", "failed"};
constexpr EnumNames enum_names(BridgeDepositStatus) {
  return {"BridgeDepositStatus", bridge_deposit_status_texts};
}

struct BridgeDepositsRequest {
  std::uint32_t limit = 100;
  std::optional<std::string> chain{};
  std::optional<std::string> asset{};
  std::optional<BridgeDepositStatus> status{};

  static constexpr FieldInfo fields[] = {field<&BridgeDepositsRequest::limit>("limit", "Rows").page_of_at_most(100),
                                         field<&BridgeDepositsRequest::chain>("chain", "Only this chain").query(),
                                         field<&BridgeDepositsRequest::asset>("asset", "Only this asset").query(),
                                         field<&BridgeDepositsRequest::status>("status", "Only this status").query()};
};

struct BridgeDeposit {
  std::string id{};
  Address account_id{};
  std::string chain{};
  std::string asset{};
  DecimalText amount{};
  std::string address{};
  BridgeDepositStatus status = BridgeDepositStatus::detected;
  std::optional<std::uint32_t> confirmations{};
  std::optional<std::uint32_t> required_confirmations{};
  std::optional<std::string> tx_hash{};
  TimestampMs created_at = 0;
  TimestampMs updated_at = 0;
  std::optional<TimestampMs> credited_at{};

  static constexpr FieldInfo fields[] = {
      field<&BridgeDeposit::id>("id", "Deposit id"),
      field<&BridgeDeposit::account_id>("account_id", "Account credited"),
      field<&BridgeDeposit::chain>("chain", "Chain"),
      field<&BridgeDeposit::asset>("asset", "Asset"),
      field<&BridgeDeposit::amount>("amount", "Amount; a unit of any asset that is taken is credited as 1 USDX"),
      field<&BridgeDeposit::address>("address", "Deposit address"),
      field<&BridgeDeposit::status>("status",
                                    "detected: seen, without a block; confirming; credited at the last confirmation; "
                                    "failed: never credited"),
      field<&BridgeDeposit::confirmations>("confirmations", "Blocks so far"),
      field<&BridgeDeposit::required_confirmations>("required_confirmations", "Blocks to wait for"),
      field<&BridgeDeposit::tx_hash>("tx_hash", "Transaction"),
      field<&BridgeDeposit::created_at>("created_at", "Unix milliseconds"),
      field<&BridgeDeposit::updated_at>("updated_at", "Unix milliseconds"),
      field<&BridgeDeposit::credited_at>("credited_at", "Unix milliseconds")};
};

struct BridgeRef {
  std::string id{};

  static constexpr FieldInfo fields[] = {field<&BridgeRef::id>("id", "Id").path()};
};

// (D-135)
struct BridgeWithdrawalRequest {
  std::string idempotency_key{};
  DecimalText amount{};

  static constexpr FieldInfo fields[] = {
      field<&BridgeWithdrawalRequest::idempotency_key>(
          "Idempotency-Key",
          "1 to 255 characters, good for 24 hours: the same key and amount return the first answer again, with "
          "another amount they are a conflict. Only a withdrawal that was accepted uses its key up")
          .header(),
      field<&BridgeWithdrawalRequest::amount>("amount", "A whole number of 0.000001 USDX, the chain's fee included")
          .refused_as(ErrorCode::invalid_amount)};
};

enum class BridgeWithdrawalStatus : std::uint8_t { pending, completed, failed };
inline constexpr std::string_view bridge_withdrawal_status_texts[] = {"pending", "completed", "failed"};
constexpr EnumNames enum_names(BridgeWithdrawalStatus) {
  return {"BridgeWithdrawalStatus", bridge_withdrawal_status_texts};
}

struct BridgeWithdrawalsRequest {
  std::optional<BridgeWithdrawalStatus> status{};

  static constexpr FieldInfo fields[] = {
      field<&BridgeWithdrawalsRequest::status>("status", "Only this status").query()};
};

// (D-135, D-291)
struct BridgeWithdrawal {
  std::string id{};
  Address account_id{};
  std::string chain{};
  std::string asset{};
  DecimalText amount{};
  DecimalText fee{};
  std::string address{};
  BridgeWithdrawalStatus status = BridgeWithdrawalStatus::pending;
  std::optional<std::uint32_t> confirmations{};
  std::optional<std::uint32_t> required_confirmations{};
  std::optional<std::string> tx_hash{};
  TimestampMs created_at = 0;
  TimestampMs updated_at = 0;
  std::optional<TimestampMs> completed_at{};

  static constexpr FieldInfo fields[] = {
      field<&BridgeWithdrawal::id>("id", "Withdrawal id, wdl_…"),
      field<&BridgeWithdrawal::account_id>("account_id", "Account charged"),
      field<&BridgeWithdrawal::chain>("chain", "Chain"),
      field<&BridgeWithdrawal::asset>("asset", "Asset"),
      field<&BridgeWithdrawal::amount>("amount", "What the account paid: a whole number of 0.000001 USDX"),
      field<&BridgeWithdrawal::fee>("fee", "Part of it that the chain keeps, likewise"),
      field<&BridgeWithdrawal::address>(
          "address", "Where it goes: the account's default registered wallet, else the account's own address"),
      field<&BridgeWithdrawal::status>(
          "status",
          "The venue's part is done when it is accepted: the account has paid and the transaction is sent. pending: "
          "the chain confirms; completed: confirmed; failed: the money is back in the account, as a deposit of its "
          "own"),
      field<&BridgeWithdrawal::confirmations>("confirmations", "Blocks so far"),
      field<&BridgeWithdrawal::required_confirmations>("required_confirmations", "Blocks to wait for"),
      field<&BridgeWithdrawal::tx_hash>("tx_hash", "Transaction"),
      field<&BridgeWithdrawal::created_at>("created_at", "Unix milliseconds"),
      field<&BridgeWithdrawal::updated_at>("updated_at", "Unix milliseconds, of the latest confirmation or decision"),
      field<&BridgeWithdrawal::completed_at>("completed_at", "Unix milliseconds; null unless completed")};
};

// Deposit addresses and wallets of the bridge: operations for older clients.

struct DepositAddressRequest {
  std::string chain{};

  static constexpr FieldInfo fields[] = {field<&DepositAddressRequest::chain>("chain", "Chain")};
};

struct BridgeDepositAddress {
  std::string address{};
  std::string chain{};
  std::vector<std::string> accepts{};
  Address account_id{};
  TimestampMs created_at = 0;

  static constexpr FieldInfo fields[] = {field<&BridgeDepositAddress::address>("address", "Deposit address"),
                                         field<&BridgeDepositAddress::chain>("chain", "Chain"),
                                         field<&BridgeDepositAddress::accepts>("accepts", "Symbols"),
                                         field<&BridgeDepositAddress::account_id>("account_id", "Account credited"),
                                         field<&BridgeDepositAddress::created_at>("created_at", "Unix milliseconds")};
};

struct WalletChallengeRequest {
  Address address{};

  static constexpr FieldInfo fields[] = {
      field<&WalletChallengeRequest::address>("address", "Wallet").refused_as(ErrorCode::invalid_address)};
};

struct BridgeWalletChallenge {
  Address address{};
  std::string nonce{};
  std::string message{};
  TimestampMs expires_at = 0;

  static constexpr FieldInfo fields[] = {field<&BridgeWalletChallenge::address>("address", "Wallet"),
                                         field<&BridgeWalletChallenge::nonce>("nonce", "Nonce within the message"),
                                         field<&BridgeWalletChallenge::message>("message", "To be signed (EIP-191)"),
                                         field<&BridgeWalletChallenge::expires_at>("expires_at", "Unix milliseconds")};
};

struct RegisterWalletRequest {
  Address address{};
  std::string message{};
  std::string signature{};

  static constexpr FieldInfo fields[] = {
      field<&RegisterWalletRequest::address>("address", "Wallet").refused_as(ErrorCode::invalid_address),
      field<&RegisterWalletRequest::message>("message", "The challenge"),
      field<&RegisterWalletRequest::signature>("signature", "Its signature")};
};

struct BridgeWallet {
  Address address{};
  bool verified = false;
  bool is_default = false;

  static constexpr FieldInfo fields[] = {field<&BridgeWallet::address>("address", "Wallet"),
                                         field<&BridgeWallet::verified>("verified", "Challenge was signed"),
                                         field<&BridgeWallet::is_default>("is_default", "Withdrawals go here")};
};

struct BridgeWallets {
  std::vector<BridgeWallet> wallets{};

  static constexpr FieldInfo fields[] = {field<&BridgeWallets::wallets>("wallets", "Wallets")};
};

}  // namespace svc::api

// The bridge, under /api/v1 only, with its own error envelope.

namespace svc::api::ops {

struct ListBridgeAssets {
  using Request = Empty;
  using Response = BridgeAssetsResponse;
  static constexpr Operation op{.name = "list_bridge_assets",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/assets",
                                .summary = "List bridgeable chains and assets",
                                .base = PathBase::host_root,
                                .envelope = Envelope::bridge};
};

struct CreateBridgeWithdrawal {
  using Request = BridgeWithdrawalRequest;
  using Response = BridgeWithdrawal;
  static constexpr OperationError errors[] = {ErrorCode::invalid_amount,
                                              ErrorCode::amount_below_minimum,
                                              ErrorCode::idempotency_conflict,
                                              ErrorCode::withdrawal_rejected,
                                              {ErrorCode::insufficient_balance, 403},
                                              {ErrorCode::account_in_liquidation, 403},
                                              {ErrorCode::market_halted, 403},
                                              ErrorCode::bridge_step_failed,
                                              ErrorCode::bridge_withdrawals_unavailable,
                                              ErrorCode::restricted_jurisdiction,
                                              ErrorCode::us_restricted,
                                              ErrorCode::geo_unresolved};
  static constexpr Operation op{.name = "create_bridge_withdrawal",
                                .group = "bridge",
                                .method = Method::post,
                                .path = "/api/v1/bridge/withdrawals",
                                .summary = "Withdraw over the bridge",
                                .detail =
                                    "The same Idempotency-Key with the same amount is answered with the same "
                                    "withdrawal; another amount is a conflict.",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .success = 201,
                                .envelope = Envelope::bridge,
                                .errors = errors,
                                .effect = Effect::costly};
};

struct ListBridgeWithdrawals {
  using Request = BridgeWithdrawalsRequest;
  using Response = List<BridgeWithdrawal>;
  static constexpr Operation op{.name = "list_bridge_withdrawals",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/withdrawals",
                                .summary = "List the newest 100 bridge withdrawals",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge};
};

struct GetBridgeWithdrawal {
  using Request = BridgeRef;
  using Response = BridgeWithdrawal;
  static constexpr OperationError errors[] = {ErrorCode::withdrawal_not_found};
  static constexpr Operation op{.name = "get_bridge_withdrawal",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/withdrawals/{id}",
                                .summary = "Get a bridge withdrawal",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge,
                                .errors = errors};
};

struct ListBridgeDeposits {
  using Request = BridgeDepositsRequest;
  using Response = List<BridgeDeposit>;
  static constexpr Operation op{.name = "list_bridge_deposits",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/deposits",
                                .summary = "List bridge deposits, newest first",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge};
};

struct GetBridgeDeposit {
  using Request = BridgeRef;
  using Response = BridgeDeposit;
  static constexpr OperationError errors[] = {ErrorCode::deposit_not_found};
  static constexpr Operation op{.name = "get_bridge_deposit",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/deposits/{id}",
                                .summary = "Get a bridge deposit",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge,
                                .errors = errors};
};

// Bridge operations of older clients, outside the 84. (D-001)

struct CreateDepositAddress {
  using Request = DepositAddressRequest;
  using Response = BridgeDepositAddress;
  static constexpr OperationError errors[] = {ErrorCode::unsupported_chain};
  static constexpr Operation op{.name = "create_deposit_address",
                                .group = "bridge",
                                .method = Method::post,
                                .path = "/api/v1/bridge/deposit-addresses",
                                .summary = "Get the deposit address of a chain",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge,
                                .errors = errors,
                                .legacy = true};
};

struct ListDepositAddresses {
  using Request = Empty;
  using Response = List<BridgeDepositAddress>;
  static constexpr Operation op{.name = "list_deposit_addresses",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/deposit-addresses",
                                .summary = "List deposit addresses",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge,
                                .legacy = true};
};

struct CreateWalletChallenge {
  using Request = WalletChallengeRequest;
  using Response = BridgeWalletChallenge;
  static constexpr OperationError errors[] = {ErrorCode::invalid_address, ErrorCode::wallet_registration_unavailable};
  static constexpr Operation op{.name = "create_wallet_challenge",
                                .group = "bridge",
                                .method = Method::post,
                                .path = "/api/v1/bridge/wallets/challenge",
                                .summary = "Ask for a challenge to sign",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge,
                                .errors = errors,
                                .legacy = true,
                                .effect = Effect::passing};
};

struct RegisterWallet {
  using Request = RegisterWalletRequest;
  using Response = BridgeWallet;
  static constexpr OperationError errors[] = {ErrorCode::invalid_address,
                                              ErrorCode::invalid_challenge,
                                              ErrorCode::challenge_expired,
                                              ErrorCode::signature_mismatch,
                                              ErrorCode::account_mismatch,
                                              ErrorCode::wallet_already_registered,
                                              ErrorCode::wallet_registration_unavailable};
  static constexpr Operation op{.name = "register_wallet",
                                .group = "bridge",
                                .method = Method::post,
                                .path = "/api/v1/bridge/wallets",
                                .summary = "Register a wallet by its signed challenge",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge,
                                .errors = errors,
                                .legacy = true};
};

struct ListWallets {
  using Request = Empty;
  using Response = BridgeWallets;
  static constexpr Operation op{.name = "list_wallets",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/wallets",
                                .summary = "List registered wallets",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge,
                                .legacy = true};
};

}  // namespace svc::api::ops
