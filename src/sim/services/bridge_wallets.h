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
#include "sim/sequencer/schedule.h"
#include "sim/services/chain_movements.h"

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

// The address on the chain at which an account is paid, and since when it was asked for. The chain is the
// sandbox's own, so its addresses are made up from the account and nobody holds their keys.
//
// Thread-safe: one lock, held for one look-up.

struct DepositAddress {
  Address address{};
  Address account{};
  TimestampMs created_ms = 0;
};

class BridgeAddresses {
 public:
  explicit BridgeAddresses(std::string_view chain) : chain_(chain) {}

  // The first call for an account creates it, later ones answer the same.
  DepositAddress open(const Address& account, TimestampMs now_ms, RecordBatch& records);
  [[nodiscard]] std::optional<DepositAddress> of(const Address& account) const;
  // Whose it is, once it was opened.
  [[nodiscard]] std::optional<Address> owner_of(const Address& deposit_address) const;
  // What it is, opened or not.
  [[nodiscard]] Address address_of(const Address& account) const;

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  const std::string chain_;
  mutable Ranked<LockRank::store> mutex_;
  std::map<Address, TimestampMs> opened_;  // by account
  std::map<Address, Address> owners_;      // by deposit address
};

// Bridge deposits are credited by the clock: each at the instant of its last confirmation, between whatever
// else happens then, so that a jump of the clock leaves the same trace as waiting. One below the chain's
// minimum is failed at that instant instead. (D-292)
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
  std::optional<ChainMovement> refused_;  // by the engine: its failure is yet to be logged
};

}  // namespace svc::sim
