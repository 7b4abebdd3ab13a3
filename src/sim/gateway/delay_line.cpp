#include "sim/gateway/delay_line.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

namespace svc::sim {

struct DelayLine::Thread {
  boost::asio::io_context io;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  std::once_flag started;
  std::jthread thread;  // destroyed, and so joined, before what it uses
};

DelayLine::DelayLine() : thread_(std::make_unique<Thread>()) {}
DelayLine::~DelayLine() {
  thread_->io.stop();
}

void DelayLine::after_ms(std::int64_t ms, std::function<void()> task) {
  std::call_once(thread_->started, [this] { thread_->thread = std::jthread([&io = thread_->io] { io.run(); }); });
  const auto timer = std::make_shared<boost::asio::steady_timer>(thread_->io, std::chrono::milliseconds(ms));
  timer->async_wait([timer, task = std::move(task)](const boost::system::error_code& error) {
    if (!error) task();
  });
}

}  // namespace svc::sim
