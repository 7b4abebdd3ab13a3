#include "sim/etcd/leadership.h"

#include <time.h>

namespace svc::sim {

TimestampMs LeaseClock::now_ms() const {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * second_ms + now.tv_nsec / 1'000'000;
}

Leadership::Leadership(EtcdClient client, std::string key, std::string node, const Clock& clock)
    : key_(std::move(key)), node_(std::move(node)), clock_(clock), client_(std::move(client)) {}

Leadership::~Leadership() {
  resign();
}

Result<void, Leadership::Refusal> Leadership::campaign() {
  const std::lock_guard lock(mutex_);
  return campaign_alone();
}

Result<void, Leadership::Refusal> Leadership::campaign_alone() {
  // Read by the clock before the lease begins: it never seems to last longer than it does.
  const TimestampMs began_ms = clock_.now_ms();
  const auto claim = client_.claim(key_, node_, limits::etcd_lease_s);
  if (!claim) {
    const EtcdError& error = claim.error();
    return unexpected(
        Refusal{.leader = {}, .reason = error.reason, .is_full = error.kind == EtcdError::Kind::quota_full});
  }
  if (claim->lease == 0)
    return unexpected(Refusal{.leader = claim->holder.empty() ? "that ended just now" : claim->holder,
                              .reason = "another one leads"});
  lease_ = claim->lease;
  kept_at_ms_ = began_ms;
  epoch_ = claim->revision;
  return {};
}

void Leadership::keep() {
  const std::lock_guard lock(mutex_);
  if (has_resigned_) return;
  const TimestampMs now_ms = clock_.now_ms();
  if (epoch_ != 0) {
    const auto left = client_.keep_lease(lease_);
    if (!left) return;  // the lease may live on: comparisons tell
    if (*left > 0) {
      kept_at_ms_ = now_ms;
      return;
    }
    epoch_ = 0;
  }
  (void)campaign_alone();
}

void Leadership::note_loss(std::int64_t epoch) {
  epoch_.compare_exchange_strong(epoch, 0);
}

bool Leadership::is_lease_fresh() const {
  return epoch() != 0 && clock_.now_ms() < kept_at_ms_ + limits::etcd_lease_s * second_ms;
}

void Leadership::resign() {
  const std::lock_guard lock(mutex_);
  has_resigned_ = true;
  if (epoch_.exchange(0) != 0) (void)client_.revoke_lease(lease_);
}

}  // namespace svc::sim
