// Which of several nodes may write to the logs of one state: the one that made the leader's key, for as long as the
// lease behind it lives.
//
// The key's create revision is the leader's epoch. Every write to a log compares it, so a leader that was deposed is
// refused by etcd itself, whatever it believes; the lease only decides when others may try. An epoch never comes back.
//
// Safe to use from any thread.
#pragma once

#include <atomic>
#include <mutex>

#include "base/clock.h"
#include "sim/etcd/etcd_client.h"

namespace svc::limits {
inline constexpr std::int64_t etcd_lease_s = 6;            // a leader that is not heard of for so long is deposed
inline constexpr std::int64_t etcd_lease_keep_ms = 2'000;  // between two renewals
// A member that hangs when the lease is due costs one wait for it and one before, for something else.
static_assert(etcd_lease_keep_ms + 2 * etcd_lease_answer_ms < etcd_lease_s * 1'000);
inline constexpr std::int64_t etcd_leader_wait_ms = 8'000;  // for the lease of a node that was killed to end
inline constexpr std::int64_t etcd_leader_look_ms = 100;    // between two looks
}  // namespace svc::limits

namespace svc::sim {

// How long something has lasted: nobody sets this clock, and it counts while the machine sleeps. Not a time of day.
class LeaseClock final : public Clock {
 public:
  [[nodiscard]] TimestampMs now_ms() const override { return uptime_ms(); }
};

class Leadership {
 public:
  // `clock` is one that nobody sets.
  Leadership(EtcdClient client, std::string key, std::string node, const Clock& clock)
      : key_(std::move(key)), node_(std::move(node)), clock_(clock), client_(std::move(client)) {}
  ~Leadership() { resign(); }

  struct Refusal {
    std::string leader{};  // who leads instead; empty: etcd did not say, and `error` tells why
    EtcdError error{};
  };
  // Becomes the leader if there is none.
  [[nodiscard]] Result<void, Refusal> campaign() {
    const std::lock_guard lock(mutex_);
    return claim_key();
  }

  // Lets others lead: does not campaign for that long.
  void stand_back(std::int64_t ms) {
    const std::lock_guard lock(mutex_);
    stands_back_until_ms_ = clock_.now_ms() + ms;
    give_up_lease();
  }

  // Renews the lease; campaigns again if it was lost. Called every limits::etcd_lease_keep_ms.
  void keep() {
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
    (void)claim_key();
  }
  // The leader's key is not ours any more: a comparison with this epoch failed.
  void note_loss(std::int64_t epoch) { epoch_.compare_exchange_strong(epoch, 0); }

  // 0: another node leads, or none.
  [[nodiscard]] std::int64_t epoch() const { return epoch_.load(); }
  // By our own clock: false once the lease may have ended, although nobody said so yet.
  [[nodiscard]] bool is_lease_fresh() const {
    return epoch() != 0 && clock_.now_ms() < kept_at_ms_ + limits::etcd_lease_s * second_ms;
  }

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& node() const { return node_; }

  // At a clean end: others need not wait for the lease.
  void resign() {
    const std::lock_guard lock(mutex_);
    has_resigned_ = true;
    give_up_lease();
  }

 private:
  // Under the lock.
  void give_up_lease() {
    if (epoch_.exchange(0) != 0) (void)client_.revoke_lease(lease_);
  }
  // Under the lock.
  [[nodiscard]] Result<void, Refusal> claim_key() {
    // Read by the clock before the lease begins: it never seems to last longer than it does.
    const TimestampMs began_ms = clock_.now_ms();
    if (began_ms < stands_back_until_ms_)
      return unexpected(Refusal{.leader = {}, .error = {.reason = "others may lead first"}});
    const auto claim = client_.claim(key_, node_, limits::etcd_lease_s);
    if (!claim) return unexpected(Refusal{.leader = {}, .error = claim.error()});
    if (claim->lease == 0)
      return unexpected(Refusal{.leader = claim->holder.empty() ? "that ended just now" : claim->holder});
    lease_ = claim->lease;
    kept_at_ms_ = began_ms;
    epoch_ = claim->revision;
    return {};
  }

  const std::string key_;
  const std::string node_;
  const Clock& clock_;
  std::atomic<std::int64_t> epoch_{0};
  std::atomic<TimestampMs> kept_at_ms_{0};
  std::mutex mutex_;  // guards what follows; held during calls to etcd, by callers that hold nothing else
  EtcdClient client_;
  std::int64_t lease_ = 0;
  bool has_resigned_ = false;
  TimestampMs stands_back_until_ms_ = 0;
};

}  // namespace svc::sim
