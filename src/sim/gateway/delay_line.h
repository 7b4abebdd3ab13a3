#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace svc::sim {

// Runs tasks later, in real time, on a thread of its own, started on first use. Thread-safe.
class DelayLine {
 public:
  void after_ms(std::int64_t ms, std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return;
    if (!thread_) thread_ = std::make_unique<boost::asio::thread_pool>(1);
    const auto timer = std::make_shared<boost::asio::steady_timer>(*thread_, std::chrono::milliseconds(ms));
    timer->async_wait([timer, task = std::move(task)](const boost::system::error_code& error) {
      if (!error) task();
    });
  }
  // Drops the tasks that wait, and all that come later.
  void end() {
    std::unique_ptr<boost::asio::thread_pool> ended;
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
      ended = std::move(thread_);
    }
    if (ended) ended->stop();
  }

 private:
  std::mutex mutex_;
  bool has_ended_ = false;
  std::unique_ptr<boost::asio::thread_pool> thread_;
};

}  // namespace svc::sim
