// Deposit addresses and wallets of the bridge: operations that older clients still call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/record.h"
#include "api/records/page.h"
#include "base/address.h"
#include "base/clock.h"

namespace svc::api {

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
