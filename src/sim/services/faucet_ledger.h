// Faucet claims: one per account in 24 hours, up to a lifetime total.
//
// The amounts are settings of a deployment. (API: faucet; D-240) Thread-safe: one lock.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "base/address.h"
#include "base/clock.h"
#include "base/decimal.h"
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
  bool capped = false;                              // the lifetime total is used up: waiting does not help
  std::optional<TimestampMs> available_at_ms = {};  // otherwise: when the cooldown ends
};

class FaucetLedger {
 public:
  explicit FaucetLedger(FaucetTerms terms = {}) : terms_(terms) {}

  // Records the claim; the caller credits the amount, or takes the claim back if it cannot.
  [[nodiscard]] Result<FaucetClaim, FaucetRefusal> claim(const Address& account, TimestampMs now_ms,
                                                         RecordBatch& records);
  void take_back(const Address& account, const FaucetClaim& claim, RecordBatch& records);

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

 private:
  // Stored in this form (base/archive.h), under the account.
  struct History {
    Usdx total{};
    std::optional<TimestampMs> available_at_ms{};
  };

  Ranked<LockRank::store> mutex_;
  const FaucetTerms terms_;
  std::map<Address, History> history_;
};

// The synthetic credit that each account took today, through any of its keys: an allowance per account and UTC day.
//
// (API: POST /account/credit, D-241) Thread-safe: one lock.

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

  // Records the claim; without an amount it takes all that is left. The amount, if given, is positive. The caller
  // credits it, or takes the claim back if it cannot. Refused if nothing is left, or less than requested.
  [[nodiscard]] Result<Credit, CreditRefusal> claim(const Address& account, std::optional<Usdx> amount,
                                                    TimestampMs now_ms, RecordBatch& records);
  void take_back(const Address& account, const Credit& credit, TimestampMs claimed_at_ms, RecordBatch& records);

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

 private:
  // Stored in this form (base/archive.h), under the account's text. Rows of an earlier day, and old rows under the
  // id of an API key, are meaningless.
  struct Taken {
    std::int64_t day = 0;
    Usdx amount{};
  };
  void record(const Address& account, Usdx taken, RecordBatch& records) const;

  Ranked<LockRank::store> mutex_;
  const CreditTerms terms_;
  std::int64_t day_ = -1;  // the day of `taken_`, in UTC days since 1970
  std::map<Address, Usdx> taken_;
};

}  // namespace svc::sim
