// Faucet claims: one per account in 24 hours, up to a lifetime total.
//
// The amounts are settings of a deployment. (API: faucet; D-240) Part of ServicesState: changed by the single writer
// alone.
#pragma once

#include <map>
#include <optional>

#include "base/address.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/result.h"

namespace svc::sim {

struct FaucetTerms {
  Usdx amount{1'000 * usdx_one};          // of one claim
  std::int64_t cooldown_ms = day_ms;      // from one claim to the next
  Usdx lifetime_cap{100'000 * usdx_one};  // of all claims of an account
};

struct FaucetClaim {
  Usdx amount{};
  TimestampMs available_at_ms = 0;  // when the account may claim again
};

struct FaucetRefusal {
  bool capped = false;                              // the lifetime total is used up: waiting does not help
  std::optional<TimestampMs> available_at_ms = {};  // otherwise: when the cooldown ends
};

class FaucetLedger {
 public:
  explicit FaucetLedger(FaucetTerms terms = {}) : terms_(terms) {}

  // What the account may claim now.
  [[nodiscard]] Result<FaucetClaim, FaucetRefusal> offer(const Address& account, TimestampMs now_ms) const;
  // The offer was credited.
  void note(const Address& account, const FaucetClaim& claim);

  template <class Archive>
  void archive(Archive& archive) {
    archive(history_);
    archive.check([&] { return is_valid(); });
  }

 private:
  struct History {
    Usdx total{};
    TimestampMs available_at_ms = 0;
  };

  [[nodiscard]] bool is_valid() const;

  FaucetTerms terms_;
  std::map<Address, History> history_;
};

// The synthetic credit that each account took today, through any of its keys: an allowance per account and UTC day.
//
// (API: POST /account/credit, D-241) Part of ServicesState: changed by the single writer alone.

struct CreditTerms {
  Usdx daily_limit{500 * usdx_one};
};

struct Credit {
  Usdx amount{};          // of this claim
  Usdx credited_today{};  // this claim included
  Usdx daily_limit{};
};

struct CreditRefusal {
  Usdx credited_today;
  Usdx daily_limit;
};

class CreditLedger {
 public:
  explicit CreditLedger(CreditTerms terms = {}) : terms_(terms) {}

  // What the account may claim; without an amount it is all that is left. The amount, if given, is positive. Refused
  // if nothing is left, or less than requested.
  [[nodiscard]] Result<Credit, CreditRefusal> offer(const Address& account, std::optional<Usdx> amount,
                                                    TimestampMs now_ms) const;
  // The offer was credited.
  void note(const Address& account, const Credit& credit, TimestampMs now_ms);

  template <class Archive>
  void archive(Archive& archive) {
    archive(day_, taken_);
    archive.check([&] { return is_valid(); });
  }

 private:
  [[nodiscard]] bool is_valid() const;

  CreditTerms terms_;
  std::int64_t day_ = 0;  // the day of `taken_`, in UTC days since 1970
  std::map<Address, Usdx> taken_;
};

}  // namespace svc::sim
