#include "sim/services/credit_ledger.h"

#include "base/assert.h"

namespace svc::sim {

Result<Credit, CreditRefusal> CreditLedger::claim(std::string_view key_id, std::optional<Usdx> amount,
                                                  TimestampMs now_ms) {
  SVC_ASSERT(!amount || *amount > Usdx{});
  const std::lock_guard lock(mutex_);
  if (const std::int64_t today = now_ms / day_ms; today > day_) {
    day_ = today;
    taken_.clear();
  }
  const auto known = taken_.find(key_id);
  const Usdx taken = known == taken_.end() ? Usdx{} : known->second;
  const Usdx left = terms_.daily_limit - taken;
  const Usdx wanted = amount.value_or(left);
  if (left == Usdx{} || wanted > left)
    return unexpected(CreditRefusal{.credited_today = taken, .daily_limit = terms_.daily_limit});
  const Usdx total = taken + wanted;
  taken_.insert_or_assign(std::string(key_id), total);
  return Credit{.amount = wanted, .credited_today = total, .daily_limit = terms_.daily_limit};
}

void CreditLedger::take_back(std::string_view key_id, const Credit& credit, TimestampMs claimed_at_ms) {
  const std::lock_guard lock(mutex_);
  if (claimed_at_ms / day_ms != day_) return;  // that day's allowance is gone anyhow
  const auto known = taken_.find(key_id);
  SVC_ASSERT(known != taken_.end() && known->second >= credit.amount);
  known->second -= credit.amount;
}

}  // namespace svc::sim
