#pragma once

#include "api/contract/declaration.h"

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
      field<&BridgeAsset::symbol>("USDC or USDX"),
      field<&BridgeAsset::decimals>("Decimals on the chain"),
      field<&BridgeAsset::min_amount>("Smallest amount; a deposit below it is not credited"),
      field<&BridgeAsset::confirmations>("Blocks to wait for"),
      field<&BridgeAsset::fee>("Part of a withdrawal that the chain keeps; deposits have none").omit_when_empty(),
      field<&BridgeAsset::contract_address>("Token contract; null where the asset is the venue's own")};
};

struct BridgeChain {
  std::string chain{};
  std::optional<std::uint64_t> chain_id{};
  std::vector<BridgeAsset> deposit_assets{}, withdraw_assets{};

  static constexpr FieldInfo fields[] = {field<&BridgeChain::chain>("Chain"), field<&BridgeChain::chain_id>("Chain id"),
                                         field<&BridgeChain::deposit_assets>("What may come in"),
                                         field<&BridgeChain::withdraw_assets>("What may go out")};
};

struct BridgeAssetsResponse {
  std::vector<BridgeChain> chains{};

  static constexpr FieldInfo fields[] = {field<&BridgeAssetsResponse::chains>("By chain")};
};

enum class BridgeDepositStatus : std::uint8_t { detected, confirming, credited, failed };
SVC_WIRE_TEXTS(BridgeDepositStatus, "detected", "confirming", "credited", "failed");

struct BridgeDepositsRequest {
  std::uint32_t limit = 100;
  std::optional<std::string> chain{}, asset{};
  std::optional<BridgeDepositStatus> status{};

  static constexpr FieldInfo fields[] = {field<&BridgeDepositsRequest::limit>("Rows").page_of_at_most(100),
                                         field<&BridgeDepositsRequest::chain>("Only this chain").query(),
                                         field<&BridgeDepositsRequest::asset>("Only this asset").query(),
                                         field<&BridgeDepositsRequest::status>("Only this status").query()};
};

struct BridgeDeposit {
  std::string id{};
  Address account_id{};
  std::string chain{}, asset{};
  DecimalText amount{};
  std::string address{};
  BridgeDepositStatus status = BridgeDepositStatus::detected;
  std::optional<std::uint32_t> confirmations{}, required_confirmations{};
  std::optional<std::string> tx_hash{};
  TimestampMs created_at = 0, updated_at = 0;
  std::optional<TimestampMs> credited_at{};

  static constexpr FieldInfo fields[] = {
      field<&BridgeDeposit::id>("Deposit id"),
      field<&BridgeDeposit::account_id>("Account credited"),
      field<&BridgeDeposit::chain>("Chain"),
      field<&BridgeDeposit::asset>("Asset"),
      field<&BridgeDeposit::amount>("Amount; a unit of any asset that is taken is credited as 1 USDX"),
      field<&BridgeDeposit::address>("Deposit address"),
      field<&BridgeDeposit::status>(
          "detected: seen, without a block; confirming; credited at the last confirmation; failed: never credited"),
      field<&BridgeDeposit::confirmations>("Blocks so far"),
      field<&BridgeDeposit::required_confirmations>("Blocks to wait for"),
      field<&BridgeDeposit::tx_hash>("Transaction"),
      field<&BridgeDeposit::created_at>("Unix milliseconds"),
      field<&BridgeDeposit::updated_at>("Unix milliseconds"),
      field<&BridgeDeposit::credited_at>("Unix milliseconds")};
};

struct BridgeRef {
  std::string id{};

  static constexpr FieldInfo fields[] = {field<&BridgeRef::id>("Id").path()};
};

// (D-135)
struct BridgeWithdrawalRequest {
  std::string idempotency_key{};
  DecimalText amount{};

  static constexpr FieldInfo fields[] = {
      field<&BridgeWithdrawalRequest::idempotency_key>(
          "Idempotency-Key",
          "1 to 255 characters, good for 24 hours: the same key and amount return the first answer again, with another "
          "amount they are a conflict. Only a withdrawal that was accepted uses its key up")
          .header(),
      field<&BridgeWithdrawalRequest::amount>("A whole number of 0.000001 USDX, the chain's fee included")
          .refused_as(ErrorCode::invalid_amount)};
};

enum class BridgeWithdrawalStatus : std::uint8_t { pending, completed, failed };
SVC_WIRE_TEXTS(BridgeWithdrawalStatus, "pending", "completed", "failed");

