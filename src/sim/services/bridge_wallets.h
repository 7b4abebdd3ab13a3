// Wallets that an account registered for what comes out of the bridge: it proves that it holds one by signing
// a challenge. The first is the default, to which bridge withdrawals go. (API of older clients)
//
// A challenge is good for one registration within limits::wallet_challenge_lifetime_ms. Challenges are kept,
// so that a restart issues none a second time. Thread-safe: one lock, held for one look-up.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "base/result.h"
#include "signing/hash.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

// Kept as it stands here (base/archive.h).
struct WalletChallenge {
  std::uint64_t number = 0;
  Address account{};
  Address wallet{};
  std::string nonce{};
  std::string message{};  // what the wallet signs (EIP-191)
  TimestampMs expires_ms = 0;
};

// In the order in which they are checked.
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
  // `purpose` tells networks apart within the messages: "testnet".
  explicit BridgeWallets(std::string_view purpose) : purpose_(purpose) {}

  WalletChallenge challenge(const Address& account, const Address& wallet, TimestampMs now_ms, RecordBatch& records);
  // Registering a wallet again changes nothing. Answers whether it is the default.
  Result<bool, WalletRefusal> add(const Address& account, const Address& wallet, std::string_view message,
                                  std::string_view signature, TimestampMs now_ms, RecordBatch& records);
  // In the order of registration: the first is the default.
  [[nodiscard]] std::vector<Address> of(const Address& account) const;

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  void insert(const WalletChallenge& challenge);
  void void_challenge(const std::string& message, RecordBatch& records);

  const std::string purpose_;
  mutable Ranked<LockRank::store> mutex_;
  std::uint64_t last_number_ = 0;
  std::map<std::string, WalletChallenge> challenges_;  // by message
  std::map<Address, std::deque<std::string>> issued_;  // by account, oldest first
  std::map<Address, Address> owners_;                  // by wallet
  std::map<Address, std::vector<Address>> wallets_;    // by account
};

}  // namespace svc::sim
