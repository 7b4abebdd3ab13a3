// Spent nonces: one strictly increasing sequence per signer address.
//
// Agent-signed requests and signed actions of one address share its sequence. A nonce is spent once its signature
// is verified, whatever becomes of the request. (API: Signed trading actions, D-233)
//
// Only signers that belong to an account are entered, so the book is no larger than the accounts and their agents.
// Thread-safe: one lock, held for one look-up.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/address.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "sim/sequencer/record.h"
#include "sim/services/chain_movements.h"

namespace svc::sim {

class NonceBook {
 public:
  // `table` is where the book is stored.
  explicit NonceBook(RecordTable table = RecordTable::nonces) : table_(table) {}

  // Compares every nonce with the signer's highest spent nonce so far and keeps the new maximum. True if each was
  // higher. The nonces of one request are spent in one call, so that they do not conflict with each other.
  [[nodiscard]] bool spend(const Address& signer, std::initializer_list<std::uint64_t> nonces, RecordBatch& records);

  [[nodiscard]] std::optional<std::uint64_t> highest(const Address& signer) const;

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

 private:
  const RecordTable table_;
  mutable Ranked<LockRank::store> mutex_;
  std::unordered_map<Address, std::uint64_t> highest_;
};

// Maps an account's Idempotency-Key to its bridge withdrawal, for the lifetime of the key
// (limits::idempotency_key_lifetime_ms). Afterwards the key is unused again. (D-293)

struct KeyedRequest {
  Usdx amount{};
  std::uint64_t withdrawal = 0;  // its number
  TimestampMs first_used_ms = 0;
};

class IdempotencyKeys {
 public:
  explicit IdempotencyKeys(std::size_t keys_max = limits::idempotency_keys_max) : keys_max_(keys_max) {}

  [[nodiscard]] std::optional<KeyedRequest> find(const Address& account, std::string_view key,
                                                 TimestampMs now_ms) const;
  // True if the account has the maximum number of live keys.
  [[nodiscard]] bool is_full(const Address& account, TimestampMs now_ms) const;

  // Whether every live key refers to an existing withdrawal.
  [[nodiscard]] bool stand_for(const ChainMovements& withdrawals, TimestampMs now_ms) const;

  // The row for the log: logged with the withdrawal, and put() once that was accepted. Expired keys of the account
  // are removed, and their changes added to the records.
  [[nodiscard]] static RecordChange row(const Address& account, std::string_view key, const KeyedRequest& request);
  void put(const Address& account, std::string_view key, const KeyedRequest& request, RecordBatch& records);

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

 private:
  using OfAccount = std::map<std::string, KeyedRequest, std::less<>>;

  const std::size_t keys_max_;
  mutable Ranked<LockRank::store> mutex_;
  std::map<Address, OfAccount> by_account_;
};

}  // namespace svc::sim
