// One I/O thread of the server: its sockets, its deadlines, and a letter box for other threads.
#pragma once

#include <algorithm>
#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "api/http_message.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "sim/gateway/http_server.h"

// Deadlines of many connections, kept to one tick, for the price of a store: an entry whose deadline
// moves back stays where it is until its old slot comes up, and is put on from there.
//
// Not thread-safe. Entries live in their owners; one that is destroyed leaves the wheel by itself.

namespace svc::sim {

class TimerWheel {
  struct Link {
    Link* previous = this;
    Link* next = this;

    Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    [[nodiscard]] bool linked() const { return next != this; }
    void unlink() {
      previous->next = next;
      next->previous = previous;
      previous = next = this;
    }
    void link_before(Link& other) {
      previous = other.previous;
      next = &other;
      previous->next = this;
      other.previous = this;
    }
  };

 public:
  using Tick = std::uint64_t;
  static constexpr Tick never = ~Tick{0};

  class Entry : private Link {
   public:
    ~Entry() { unlink(); }
    [[nodiscard]] Tick due() const { return due_; }

   private:
    friend class TimerWheel;
    Tick due_ = never;
    Tick listed_ = never;  // the tick of the slot it is in
  };

  [[nodiscard]] Tick now() const { return now_; }

  // Makes `due` the only deadline of the entry; never: none. A deadline not in the future is the next tick.
  void arm(Entry& entry, Tick due) {
    entry.due_ = due == never ? never : std::max(due, now_ + 1);
    if (entry.due_ < entry.listed_) list(entry);
  }

  // Nothing is listed: no tick needs to be counted until the next arm().
  [[nodiscard]] bool idle() const {
    return std::all_of(slots_.begin(), slots_.end(), [](const Link& slot) { return !slot.linked(); });
  }

  // Calls expire(entry) for every entry that is due at `now` or before; it has no deadline then.
  // expire may arm, disarm and destroy any entry.
  template <class Expire>
  void advance(Tick now, Expire expire) {
    if (now > now_ + slot_count) now_ = now - slot_count;  // every slot is visited once: that is all of them
    while (now_ < now) {
      ++now_;
      Link visited;
      Link& slot = slots_[now_ % slot_count];
      if (!slot.linked()) continue;
      visited.link_before(slot);  // takes over the ring of the slot
      slot.unlink();
      while (visited.linked()) {
        Entry& entry = static_cast<Entry&>(*visited.next);
        entry.unlink();
        entry.listed_ = never;
        if (entry.due_ > now_) {
          if (entry.due_ != never) list(entry);
          continue;
        }
        entry.due_ = never;
        expire(entry);
      }
    }
  }

 private:
  static constexpr std::size_t slot_count = 256;

  void list(Entry& entry) {
    entry.unlink();
    entry.listed_ = std::min(entry.due_, now_ + slot_count - 1);
    entry.link_before(slots_[entry.listed_ % slot_count]);
  }

  Tick now_ = 0;
  std::array<Link, slot_count> slots_;
};

// Replies as bytes. One writer per I/O thread: it keeps the text of the current second.

[[nodiscard]] std::string_view reason_phrase(int status);

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7).
[[nodiscard]] std::string http_date(TimestampMs time_ms);

// What the connection knows and the reply does not.
struct ResponseShape {
  bool head = false;        // answers HEAD: no body
  bool close = false;       // the last reply of the connection
  bool keep_alive = false;  // said aloud: HTTP/1.0
};

class ResponseWriter {
 public:
  ResponseWriter(std::string_view server_name, std::function<TimestampMs()> now);

  // Appends the whole reply. Fields that are the server's are dropped from `response`; control
  // characters in other fields become blanks, so that no value can end its line. (D-154)
  void write(std::string& out, const api::HttpResponse& response, ResponseShape shape);

 private:
  void refresh_date();

  std::function<TimestampMs()> now_;
  std::string server_line_;
  std::int64_t date_second_ = -1;
  std::string date_line_;
};

// The reply asks for the end of the connection itself.
[[nodiscard]] bool asks_to_close(const api::HttpResponse& response);

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
