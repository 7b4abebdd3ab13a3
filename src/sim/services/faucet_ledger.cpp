#include "sim/services/faucet_ledger.h"

#include "base/archive.h"
#include "base/assert.h"

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
  // The log may already have a later claim of the account, which includes this one.
  records.push_back({RecordTable::faucet_claims, to_archive(account), to_archive(history)});
}

bool FaucetLedger::restore(const RecordChange& change) {
  if (change.table != RecordTable::faucet_claims) return true;
  if (!change.value) return false;  // never removed
  const auto account = from_archive<Address>(change.key);
  const auto history = from_archive<History>(*change.value);
  if (!account || !history || !is_sum(history->total) ||
      (history->available_at_ms && !is_clock_time(*history->available_at_ms)))
    return false;
  const std::lock_guard lock(mutex_);
  history_.insert_or_assign(*account, *history);
  return true;
}

Result<Credit, CreditRefusal> CreditLedger::claim(const Address& account, std::optional<Usdx> amount,
                                                  TimestampMs now_ms, RecordBatch& records) {
  SVC_ASSERT(!amount || *amount > Usdx{});
  const std::lock_guard lock(mutex_);
  if (const std::int64_t today = now_ms / day_ms; today > day_) {
    day_ = today;
    taken_.clear();
  }
  const auto known = taken_.find(account);
  const Usdx taken = known == taken_.end() ? Usdx{} : known->second;
  const Usdx left = terms_.daily_limit - taken;
  const Usdx wanted = amount.value_or(left);
  if (left == Usdx{} || wanted > left)
    return unexpected(CreditRefusal{.credited_today = taken, .daily_limit = terms_.daily_limit});
  const Usdx total = taken + wanted;
  taken_.insert_or_assign(account, total);
  record(account, total, records);
  return Credit{.amount = wanted, .credited_today = total, .daily_limit = terms_.daily_limit};
}

void CreditLedger::take_back(const Address& account, const Credit& credit, TimestampMs claimed_at_ms,
                             RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  if (claimed_at_ms / day_ms != day_) return;  // that day's allowance is over anyway
  const auto known = taken_.find(account);
  SVC_ASSERT(known != taken_.end() && known->second >= credit.amount);
  known->second -= credit.amount;
  // The log may already have a later claim of the account, which includes this one.
  record(account, known->second, records);
}

void CreditLedger::record(const Address& account, Usdx taken, RecordBatch& records) const {
  records.push_back({RecordTable::credit_claims, to_string(account), to_archive(Taken{.day = day_, .amount = taken})});
}

bool CreditLedger::restore(const RecordChange& change) {
  if (change.table != RecordTable::credit_claims) return true;
  if (!change.value) return false;  // never removed
  const auto taken = from_archive<Taken>(*change.value);
  if (!taken || !is_name(change.key) || !is_sum(taken->amount) || taken->amount > terms_.daily_limit ||
      taken->day < 0 || taken->day > limits::clock_ms_max / day_ms)
    return false;
  const auto account = parse_address(change.key);
  if (!account) return true;
  const std::lock_guard lock(mutex_);
  if (taken->day > day_) {
    day_ = taken->day;
    taken_.clear();
  }
  if (taken->day == day_) taken_.insert_or_assign(*account, taken->amount);
  return true;
}

}  // namespace svc::sim
