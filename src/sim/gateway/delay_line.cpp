#include "sim/gateway/delay_line.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

namespace svc::sim {

class DelayLine::Impl {
 public:
  ~Impl() { io_.stop(); }

  void after_ms(std::int64_t ms, std::function<void()> task) {
    std::call_once(started_, [this] { thread_ = std::jthread([this] { io_.run(); }); });
    const auto timer = std::make_shared<boost::asio::steady_timer>(io_, std::chrono::milliseconds(ms));
    timer->async_wait([timer, task = std::move(task)](const boost::system::error_code& error) {
      if (!error) task();
    });
  }

 private:
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  std::once_flag started_;
  std::jthread thread_;  // destroyed, and so joined, before what it runs on
};

DelayLine::DelayLine() : impl_(std::make_unique<Impl>()) {}
DelayLine::~DelayLine() = default;

void DelayLine::after_ms(std::int64_t ms, std::function<void()> task) {
  impl_->after_ms(ms, std::move(task));
}

}  // namespace svc::sim
