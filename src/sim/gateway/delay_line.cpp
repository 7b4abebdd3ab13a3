#include "sim/gateway/delay_line.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <thread>
#include <utility>

namespace svc::sim {

struct DelayLine::Thread {
  boost::asio::io_context io;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  std::jthread thread;  // destroyed, and so joined, before what it uses
};

DelayLine::DelayLine() : thread_(std::make_unique<Thread>()) {}
DelayLine::~DelayLine() {
  end();
}

void DelayLine::end() {
  std::unique_ptr<Thread> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::move(thread_);
  }
  if (ended) ended->io.stop();
}

void DelayLine::after_ms(std::int64_t ms, std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (!thread_) return;
  if (!thread_->thread.joinable()) thread_->thread = std::jthread([&io = thread_->io] { io.run(); });
  const auto timer = std::make_shared<boost::asio::steady_timer>(thread_->io, std::chrono::milliseconds(ms));
  timer->async_wait([timer, task = std::move(task)](const boost::system::error_code& error) {
    if (!error) task();
  });
}

}  // namespace svc::sim
