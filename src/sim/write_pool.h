// Threads that wait for the disk on behalf of requests that cannot share a thread (base/fibers.h), so that the
// threads that read the network do not wait.
//
// Threads are started as they are needed. Safe to use from any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/limits.h"

namespace svc::sim {

class WritePool {
 public:
  explicit WritePool(std::size_t threads_max = limits::write_threads_max,
                     std::size_t waiting_max = limits::writes_waiting_max)
      : threads_max_(threads_max), waiting_max_(waiting_max) {}
  WritePool(const WritePool&) = delete;
  WritePool& operator=(const WritePool&) = delete;
  // Accepted work is finished first.
  ~WritePool();

  // False if too much work is waiting; the work is then not done.
  [[nodiscard]] bool run(std::function<void()> work);

 private:
  void serve();

  const std::size_t threads_max_;
  const std::size_t waiting_max_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool is_over_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace svc::sim
