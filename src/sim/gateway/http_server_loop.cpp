#include "sim/gateway/http_server_loop.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "base/assert.h"

namespace svc::sim {
namespace {

constexpr std::size_t scratch_bytes = 64 * 1024;

// Which loop this thread runs. A reply given on the connection's own thread takes the short way.
thread_local const HttpServerLoop* current_loop = nullptr;

}  // namespace

void LoopMailbox::post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (!loop_) return;
  tasks_.push_back(std::move(task));
  // One wake-up brings all letters that came until it is heard.
  if (tasks_.size() == 1) boost::asio::post(loop_->io_, [loop = loop_] { loop->read_mail(); });
}

HttpServerLoop::HttpServerLoop(const HttpServerOptions& options)
    : tick_ms_(options.timer_tick_ms),
      stop_grace_ms_(options.stop_grace_ms),
      waiting_bytes_max_(options.waiting_bytes_max / options.io_threads),
      work_(boost::asio::make_work_guard(io_)),
      tick_timer_(io_),
      grace_timer_(io_),
      start_(std::chrono::steady_clock::now()),
      mailbox_(std::make_shared<LoopMailbox>(*this)),
      writer_(options.server_name, options.now),
      scratch_(scratch_bytes) {
  SVC_ASSERT(tick_ms_ > 0);
}

HttpServerLoop::~HttpServerLoop() {
  const std::lock_guard lock(mailbox_->mutex_);
  mailbox_->loop_ = nullptr;
}

bool HttpServerLoop::is_current(const HttpServerLoop& loop) {
  return current_loop == &loop;
}

void HttpServerLoop::run() {
  current_loop = this;
  io_.run();
  current_loop = nullptr;
  std::vector<std::function<void()>> late;
  {
    const std::lock_guard lock(mailbox_->mutex_);
    mailbox_->loop_ = nullptr;
    late.swap(mailbox_->tasks_);
  }
}

void HttpServerLoop::begin_stop(std::function<void()> then) {
  if (stopping_) return;
  stopping_ = true;
  if (then) then();
  const auto members = members_;  // a member that leaves changes the set
  for (const auto& member : members) member->stop_gracefully();
  grace_timer_.expires_after(std::chrono::milliseconds(stop_grace_ms_));
  grace_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    const auto left = members_;
    for (const auto& member : left) member->kill();
  });
  leave_if_done();
}

void HttpServerLoop::leave_if_done() {
  if (!stopping_ || !members_.empty()) return;
  grace_timer_.cancel();
  tick_timer_.cancel();
  work_.reset();
}

void HttpServerLoop::adopt(std::shared_ptr<LoopMember> member) {
  member->deadline_.owner = member.get();
  members_.insert(std::move(member));
}

void HttpServerLoop::release(LoopMember& member) {
  const auto keep = member.shared_from_this();
  waiting_bytes_ -= std::exchange(member.waiting_bytes_, 0);
  wheel_.arm(member.deadline_, TimerWheel::never);
  members_.erase(keep);
  leave_if_done();
}

void HttpServerLoop::set_waiting(LoopMember& member, std::size_t bytes, Reader reader) {
  if (member.waiting_bytes_ == 0 || reader == Reader::moved) member.moved_at_ = ++moves_;
  waiting_bytes_ += bytes - member.waiting_bytes_;
  member.waiting_bytes_ = bytes;
  while (waiting_bytes_ > waiting_bytes_max_) {
    LoopMember* slowest = nullptr;
    std::size_t waiting = 0;
    for (const auto& each : members_) {
      if (each->waiting_bytes_ == 0) continue;
      ++waiting;
      if (slowest == nullptr || each->moved_at_ < slowest->moved_at_) slowest = each.get();
    }
    if (waiting < 2) return;
    slowest->kill();
  }
}

void HttpServerLoop::gather(LoopMember& member) {
  gathered_.push_back(member.shared_from_this());
  if (reading_mail_ || gathered_.size() > 1) return;
  boost::asio::post(io_, [this] { flush_gathered(); });
}

void HttpServerLoop::read_mail() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mailbox_->mutex_);
    tasks.swap(mailbox_->tasks_);
  }
  reading_mail_ = true;
  for (const auto& task : tasks) task();
  reading_mail_ = false;
  flush_gathered();
}

void HttpServerLoop::flush_gathered() {
  for (const auto& member : std::exchange(gathered_, {})) member->flush();
}

TimerWheel::Tick HttpServerLoop::real_tick() const {
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  return static_cast<TimerWheel::Tick>(std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count() /
                                       tick_ms_);
}

TimerWheel::Tick HttpServerLoop::tick_after(std::int64_t ms) {
  // A wheel with nothing in it does not tick; it catches up for free.
  if (!ticking_) wheel_.advance(real_tick(), [](TimerWheel::Entry&) {});
  return wheel_.now() + static_cast<TimerWheel::Tick>((ms + tick_ms_ - 1) / tick_ms_) + 1;
}

void HttpServerLoop::set_deadline(LoopMember& member, TimerWheel::Tick due) {
  wheel_.arm(member.deadline_, due);
  if (due == TimerWheel::never || ticking_) return;
  ticking_ = true;
  wait_for_tick();
}

void HttpServerLoop::wait_for_tick() {
  tick_timer_.expires_after(std::chrono::milliseconds(tick_ms_));
  tick_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    wheel_.advance(real_tick(), [](TimerWheel::Entry& entry) {
      const auto member = static_cast<LoopMember::Deadline&>(entry).owner->shared_from_this();
      member->deadline_passed();
    });
    ticking_ = !wheel_.idle();
    if (ticking_) wait_for_tick();
  });
}

}  // namespace svc::sim