struct BridgeWithdrawalsRequest {
  std::optional<BridgeWithdrawalStatus> status{};

  static constexpr FieldInfo fields[] = {field<&BridgeWithdrawalsRequest::status>("Only this status").query()};
};

// (D-135, D-291)
struct BridgeWithdrawal {
  std::string id{};
  Address account_id{};
  std::string chain{}, asset{};
  DecimalText amount{}, fee{};
  std::string address{};
  BridgeWithdrawalStatus status = BridgeWithdrawalStatus::pending;
  std::optional<std::uint32_t> confirmations{}, required_confirmations{};
  std::optional<std::string> tx_hash{};
  TimestampMs created_at = 0, updated_at = 0;
  std::optional<TimestampMs> completed_at{};

  static constexpr FieldInfo fields[] = {
      field<&BridgeWithdrawal::id>("Withdrawal id, wdl_…"),
      field<&BridgeWithdrawal::account_id>("Account charged"),
      field<&BridgeWithdrawal::chain>("Chain"),
      field<&BridgeWithdrawal::asset>("Asset"),
      field<&BridgeWithdrawal::amount>("What the account paid: a whole number of 0.000001 USDX"),
      field<&BridgeWithdrawal::fee>("Part of it that the chain keeps, likewise"),
      field<&BridgeWithdrawal::address>(
          "Where it goes: the account's default registered wallet, else the account's own address"),
      field<&BridgeWithdrawal::status>("The venue's part is done when it is accepted: the account has paid and the "
                                       "transaction is sent. pending: the chain confirms; completed: confirmed; "
                                       "failed: the money is back in the account, as a deposit of its own"),
      field<&BridgeWithdrawal::confirmations>("Blocks so far"),
      field<&BridgeWithdrawal::required_confirmations>("Blocks to wait for"),
      field<&BridgeWithdrawal::tx_hash>("Transaction"),
      field<&BridgeWithdrawal::created_at>("Unix milliseconds"),
      field<&BridgeWithdrawal::updated_at>("Unix milliseconds, of the latest confirmation or decision"),
      field<&BridgeWithdrawal::completed_at>("Unix milliseconds; null unless completed")};
};

// Deposit addresses and wallets of the bridge: operations for older clients.

struct DepositAddressRequest {
  std::string chain{};

  static constexpr FieldInfo fields[] = {field<&DepositAddressRequest::chain>("Chain")};
};

struct BridgeDepositAddress {
  std::string address{}, chain{};
  std::vector<std::string> accepts{};
  Address account_id{};
  TimestampMs created_at = 0;

  static constexpr FieldInfo fields[] = {
      field<&BridgeDepositAddress::address>("Deposit address"), field<&BridgeDepositAddress::chain>("Chain"),
      field<&BridgeDepositAddress::accepts>("Symbols"), field<&BridgeDepositAddress::account_id>("Account credited"),
      field<&BridgeDepositAddress::created_at>("Unix milliseconds")};
};

struct WalletChallengeRequest {
  Address address{};

  static constexpr FieldInfo fields[] = {
      field<&WalletChallengeRequest::address>("Wallet").refused_as(ErrorCode::invalid_address)};
};

struct BridgeWalletChallenge {
  Address address{};
  std::string nonce{}, message{};
  TimestampMs expires_at = 0;

  static constexpr FieldInfo fields[] = {field<&BridgeWalletChallenge::address>("Wallet"),
                                         field<&BridgeWalletChallenge::nonce>("Nonce within the message"),
                                         field<&BridgeWalletChallenge::message>("To be signed (EIP-191)"),
                                         field<&BridgeWalletChallenge::expires_at>("Unix milliseconds")};
};

struct RegisterWalletRequest {
  Address address{};
  std::string message{}, signature{};

  static constexpr FieldInfo fields[] = {
      field<&RegisterWalletRequest::address>("Wallet").refused_as(ErrorCode::invalid_address),
      field<&RegisterWalletRequest::message>("The challenge"),
      field<&RegisterWalletRequest::signature>("Its signature")};
};

struct BridgeWallet {
  Address address{};
  bool verified = false, is_default = false;

  static constexpr FieldInfo fields[] = {field<&BridgeWallet::address>("Wallet"),
                                         field<&BridgeWallet::verified>("Challenge was signed"),
                                         field<&BridgeWallet::is_default>("Withdrawals go here")};
};

