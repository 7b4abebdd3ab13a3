// A lock that many share and one may have alone. Those who share it pass one by one, and nobody passes one who waits
// to have it alone: a crowd cannot lock that one out.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace svc {

class Turnstile {
 public:
  using Shared = std::shared_lock<std::shared_mutex>;
  using Alone = std::unique_lock<std::shared_mutex>;

  [[nodiscard]] Shared share() {
    const std::lock_guard one_by_one(door_);
    return Shared(mutex_);
  }
  [[nodiscard]] Alone alone() {
    const std::lock_guard one_by_one(door_);
    return Alone(mutex_);
  }

 private:
  std::mutex door_;
  std::shared_mutex mutex_;
};

}  // namespace svc
