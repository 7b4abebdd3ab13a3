#include "sim/services/faucet_ledger.h"

#include <algorithm>

#include "base/archive.h"
#include "base/assert.h"

namespace svc::sim {

Result<FaucetClaim, FaucetRefusal> FaucetLedger::offer(const Address& account, TimestampMs now_ms) const {
  const auto known = history_.find(account);
  const History history = known == history_.end() ? History{} : known->second;
  if (history.total + terms_.amount > terms_.lifetime_cap) return unexpected(FaucetRefusal{.capped = true});
  if (now_ms < history.available_at_ms) return unexpected(FaucetRefusal{.available_at_ms = history.available_at_ms});
  return FaucetClaim{.amount = terms_.amount, .available_at_ms = now_ms + terms_.cooldown_ms};
}

void FaucetLedger::note(const Address& account, const FaucetClaim& claim) {
  History& history = history_[account];
  history.total += claim.amount;
  history.available_at_ms = claim.available_at_ms;
}

bool FaucetLedger::is_valid() const {
  return std::ranges::all_of(history_, [](const auto& entry) {
    return is_sum(entry.second.total) && is_clock_time(entry.second.available_at_ms);
  });
}

Result<Credit, CreditRefusal> CreditLedger::offer(const Address& account, std::optional<Usdx> amount,
                                                  TimestampMs now_ms) const {
  SVC_ASSERT(!amount || *amount > Usdx{});
  const auto known = now_ms / day_ms > day_ ? taken_.end() : taken_.find(account);
  const Usdx taken = known == taken_.end() ? Usdx{} : known->second;
  const Usdx left = terms_.daily_limit - taken;
  const Usdx wanted = amount.value_or(left);
  if (left == Usdx{} || wanted > left)
    return unexpected(CreditRefusal{.credited_today = taken, .daily_limit = terms_.daily_limit});
  return Credit{.amount = wanted, .credited_today = taken + wanted, .daily_limit = terms_.daily_limit};
}

void CreditLedger::note(const Address& account, const Credit& credit, TimestampMs now_ms) {
  if (const std::int64_t today = now_ms / day_ms; today > day_) {
    day_ = today;
    taken_.clear();
  }
  taken_.insert_or_assign(account, credit.credited_today);
}

bool CreditLedger::is_valid() const {
  return day_ >= 0 && day_ <= limits::clock_ms_max / day_ms && std::ranges::all_of(taken_, [&](const auto& entry) {
           return is_sum(entry.second) && entry.second <= terms_.daily_limit;
         });
}

}  // namespace svc::sim
