// Wallets that an account registered for bridge withdrawals: it proves ownership by signing a challenge. The first
// wallet is the default, to which bridge withdrawals go. (API of older clients)
//
// A challenge is valid for one registration within limits::wallet_challenge_lifetime_ms. Challenges are stored, so
// that a restart never repeats one. Thread-safe: one lock, held for one look-up.
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
#include "sim/sequencer/schedule.h"
#include "sim/services/chain_movements.h"

namespace svc::sim {

// Stored in this form (base/archive.h).
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

  WalletChallenge challenge(const Address& account, const Address& wallet, TimestampMs now_ms, RecordBatch& records);
  // Registering a wallet again changes nothing. Returns whether it is the default.
  Result<bool, WalletRefusal> add(const Address& account, const Address& wallet, std::string_view message,
                                  std::string_view signature, TimestampMs now_ms, RecordBatch& records);
  // In the order of registration: the first is the default.
  [[nodiscard]] std::vector<Address> of(const Address& account) const;

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

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
  DepositAddress open(const Address& account, TimestampMs now_ms, RecordBatch& records);
  [[nodiscard]] std::optional<DepositAddress> of(const Address& account) const;
  // The owner of an opened deposit address.
  [[nodiscard]] std::optional<Address> owner_of(const Address& deposit_address) const;
  // The account's deposit address, opened or not.
  [[nodiscard]] Address address_of(const Address& account) const;

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

 private:
  const std::string chain_;
  mutable Ranked<LockRank::store> mutex_;
  std::map<Address, TimestampMs> opened_;  // by account
  std::map<Address, Address> owners_;      // by deposit address
};

// Bridge deposits are credited by the clock: each at the instant of its last confirmation, in order with everything
// else, so that a jump of the clock has the same effect as waiting. A deposit below the chain's minimum fails at
// that instant instead. (D-292)
//
// Thread-safe as far as `movements` is; timed work comes on the writer's thread.

class BridgeDeposits final : public TimedWork {
 public:
  explicit BridgeDeposits(Usdx min_amount) : min_amount_(min_amount) {}

  ChainMovements movements{RecordTable::bridge_deposits, "dep_", Finality::by_decision};

  [[nodiscard]] std::optional<Due> next_due(TimestampMs now_ms) override;
  void done(const Due& due, engine::Reject outcome) override;

 private:
  const Usdx min_amount_;
  std::optional<ChainMovement> refused_;  // by the engine: its failure is not logged yet
};

}  // namespace svc::sim
