// Which Idempotency-Key of which account stands for which bridge withdrawal, for as long as a key lives
// (limits::idempotency_key_lifetime_ms). Afterwards it is as good as new. (D-293)
//
// Thread-safe: one lock, held for one look-up.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/clock.h"
#include "base/fixed.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "sim/sequencer/record.h"
#include "sim/services/chain_movements.h"

namespace svc::sim {

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
  // True while the account has as many live keys as it may have.
  [[nodiscard]] bool is_full(const Address& account, TimestampMs now_ms) const;

  // Whether every key that lives stands for a withdrawal that is there.
  [[nodiscard]] bool stand_for(const ChainMovements& withdrawals, TimestampMs now_ms) const;

  // What the log is to keep: sent along with the withdrawal, and put() once that was accepted. Keys of the
  // account that are over go, and are added to the records.
  [[nodiscard]] static RecordChange row(const Address& account, std::string_view key, const KeyedRequest& request);
  void put(const Address& account, std::string_view key, const KeyedRequest& request, RecordBatch& records);

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  using OfAccount = std::map<std::string, KeyedRequest, std::less<>>;

  const std::size_t keys_max_;
  mutable Ranked<LockRank::store> mutex_;
  std::map<Address, OfAccount> by_account_;
};

}  // namespace svc::sim
