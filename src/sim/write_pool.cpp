#include "sim/write_pool.h"

#include <utility>

namespace svc::sim {

WritePool::~WritePool() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  woken_.notify_all();
}

bool WritePool::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(work));
    if (waiting_.size() > idle_ && threads_.size() < threads_max_) threads_.emplace_back([this] { serve(); });
  }
  woken_.notify_one();
  return true;
}

void WritePool::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    woken_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace svc::sim
