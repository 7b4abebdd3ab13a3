// A lock that a fiber may hold while it waits for something else: whoever comes second waits by a Waiter (fibers.h).
// Those who wait are let in by the order in which they came. For std::unique_lock.
#pragma once

#include <mutex>
#include <vector>

#include "base/fibers.h"
#include "base/lock_order.h"

namespace svc {

class Gate {
 public:
  void lock() {
    lock_order::expect_none();
    Waiter waiter;
    {
      const std::lock_guard lock(mutex_);
      if (!is_closed_) {
        is_closed_ = true;
        return;
      }
      waiting_.push_back(&waiter);
    }
    waiter.wait();
  }

  void unlock() {
    Waiter* next = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) {
        is_closed_ = false;
        return;
      }
      next = waiting_.front();
      waiting_.erase(waiting_.begin());
    }
    next->wake();
  }

 private:
  std::mutex mutex_;
  bool is_closed_ = false;
  std::vector<Waiter*> waiting_;
};

}  // namespace svc
