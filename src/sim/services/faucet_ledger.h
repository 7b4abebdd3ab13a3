// Who claimed play money when: one claim per account in 24 hours, up to a total for its lifetime.
//
// The amounts are settings of a deployment. (API: faucet; D-240) Thread-safe: one lock.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "base/address.h"
#include "base/clock.h"
#include "base/fixed.h"
#include "base/lock_order.h"
#include "base/result.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

struct FaucetTerms {
  Usdx amount{1'000 * usdx_one};          // of one claim
  std::int64_t cooldown_ms = day_ms;      // from one claim to the next
  Usdx lifetime_cap{100'000 * usdx_one};  // of all claims of an account
};

struct FaucetClaim {
  Usdx amount;
  TimestampMs available_at_ms = 0;  // when the account may claim again
};

struct FaucetRefusal {
  bool capped = false;                              // the total is used up: waiting does not help
  std::optional<TimestampMs> available_at_ms = {};  // otherwise: when the cooldown ends
};

class FaucetLedger {
 public:
  explicit FaucetLedger(FaucetTerms terms = {}) : terms_(terms) {}

  // Records the claim; the caller credits the amount, and takes the claim back if it could not.
  [[nodiscard]] Result<FaucetClaim, FaucetRefusal> claim(const Address& account, TimestampMs now_ms,
                                                         RecordBatch& records);
  void take_back(const Address& account, const FaucetClaim& claim, RecordBatch& records);

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  // Kept as it stands here (base/archive.h), under the account.
  struct History {
    Usdx total{};
    std::optional<TimestampMs> available_at_ms{};
  };

  Ranked<LockRank::store> mutex_;
  const FaucetTerms terms_;
  std::map<Address, History> history_;
};

}  // namespace svc::sim
