#include "sim/cluster/read_leases.h"

#include <algorithm>
#include <chrono>

namespace svc::sim {

namespace {

constexpr std::int64_t granted_ms = limits::read_lease_ms + limits::read_lease_margin_ms;

}  // namespace

GrantedLeases::GrantedLeases(const Clock& clock) : clock_(clock) {}

void GrantedLeases::begin(std::int64_t epoch) {
  const std::lock_guard lock(mutex_);
  latest_ = {.epoch = epoch, .number = 0};
  end_ms_.clear();
  earlier_end_ms_ = clock_.now_ms() + granted_ms;
}

ReadLease GrantedLeases::grant(std::uint64_t holder) {
  const std::lock_guard lock(mutex_);
  const TimestampMs now_ms = clock_.now_ms();
  if (!is_allowed_ || latest_.epoch == 0 || now_ms < quiet_from_ms_) return {};
  end_ms_[holder] = now_ms + granted_ms;
  ++latest_.number;
  return latest_;
}

void GrantedLeases::end_all(const AskBack& ask_back) {
  std::map<std::uint64_t, TimestampMs> holders;
  ReadLease lease;
  TimestampMs until_ms = 0;
  const auto round = std::make_shared<Round>();
  {
    const std::lock_guard lock(mutex_);
    is_allowed_ = false;
    const TimestampMs now_ms = clock_.now_ms();
    std::erase_if(end_ms_, [&](const auto& one) { return one.second <= now_ms; });
    holders.swap(end_ms_);
    lease = latest_;
    until_ms = earlier_end_ms_;
    for (const auto& [holder, end_ms] : holders) until_ms = std::max(until_ms, end_ms);
    if (until_ms <= now_ms) return;
    // Nobody can be asked for what an earlier leader granted.
    round->held = holders.size() + (now_ms < earlier_end_ms_ ? 1 : 0);
  }
  for (const auto& [holder, end_ms] : holders)
    ask_back(holder, lease, [round] {
      const std::lock_guard lock(round->mutex);
      if (--round->held == 0) round->changed.notify_one();
    });
  std::unique_lock lock(round->mutex);
  for (TimestampMs now_ms = clock_.now_ms(); round->held > 0 && now_ms < until_ms; now_ms = clock_.now_ms())
    round->changed.wait_for(lock, std::chrono::milliseconds(until_ms - now_ms));
}

void GrantedLeases::allow() {
  const std::lock_guard lock(mutex_);
  if (is_allowed_) return;
  is_allowed_ = true;
  quiet_from_ms_ = clock_.now_ms() + limits::read_lease_quiet_ms;
}

void HeldLease::take(const ReadLease& lease, std::uint64_t position, TimestampMs asked_ms) {
  const std::lock_guard lock(mutex_);
  const TimestampMs end_ms = asked_ms + limits::read_lease_ms;
  if (lease.number == 0 || lease <= given_back_ || end_ms <= end_ms_) return;
  position_ = position;
  end_ms_ = end_ms;
}

void HeldLease::give_back(const ReadLease& lease) {
  const std::lock_guard lock(mutex_);
  given_back_ = std::max(given_back_, lease);
  end_ms_ = 0;
}

}  // namespace svc::sim
