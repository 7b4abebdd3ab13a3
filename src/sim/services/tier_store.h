// The tiers that an operator assigned; every other account is Pro. (API: Admin group)
//
// Thread-safe: one lock, held for one look-up.
#pragma once

#include <map>
#include <mutex>

#include "api/contract/admin.h"
#include "base/address.h"
#include "base/lock_order.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

class TierStore {
 public:
  [[nodiscard]] api::Tier of(const Address& account) const;
  // Assigning the default is the same as resetting.
  void assign(const Address& account, api::Tier tier, RecordBatch& records);
  // False if the account had the default.
  [[nodiscard]] bool reset(const Address& account, RecordBatch& records);
  // Accounts with another tier than the default, by address.
  [[nodiscard]] std::map<Address, api::Tier> overrides() const;

  // Restores a row of the log; rows of other tables are ignored. False if the row is invalid.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  mutable Ranked<LockRank::store> mutex_;
  std::map<Address, api::Tier> overrides_;
};

}  // namespace svc::sim
