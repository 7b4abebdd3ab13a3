// Bridge operations of older clients, outside the 84. (D-001)
#pragma once

#include "api/operation.h"
#include "api/records/bridge_legacy.h"

namespace svc::api::ops {

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
                                .legacy = true};
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