struct BridgeWallets {
  std::vector<BridgeWallet> wallets{};

  static constexpr FieldInfo fields[] = {field<&BridgeWallets::wallets>("Wallets")};
};

}  // namespace svc::api

// The bridge, under /api/v1 only, with its own error envelope.

namespace svc::api::ops {

inline constexpr Area bridge{"bridge", PathBase::host_root, Envelope::bridge};

struct ListBridgeAssets : Records<Empty, BridgeAssetsResponse> {
  static constexpr Operation op =
      bridge(get, "list_bridge_assets", "/api/v1/bridge/assets", "List bridgeable chains and assets");
};

struct CreateBridgeWithdrawal : Records<BridgeWithdrawalRequest, BridgeWithdrawal> {
  static constexpr Operation op =
      bridge(post, "create_bridge_withdrawal", "/api/v1/bridge/withdrawals", "Withdraw over the bridge",
             "The same Idempotency-Key with the same amount is answered with the same withdrawal; another amount is a "
             "conflict.",
             Auth::hmac, Success::created,
             refuses<invalid_amount, amount_below_minimum, idempotency_conflict, withdrawal_rejected,
                     OperationError(insufficient_balance, 403), OperationError(account_in_liquidation, 403),
                     OperationError(market_halted, 403), bridge_step_failed, bridge_withdrawals_unavailable,
                     restricted_jurisdiction, us_restricted, geo_unresolved>,
             Effect::costly);
};

struct ListBridgeWithdrawals : Records<BridgeWithdrawalsRequest, List<BridgeWithdrawal>> {
  static constexpr Operation op = bridge(get, "list_bridge_withdrawals", "/api/v1/bridge/withdrawals",
                                         "List the newest 100 bridge withdrawals", Auth::hmac);
};

struct GetBridgeWithdrawal : Records<BridgeRef, BridgeWithdrawal> {
  static constexpr Operation op = bridge(get, "get_bridge_withdrawal", "/api/v1/bridge/withdrawals/{id}",
                                         "Get a bridge withdrawal", Auth::hmac, refuses<withdrawal_not_found>);
};

struct ListBridgeDeposits : Records<BridgeDepositsRequest, List<BridgeDeposit>> {
  static constexpr Operation op =
      bridge(get, "list_bridge_deposits", "/api/v1/bridge/deposits", "List bridge deposits, newest first", Auth::hmac);
};

struct GetBridgeDeposit : Records<BridgeRef, BridgeDeposit> {
  static constexpr Operation op = bridge(get, "get_bridge_deposit", "/api/v1/bridge/deposits/{id}",
                                         "Get a bridge deposit", Auth::hmac, refuses<deposit_not_found>);
};

// Bridge operations of older clients, outside the 84. (D-001)

struct CreateDepositAddress : Records<DepositAddressRequest, BridgeDepositAddress> {
  static constexpr Operation op =
      bridge(post, "create_deposit_address", "/api/v1/bridge/deposit-addresses", "Get the deposit address of a chain",
             Auth::hmac, refuses<unsupported_chain>, Legacy::yes);
};

struct ListDepositAddresses : Records<Empty, List<BridgeDepositAddress>> {
  static constexpr Operation op = bridge(get, "list_deposit_addresses", "/api/v1/bridge/deposit-addresses",
                                         "List deposit addresses", Auth::hmac, Legacy::yes);
};

struct CreateWalletChallenge : Records<WalletChallengeRequest, BridgeWalletChallenge> {
  static constexpr Operation op =
      bridge(post, "create_wallet_challenge", "/api/v1/bridge/wallets/challenge", "Ask for a challenge to sign",
             Auth::hmac, refuses<invalid_address, wallet_registration_unavailable>, Legacy::yes, Effect::passing);
};

struct RegisterWallet : Records<RegisterWalletRequest, BridgeWallet> {
  static constexpr Operation op =
      bridge(post, "register_wallet", "/api/v1/bridge/wallets", "Register a wallet by its signed challenge", Auth::hmac,
             refuses<invalid_address, invalid_challenge, challenge_expired, signature_mismatch, account_mismatch,
                     wallet_already_registered, wallet_registration_unavailable>,
             Legacy::yes);
};

struct ListWallets : Records<Empty, BridgeWallets> {
  static constexpr Operation op =
      bridge(get, "list_wallets", "/api/v1/bridge/wallets", "List registered wallets", Auth::hmac, Legacy::yes);
};

}  // namespace svc::api::ops
