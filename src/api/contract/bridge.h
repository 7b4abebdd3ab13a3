#pragma once

#include "api/contract/declaration.h"

// The bridge from and to other chains; served under /api/v1 only.

namespace svc::api {

SVC_RECORD(BridgeAsset,
    (std::string, symbol, {}, "USDC or USDX")
    (std::uint32_t, decimals, = 6, "Decimals on the chain")
    (DecimalText, min_amount, {}, "Smallest amount; a deposit below it is not credited")
    (std::uint32_t, confirmations, = 0, "Blocks to wait for")
    (std::optional<DecimalText>, fee, {},
     "Part of a withdrawal that the chain keeps; deposits have none", .omit_when_empty())
    (std::optional<std::string>, contract_address, {}, "Token contract; null where the asset is the venue's own"));

SVC_RECORD(BridgeChain,
    (std::string, chain, {}, "Chain")
    (std::optional<std::uint64_t>, chain_id, {}, "Chain id")
    (std::vector<BridgeAsset>, deposit_assets, {}, "What may come in")
    (std::vector<BridgeAsset>, withdraw_assets, {}, "What may go out"));

SVC_RECORD(BridgeAssetsResponse, (std::vector<BridgeChain>, chains, {}, "By chain"));

enum class BridgeDepositStatus : std::uint8_t { detected, confirming, credited, failed };
SVC_WIRE_TEXTS(BridgeDepositStatus, "detected", "confirming", "credited", "failed");

SVC_RECORD(BridgeDepositsRequest,
    (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(100))
    (std::optional<std::string>, chain, {}, "Only this chain", .query())
    (std::optional<std::string>, asset, {}, "Only this asset", .query())
    (std::optional<BridgeDepositStatus>, status, {}, "Only this status", .query()));

SVC_RECORD(BridgeDeposit,
    (std::string, id, {}, "Deposit id")
    (Address, account_id, {}, "Account credited")
    (std::string, chain, {}, "Chain")
    (std::string, asset, {}, "Asset")
    (DecimalText, amount, {}, "Amount; a unit of any asset that is taken is credited as 1 USDX")
    (std::string, address, {}, "Deposit address")
    (BridgeDepositStatus, status, = BridgeDepositStatus::detected,
     "detected: seen, without a block; confirming; credited at the last confirmation; failed: never credited")
    (std::optional<std::uint32_t>, confirmations, {}, "Blocks so far")
    (std::optional<std::uint32_t>, required_confirmations, {}, "Blocks to wait for")
    (std::optional<std::string>, tx_hash, {}, "Transaction")
    (TimestampMs, created_at, = 0, "Unix milliseconds")
    (TimestampMs, updated_at, = 0, "Unix milliseconds")
    (std::optional<TimestampMs>, credited_at, {}, "Unix milliseconds"));

SVC_RECORD(BridgeRef, (std::string, id, {}, "Id", .path()));

// (D-135)
SVC_RECORD(BridgeWithdrawalRequest,
    (std::string, idempotency_key, {},
     "1 to 255 printable characters without blanks, good for 24 hours: the same key and amount return the first answer "
     "again, with another amount they are a conflict. Only a withdrawal that was accepted uses its key up",
     .named("Idempotency-Key").header())
    (DecimalText, amount, {},
     "A whole number of 0.000001 USDX, the chain's fee included", .refused_as(ErrorCode::invalid_amount)));

enum class BridgeWithdrawalStatus : std::uint8_t { pending, completed, failed };
SVC_WIRE_TEXTS(BridgeWithdrawalStatus, "pending", "completed", "failed");

// The list has no pages: it shows the newest.
inline constexpr std::uint32_t bridge_withdrawals_listed_max = 100;

SVC_RECORD(BridgeWithdrawalsRequest, (std::optional<BridgeWithdrawalStatus>, status, {}, "Only this status", .query()));

// (D-135, D-291)
SVC_RECORD(BridgeWithdrawal,
    (std::string, id, {}, "Withdrawal id, wdl_…")
    (Address, account_id, {}, "Account charged")
    (std::string, chain, {}, "Chain")
    (std::string, asset, {}, "Asset")
    (DecimalText, amount, {}, "What the account paid: a whole number of 0.000001 USDX")
    (DecimalText, fee, {}, "Part of it that the chain keeps, likewise")
    (std::string, address, {}, "Where it goes: the account's default registered wallet, else the account's own address")
    (BridgeWithdrawalStatus, status, = BridgeWithdrawalStatus::pending,
     "The venue's part is done when it is accepted: the account has paid and the transaction is sent. pending: the "
     "chain confirms; completed: confirmed; failed: the money is back in the account, as a deposit of its own")
    (std::optional<std::uint32_t>, confirmations, {}, "Blocks so far")
    (std::optional<std::uint32_t>, required_confirmations, {}, "Blocks to wait for")
    (std::optional<std::string>, tx_hash, {}, "Transaction")
    (TimestampMs, created_at, = 0, "Unix milliseconds")
    (TimestampMs, updated_at, = 0, "Unix milliseconds, of the latest confirmation or decision")
    (std::optional<TimestampMs>, completed_at, {}, "Unix milliseconds; null unless completed"));

// Deposit addresses and wallets of the bridge: operations for older clients.

SVC_RECORD(DepositAddressRequest, (std::string, chain, {}, "Chain"));

SVC_RECORD(BridgeDepositAddress,
    (std::string, address, {}, "Deposit address")
    (std::string, chain, {}, "Chain")
    (std::vector<std::string>, accepts, {}, "Symbols")
    (Address, account_id, {}, "Account credited")
    (TimestampMs, created_at, = 0, "Unix milliseconds"));

SVC_RECORD(WalletChallengeRequest, (Address, address, {}, "Wallet", .refused_as(ErrorCode::invalid_address)));

SVC_RECORD(BridgeWalletChallenge,
    (Address, address, {}, "Wallet")
    (std::string, nonce, {}, "Nonce within the message")
    (std::string, message, {}, "To be signed (EIP-191)")
    (TimestampMs, expires_at, = 0, "Unix milliseconds"));

SVC_RECORD(RegisterWalletRequest,
    (Address, address, {}, "Wallet", .refused_as(ErrorCode::invalid_address))
    (std::string, message, {}, "The challenge")
    (std::string, signature, {}, "Its signature"));

SVC_RECORD(BridgeWallet,
    (Address, address, {}, "Wallet")
    (bool, verified, = false, "Challenge was signed")
    (bool, is_default, = false, "Withdrawals go here"));

SVC_RECORD(BridgeWallets, (std::vector<BridgeWallet>, wallets, {}, "Wallets"));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area bridge{"bridge", PathBase::host_root, Envelope::bridge};

SVC_OPERATIONS(BridgeOperations,
    (ListBridgeAssets, Empty, BridgeAssetsResponse, bridge, get, "list_bridge_assets", "/api/v1/bridge/assets",
     "List bridgeable chains and assets")
    (CreateBridgeWithdrawal, BridgeWithdrawalRequest, BridgeWithdrawal, bridge, post, "create_bridge_withdrawal",
     "/api/v1/bridge/withdrawals", "Withdraw over the bridge",
     "The same Idempotency-Key with the same amount is answered with the same withdrawal; another amount is a "
     "conflict.", Auth::hmac, Success::created, refuses<amount_below_minimum, idempotency_conflict, withdrawal_rejected,
     OperationError(insufficient_balance, 403), OperationError(account_in_liquidation, 403),
     OperationError(market_halted, 403), bridge_step_failed, bridge_withdrawals_unavailable, us_restricted,
     geo_unresolved>, Effect::costly)
    (ListBridgeWithdrawals, BridgeWithdrawalsRequest, List<BridgeWithdrawal>, bridge, get, "list_bridge_withdrawals",
     "/api/v1/bridge/withdrawals", "List the newest 100 bridge withdrawals", Auth::hmac)
    (GetBridgeWithdrawal, BridgeRef, BridgeWithdrawal, bridge, get, "get_bridge_withdrawal",
     "/api/v1/bridge/withdrawals/{id}", "Get a bridge withdrawal", Auth::hmac, refuses<withdrawal_not_found>)
    (ListBridgeDeposits, BridgeDepositsRequest, List<BridgeDeposit>, bridge, get, "list_bridge_deposits",
     "/api/v1/bridge/deposits", "List bridge deposits, newest first", Auth::hmac)
    (GetBridgeDeposit, BridgeRef, BridgeDeposit, bridge, get, "get_bridge_deposit", "/api/v1/bridge/deposits/{id}",
     "Get a bridge deposit", Auth::hmac, refuses<deposit_not_found>));

// Bridge operations of older clients, not among the API's. (D-001)
SVC_OPERATIONS(LegacyOperations,
    (CreateDepositAddress, DepositAddressRequest, BridgeDepositAddress, bridge, post, "create_deposit_address",
     "/api/v1/bridge/deposit-addresses", "Get the deposit address of a chain", Auth::hmac, refuses<unsupported_chain>,
     Legacy::yes)
    (ListDepositAddresses, Empty, List<BridgeDepositAddress>, bridge, get, "list_deposit_addresses",
     "/api/v1/bridge/deposit-addresses", "List deposit addresses", Auth::hmac, Legacy::yes)
    (CreateWalletChallenge, WalletChallengeRequest, BridgeWalletChallenge, bridge, post, "create_wallet_challenge",
     "/api/v1/bridge/wallets/challenge", "Ask for a challenge to sign", Auth::hmac,
     refuses<wallet_registration_unavailable>, Legacy::yes, Effect::passing)
    (RegisterWallet, RegisterWalletRequest, BridgeWallet, bridge, post, "register_wallet", "/api/v1/bridge/wallets",
     "Register a wallet by its signed challenge", Auth::hmac, refuses<invalid_challenge, challenge_expired,
     signature_mismatch, account_mismatch, wallet_already_registered, wallet_registration_unavailable>, Legacy::yes)
    (ListWallets, Empty, BridgeWallets, bridge, get, "list_wallets", "/api/v1/bridge/wallets",
     "List registered wallets", Auth::hmac, Legacy::yes));

}  // namespace svc::api::ops
