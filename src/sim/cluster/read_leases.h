// Leases by which nodes that follow answer reads with credentials from their own copies, without asking the leader each
// time. (docs/cluster.md)
//
// The leader grants one while nothing is being written. Before it writes again, every holder has given its lease back,
// or the lease has ended. So nothing that a holder has not applied can have been answered anywhere.
//
// A lease counts from when its holder asked for it, and at the leader from when it was granted: it never seems to last
// longer to the holder. A leader that is new waits for the end of what the one before may have granted.
//
// Safe to use from any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "base/clock.h"

namespace svc::limits {
inline constexpr std::int64_t read_lease_ms = 100;
inline constexpr std::int64_t read_lease_margin_ms = 5;  // clocks that do not run alike, and parts of milliseconds
inline constexpr std::int64_t read_lease_quiet_ms = 20;  // after a write before another lease is granted
inline constexpr std::int64_t read_lease_refused_ms = 10'000;  // to a holder that did not give one back when asked
}  // namespace svc::limits

namespace svc::sim {

// Later ones compare greater.
struct ReadLease {
  std::int64_t epoch = 0;    // of the leader that granted it
  std::uint64_t number = 0;  // 0: none was granted

  auto operator<=>(const ReadLease&) const = default;
};

// Those that a leader has granted. A holder is named by its process.
class GrantedLeases {
 public:
  // `clock` is never set, and must outlive this.
  explicit GrantedLeases(const Clock& clock) : clock_(clock) {}

  // This node leads from now on.
  void begin(std::int64_t epoch) {
    const std::lock_guard lock(mutex_);
    latest_ = {.epoch = epoch, .number = 0};
    end_ms_.clear();
    refused_until_ms_.clear();
    earlier_end_ms_ = clock_.now_ms() + granted_ms;
  }
  // None while something is written, or was just now; none to a holder for which a write had to wait just now.
  [[nodiscard]] ReadLease grant(std::uint64_t holder) {
    const std::lock_guard lock(mutex_);
    const TimestampMs now_ms = clock_.now_ms();
    if (!is_allowed_ || latest_.epoch == 0 || now_ms < quiet_from_ms_) return {};
    if (const auto refused = refused_until_ms_.find(holder); refused != refused_until_ms_.end()) {
      if (now_ms < refused->second) return {};
      refused_until_ms_.erase(refused);
    }
    end_ms_[holder] = now_ms + granted_ms;
    ++latest_.number;
    return latest_;
  }

  // Asks a holder to give back that lease and earlier ones; `given_back` is called once it has, on any thread.
  using AskBack = std::function<void(std::uint64_t holder, const ReadLease& lease, std::function<void()> given_back)>;
  // Returns when nobody holds a lease any more; none is granted until allow().
  void end_all(const AskBack& ask_back) {
    std::map<std::uint64_t, TimestampMs> holders;
    ReadLease lease;
    TimestampMs asked_ms = 0;
    TimestampMs until_ms = 0;
    const auto round = std::make_shared<Round>();
    {
      const std::lock_guard lock(mutex_);
      is_allowed_ = false;
      const TimestampMs now_ms = clock_.now_ms();
      asked_ms = now_ms;
      std::erase_if(end_ms_, [&](const auto& one) { return one.second <= now_ms; });
      holders.swap(end_ms_);
      lease = latest_;
      until_ms = earlier_end_ms_;
      for (const auto& [holder, end_ms] : holders) until_ms = std::max(until_ms, end_ms);
      if (until_ms <= now_ms) return;
      // Nobody can be asked for what an earlier leader granted.
      round->has_earlier = now_ms < earlier_end_ms_;
      for (const auto& [holder, end_ms] : holders) round->holders.insert(holder);
    }
    for (const auto& [holder, end_ms] : holders)
      ask_back(holder, lease, [round, holder] {
        const std::lock_guard lock(round->mutex);
        round->holders.erase(holder);
        if (!round->is_held()) round->changed.notify_one();
      });
    std::set<std::uint64_t> silent;
    {
      std::unique_lock lock(round->mutex);
      for (TimestampMs now_ms = clock_.now_ms(); round->is_held() && now_ms < until_ms; now_ms = clock_.now_ms())
        round->changed.wait_for(lock, std::chrono::milliseconds(until_ms - now_ms));
      silent = round->holders;
    }
    if (silent.empty()) return;
    const TimestampMs now_ms = clock_.now_ms();
    if (now_ms - asked_ms < limits::read_lease_ms / 2) return;  // asked too late to answer in time
    const std::lock_guard lock(mutex_);
    for (const std::uint64_t holder : silent) refused_until_ms_[holder] = now_ms + limits::read_lease_refused_ms;
  }
  void allow() {
    const std::lock_guard lock(mutex_);
    if (is_allowed_) return;
    is_allowed_ = true;
    quiet_from_ms_ = clock_.now_ms() + limits::read_lease_quiet_ms;
  }

 private:
  static constexpr std::int64_t granted_ms = limits::read_lease_ms + limits::read_lease_margin_ms;

  // Of one call of end_all(); answers may come after it.
  struct Round {
    std::mutex mutex{};
    std::condition_variable changed{};
    std::set<std::uint64_t> holders{};
    bool has_earlier = false;

    [[nodiscard]] bool is_held() const { return has_earlier || !holders.empty(); }
  };

  const Clock& clock_;
  std::mutex mutex_;  // guards what follows
  bool is_allowed_ = true;
  ReadLease latest_{};
  TimestampMs quiet_from_ms_ = 0;
  TimestampMs earlier_end_ms_ = 0;                           // of what earlier leaders granted
  std::map<std::uint64_t, TimestampMs> end_ms_{};            // by holder
  std::map<std::uint64_t, TimestampMs> refused_until_ms_{};  // likewise
};

// The one that a node holds that follows.
class HeldLease {
 public:
  explicit HeldLease(const Clock& clock) : clock_(clock) {}

  // Granted by a leader whose log ends at that position. It is not taken if it was given back already.
  void take(const ReadLease& lease, std::uint64_t position, TimestampMs asked_ms) {
    const std::lock_guard lock(mutex_);
    const TimestampMs end_ms = asked_ms + limits::read_lease_ms;
    if (lease.number == 0 || lease <= given_back_ || end_ms <= end_ms_) return;
    position_ = position;
    end_ms_ = end_ms;
  }
  // Gives back that lease and all before it, also those whose grant is still on its way.
  void give_back(const ReadLease& lease) {
    const std::lock_guard lock(mutex_);
    given_back_ = std::max(given_back_, lease);
    end_ms_ = 0;
  }
  // For good: this copy serves nobody any more.
  void give_up() { give_back({.epoch = std::numeric_limits<std::int64_t>::max(), .number = 0}); }
  // Whether a copy that has applied everything up to that position is current.
  [[nodiscard]] bool covers(std::uint64_t applied) const { return clock_.now_ms() < end_ms_ && position_ <= applied; }

 private:
  const Clock& clock_;
  // In this order: whoever sees the end of a lease sees its position.
  std::atomic<std::uint64_t> position_{0};
  std::atomic<TimestampMs> end_ms_{0};
  std::mutex mutex_;  // guards what follows, and changes of the above
  ReadLease given_back_{};
};

}  // namespace svc::sim
