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
inline constexpr std::int64_t etcd_lease_s = 6;             // a leader that is not heard of for so long is deposed
inline constexpr std::int64_t etcd_lease_keep_ms = 2'000;   // between two renewals
inline constexpr std::int64_t etcd_leader_wait_ms = 8'000;  // for the lease of a node that was killed to end
inline constexpr std::int64_t etcd_leader_look_ms = 100;    // between two looks
}  // namespace svc::limits

namespace svc::sim {

// How long something has lasted: nobody sets this clock, and it counts while the machine sleeps. Not a time of day.
class LeaseClock final : public Clock {
 public:
  [[nodiscard]] TimestampMs now_ms() const override;
};

class Leadership {
 public:
  // `clock` is one that nobody sets.
  Leadership(EtcdClient client, std::string key, std::string node, const Clock& clock);
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;
  // Resigns.
  ~Leadership();

  struct Refusal {
    std::string leader{};  // who leads instead; empty: etcd did not say
    std::string reason{};
    bool is_full = false;  // etcd's quota is
  };
  // Becomes the leader if there is none.
  [[nodiscard]] Result<void, Refusal> campaign();

  // Renews the lease; campaigns again if it was lost. Called every limits::etcd_lease_keep_ms.
  void keep();
  // The leader's key is not ours any more: a comparison with this epoch failed.
  void note_loss(std::int64_t epoch);

  // 0: another node leads, or none.
  [[nodiscard]] std::int64_t epoch() const { return epoch_.load(); }
  // By our own clock: false once the lease may have ended, although nobody said so yet.
  [[nodiscard]] bool is_lease_fresh() const;

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& node() const { return node_; }

  // At a clean end: others need not wait for the lease.
  void resign();

 private:
  [[nodiscard]] Result<void, Refusal> campaign_alone();

  const std::string key_;
  const std::string node_;
  const Clock& clock_;
  std::atomic<std::int64_t> epoch_{0};
  std::atomic<TimestampMs> kept_at_ms_{0};
  std::mutex mutex_;  // guards what follows; held during calls to etcd, by callers that hold nothing else
  EtcdClient client_;
  std::int64_t lease_ = 0;
  bool has_resigned_ = false;
};

}  // namespace svc::sim
