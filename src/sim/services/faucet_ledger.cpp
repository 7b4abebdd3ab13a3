#include "sim/services/faucet_ledger.h"

#include "base/archive.h"
#include "base/row_check.h"

namespace svc::sim {

Result<FaucetClaim, FaucetRefusal> FaucetLedger::claim(const Address& account, TimestampMs now_ms,
                                                       RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  History& history = history_[account];
  if (history.total + terms_.amount > terms_.lifetime_cap) return unexpected(FaucetRefusal{.capped = true});
  if (history.available_at_ms && now_ms < *history.available_at_ms)
    return unexpected(FaucetRefusal{.available_at_ms = history.available_at_ms});
  history.total += terms_.amount;
  history.available_at_ms = now_ms + terms_.cooldown_ms;
  records.push_back({RecordTable::faucet_claims, to_archive(account), to_archive(history)});
  return FaucetClaim{.amount = terms_.amount, .available_at_ms = *history.available_at_ms};
}

void FaucetLedger::take_back(const Address& account, const FaucetClaim& claim, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  History& history = history_[account];
  history.total -= claim.amount;
  history.available_at_ms.reset();
  // Another claim of the account may have come to the log meanwhile, with this one in it.
  records.push_back({RecordTable::faucet_claims, to_archive(account), to_archive(history)});
}

bool FaucetLedger::restore(const RecordChange& change) {
  if (change.table != RecordTable::faucet_claims) return true;
  if (!change.value) return false;  // never taken away
  const auto account = from_archive<Address>(change.key);
  const auto history = from_archive<History>(*change.value);
  if (!account || !history || !is_sum(history->total) ||
      (history->available_at_ms && !is_clock_time(*history->available_at_ms)))
    return false;
  const std::lock_guard lock(mutex_);
  history_.insert_or_assign(*account, *history);
  return true;
}

}  // namespace svc::sim
