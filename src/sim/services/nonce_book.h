// The nonces that signers have spent: one strictly increasing sequence per signer address.
//
// Agent-signed requests and signed actions of one address share its sequence. A nonce is spent once its
// signature verified, whatever becomes of the request. (API: Signed trading actions, D-233)
//
// Only signers that belong to an account are entered, so the book is no larger than the accounts and
// their agents. Thread-safe: one lock, held for one look-up.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/address.h"
#include "base/lock_order.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

class NonceBook {
 public:
  // `table` is where the book is kept.
  explicit NonceBook(RecordTable table = RecordTable::nonces) : table_(table) {}

  // Compares every nonce with the signer's highest spent so far and keeps the highest of all. True if
  // each was higher. Nonces of one request are spent in one call, so that none is held against another.
  [[nodiscard]] bool spend(const Address& signer, std::initializer_list<std::uint64_t> nonces, RecordBatch& records);

  [[nodiscard]] std::optional<std::uint64_t> highest(const Address& signer) const;

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  const RecordTable table_;
  mutable Ranked<LockRank::store> mutex_;
  std::unordered_map<Address, std::uint64_t> highest_;
};

}  // namespace svc::sim
