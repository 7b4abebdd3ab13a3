// How much synthetic credit each account took today, by whichever of its keys: an allowance per account and UTC day.
//
// (API: POST /account/credit, D-241) Thread-safe: one lock.
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

struct CreditTerms {
  Usdx daily_limit{500 * usdx_one};
};

struct Credit {
  Usdx amount;          // of this claim
  Usdx credited_today;  // this claim included
  Usdx daily_limit;
};

struct CreditRefusal {
  Usdx credited_today;
  Usdx daily_limit;
};

class CreditLedger {
 public:
  explicit CreditLedger(CreditTerms terms = {}) : terms_(terms) {}

  // Records the claim; without an amount it takes all that is left. The amount, if given, is positive.
  // The caller credits it, and takes the claim back if it could not. Refused: nothing is left, or less
  // than asked for.
  [[nodiscard]] Result<Credit, CreditRefusal> claim(const Address& account, std::optional<Usdx> amount,
                                                    TimestampMs now_ms, RecordBatch& records);
  void take_back(const Address& account, const Credit& credit, TimestampMs claimed_at_ms, RecordBatch& records);

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  // Kept as it stands here (base/archive.h), under the account's text. One of an earlier day means nothing any more,
  // nor does one that stands under the id of an API key, as they once did.
  struct Taken {
    std::int64_t day = 0;
    Usdx amount{};
  };
  void record(const Address& account, Usdx taken, RecordBatch& records) const;

  Ranked<LockRank::store> mutex_;
  const CreditTerms terms_;
  std::int64_t day_ = -1;  // UTC days since 1970 that `taken_` is about
  std::map<Address, Usdx> taken_;
};

}  // namespace svc::sim
