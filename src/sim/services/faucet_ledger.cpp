#include "sim/services/faucet_ledger.h"

namespace svc::sim {

Result<FaucetClaim, FaucetRefusal> FaucetLedger::claim(const Address& account, TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  History& history = history_[account];
  if (history.total + terms_.amount > terms_.lifetime_cap) return unexpected(FaucetRefusal{.capped = true});
  if (history.available_at_ms && now_ms < *history.available_at_ms)
    return unexpected(FaucetRefusal{.available_at_ms = history.available_at_ms});
  history.total += terms_.amount;
  history.available_at_ms = now_ms + terms_.cooldown_ms;
  return FaucetClaim{.amount = terms_.amount, .available_at_ms = *history.available_at_ms};
}

void FaucetLedger::take_back(const Address& account, const FaucetClaim& claim) {
  const std::lock_guard lock(mutex_);
  History& history = history_[account];
  history.total -= claim.amount;
  history.available_at_ms.reset();
}

}  // namespace svc::sim
