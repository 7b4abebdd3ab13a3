#include "sim/views/portfolio_sampler.h"

#include <algorithm>

#include "base/assert.h"

namespace svc::sim {

bool PortfolioSampler::knows_only(const std::map<Address, AccountView>& accounts) const {
  const auto is_there = [&](const Address& account) { return accounts.contains(account); };
  return std::ranges::all_of(holders_, is_there) &&
         std::ranges::all_of(waiting_, [&](const auto& some) { return std::ranges::all_of(some, is_there); });
}

void PortfolioSampler::touch(const Address& account, const Portfolio& portfolio) {
  waiting_.front().insert(account);
  if (portfolio.holds_position())
    holders_.insert(account);
  else
    holders_.erase(account);
}

void PortfolioSampler::pass(TimestampMs from_ms, TimestampMs until_ms, const LotValues& lot_values,
                            std::map<Address, AccountView>& accounts) {
  // An instant of a longer cadence is one of every shorter cadence, so who waits moves up the list.
  for (std::size_t i = 0; i < cadences.size(); ++i) {
    const auto cadence = static_cast<Cadence>(i);
    const std::int64_t number = first_sample_from(from_ms, cadence);
    if (number * cadences[i].period_ms >= until_ms) return;
    if (i == 0 && marks_moved_) {
      waiting_[0].insert(holders_.begin(), holders_.end());
      marks_moved_ = false;
    }
    for (const Address& address : waiting_[i]) {
      const auto account = accounts.find(address);
      SVC_ASSERT(account != accounts.end());
      account->second.sample(cadence, number, lot_values);
    }
    if (i + 1 < cadences.size()) waiting_[i + 1].merge(waiting_[i]);
    waiting_[i].clear();
  }
}

}  // namespace svc::sim
