// One I/O thread of the server: its sockets, its deadlines, and a letter box for other threads.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "base/lock_order.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/http_server_response.h"
#include "sim/gateway/http_server_wheel.h"

namespace svc::sim {

class HttpServerLoop;

// Where other threads leave work for a loop. Outlives it: what comes too late is dropped.
class LoopMailbox {
 public:
  explicit LoopMailbox(HttpServerLoop& loop) : loop_(&loop) {}

  // Runs the task on the loop's thread. What one thread posts keeps its order.
  void post(std::function<void()> task);

 private:
  friend class HttpServerLoop;
  Ranked<LockRank::mailbox> mutex_;
  HttpServerLoop* loop_;  // null once the loop has ended
  std::vector<std::function<void()>> tasks_;
};

// Something with a socket that the loop keeps alive.
class LoopMember : public std::enable_shared_from_this<LoopMember> {
 public:
  explicit LoopMember(HttpServerLoop& loop) : loop_(loop) {}
  virtual ~LoopMember() = default;
  LoopMember(const LoopMember&) = delete;
  LoopMember& operator=(const LoopMember&) = delete;

  virtual void deadline_passed() = 0;
  virtual void stop_gracefully() = 0;  // finish what is in progress, then leave
  virtual void kill() = 0;             // leave now
  virtual void flush() = 0;            // send what was gathered; see HttpServerLoop::gather

 protected:
  HttpServerLoop& loop_;

 private:
  friend class HttpServerLoop;
  struct Deadline : TimerWheel::Entry {
    LoopMember* owner = nullptr;
  };
  Deadline deadline_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t moved_at_ = 0;  // when its reader last took something, in steps of the loop's count
};

class HttpServerLoop {
 public:
  explicit HttpServerLoop(const HttpServerOptions& options);
  ~HttpServerLoop();
  HttpServerLoop(const HttpServerLoop&) = delete;
  HttpServerLoop& operator=(const HttpServerLoop&) = delete;

  // Until begin_stop() and the last member left. Then nothing of the loop runs any more.
  void run();
  // On the loop's thread.
  void begin_stop(std::function<void()> then);

  [[nodiscard]] boost::asio::io_context& io() { return io_; }
  [[nodiscard]] const std::shared_ptr<LoopMailbox>& mailbox() const { return mailbox_; }
  [[nodiscard]] ResponseWriter& writer() { return writer_; }
  [[nodiscard]] std::vector<char>& scratch() { return scratch_; }  // input of whoever reads now
  [[nodiscard]] bool stopping() const { return stopping_; }
  // True on the thread that runs the loop. Only compares: the loop may be gone.
  [[nodiscard]] static bool is_current(const HttpServerLoop& loop);

  void adopt(std::shared_ptr<LoopMember> member);
  void release(LoopMember& member);  // at the end of the current call chain its last owner is gone

  // The tick at which so much time will have passed, at least.
  [[nodiscard]] TimerWheel::Tick tick_after(std::int64_t ms);
  // The member's only deadline; TimerWheel::never: none. A store in most cases.
  void set_deadline(LoopMember& member, TimerWheel::Tick due);

  // So many bytes wait for the member's reader, who took some since the last call or did not. What waits for all of
  // them has a bound: beyond it whoever took nothing for longest is killed, this member as well if it is that one;
  // never the only one that waits.
  enum class Reader : std::uint8_t { moved, stood };
  void set_waiting(LoopMember& member, std::size_t bytes, Reader reader);

  // The member is flushed once, after what runs now; after the last letter while letters are read. Never from
  // within: whoever gathers may hold a lock that a flush asks for.
  void gather(LoopMember& member);

 private:
  friend class LoopMailbox;
  void read_mail();
  void flush_gathered();
  void wait_for_tick();
  void leave_if_done();
  [[nodiscard]] TimerWheel::Tick real_tick() const;

  const std::int64_t tick_ms_;
  const std::int64_t stop_grace_ms_;
  const std::size_t waiting_bytes_max_;
  boost::asio::io_context io_{1};  // one thread runs it
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer tick_timer_;
  boost::asio::steady_timer grace_timer_;
  std::chrono::steady_clock::time_point start_;
  TimerWheel wheel_;
  bool ticking_ = false;
  bool stopping_ = false;
  bool reading_mail_ = false;
  std::shared_ptr<LoopMailbox> mailbox_;
  ResponseWriter writer_;
  std::vector<char> scratch_;
  std::unordered_set<std::shared_ptr<LoopMember>> members_;
  std::vector<std::shared_ptr<LoopMember>> gathered_;
  std::size_t waiting_bytes_ = 0;  // of all members
  std::uint64_t moves_ = 0;
};

}  // namespace svc::sim
