// Wallets that an account registered for bridge withdrawals: it proves ownership by signing a challenge. The first
// wallet is the default, to which bridge withdrawals go. (API of older clients)
//
// A challenge is valid for one registration within limits::wallet_challenge_lifetime_ms. Challenges are stored, so
// that a restart never repeats one. Part of ServicesState: changed by the single writer alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/result.h"

namespace svc::sim {

struct WalletChallenge {
  std::uint64_t number = 0;
  Address account{};
  Address wallet{};
  std::string nonce{};
  std::string message{};  // what the wallet signs (EIP-191)
  TimestampMs expires_ms = 0;
};

// In the order of checks.
enum class WalletRefusal : std::uint8_t {
  unknown_challenge,  // no such message was issued for this wallet, or it was used
  account_mismatch,   // it was issued to another account
  challenge_expired,
  signature_mismatch,  // not signed by the wallet
  registered_already,  // by another account
  too_many,            // limits::bridge_wallets_max
};

class BridgeWallets {
 public:
  // `purpose` distinguishes networks within the messages: "testnet".
  explicit BridgeWallets(std::string_view purpose) : purpose_(purpose) {}

  WalletChallenge challenge(const Address& account, const Address& wallet, TimestampMs now_ms);
  // `signer`: who signed the message as a personal message, if anybody. Registering a wallet again changes nothing.
  // Returns whether it is the default.
  [[nodiscard]] Result<bool, WalletRefusal> add(const Address& account, const Address& wallet,
                                                const std::string& message, const std::optional<Address>& signer,
                                                TimestampMs now_ms);
  // In the order of registration: the first is the default.
  [[nodiscard]] std::vector<Address> of(const Address& account) const;

  template <class Archive>
  void archive(Archive& archive) {
    archive(last_number_, challenges_, wallets_);
    archive.check([&] { return index(); });
  }

 private:
  // False if a row is invalid.
  [[nodiscard]] bool index();
  void void_challenge(const std::string& message);

  std::string purpose_;
  std::uint64_t last_number_ = 0;
  std::map<std::string, WalletChallenge> challenges_;  // by message
  std::map<Address, std::map<std::uint64_t, std::string>> issued_;  // by account and number
  std::map<Address, Address> owners_;                  // by wallet
  std::map<Address, std::vector<Address>> wallets_;    // by account
};

// The deposit address of an account on the chain, and when it was requested. The chain is the sandbox's own, so the
// addresses are derived from the account and nobody holds their keys.

struct DepositAddress {
  Address address{};
  Address account{};
  TimestampMs created_ms = 0;
};

class BridgeAddresses {
 public:
  explicit BridgeAddresses(std::string_view chain) : chain_(chain) {}

  // The first call for an account creates it, later ones return the same.
  DepositAddress open(const Address& account, TimestampMs now_ms);
  [[nodiscard]] std::optional<DepositAddress> of(const Address& account) const;
  // The owner of an opened deposit address.
  [[nodiscard]] std::optional<Address> owner_of(const Address& deposit_address) const;
  // The account's deposit address, opened or not.
  [[nodiscard]] Address address_of(const Address& account) const;

  template <class Archive>
  void archive(Archive& archive) {
    archive(opened_);
    archive.check([&] { return index(); });
  }

 private:
  // False if a row is invalid.
  [[nodiscard]] bool index();

  std::string chain_;
  std::map<std::pair<Address, std::string>, TimestampMs> opened_;  // by account and chain
  std::map<Address, Address> owners_;                              // by deposit address, of this chain
};

}  // namespace svc::sim
