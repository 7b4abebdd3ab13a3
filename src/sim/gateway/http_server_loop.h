// One I/O thread of the server: its sockets, its deadlines, and a mailbox for other threads.
#pragma once

#include <algorithm>
#include <array>
#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "api/http/http_message.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/ready_set.h"

namespace svc::sim {

// Deadlines of many connections, accurate to one tick. Postponing one costs one store: the entry stays in its slot
// until that comes up. The owners hold the entries; a destroyed entry leaves the wheel by itself. Not thread-safe.
class TimerWheel {
 public:
  using Tick = std::uint64_t;
  static constexpr Tick never = ~Tick{0};

  class Entry : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
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

  // No entries: ticks need not be counted until the next arm().
  [[nodiscard]] bool idle() const {
    return std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.empty(); });
  }

  // Calls expire(entry) for every entry due by `now`, which then has no deadline; it may arm and destroy any entry.
  template <class Expire>
  void advance(Tick now, Expire expire) {
    if (now > now_ + slot_count) now_ = now - slot_count;  // one visit of every slot covers all entries
    while (now_ < now) {
      ++now_;
      Slot visited;
      visited.swap(slots_[now_ % slot_count]);
      while (!visited.empty()) {
        Entry& entry = visited.front();
        visited.pop_front();
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
  using Slot = boost::intrusive::list<Entry, boost::intrusive::constant_time_size<false>>;
  static constexpr std::size_t slot_count = 256;

  void list(Entry& entry) {
    if (entry.is_linked()) entry.unlink();
    entry.listed_ = std::min(entry.due_, now_ + slot_count - 1);
    slots_[entry.listed_ % slot_count].push_back(entry);
  }

  Tick now_ = 0;
  std::array<Slot, slot_count> slots_;
};

[[nodiscard]] std::string_view reason_phrase(int status);

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7).
[[nodiscard]] std::string http_date(TimestampMs time_ms);

// What the connection knows about a reply.
struct ResponseShape {
  bool head = false;        // answers HEAD: no body
  bool close = false;       // the last reply of the connection
  bool keep_alive = false;  // explicit keep-alive, for HTTP/1.0
};

// Replies as bytes. One writer per I/O thread: it keeps how the last reply began.
class ResponseWriter {
 public:
  explicit ResponseWriter(std::function<TimestampMs()> now) : now_(std::move(now)) {}

  // Appends the status line and the header. True if the body belongs behind it. Fields of `response` that the server
  // sets itself are left out; control characters in other fields become blanks, so that no value can end its line.
  // (D-154)
  [[nodiscard]] bool write_head(std::string& out, const api::HttpResponse& response, ResponseShape shape);

 private:
  std::function<TimestampMs()> now_;
  std::int64_t date_second_ = -1;
  std::string own_lines_;  // Date and Server
  int status_ = 0;
  std::string opening_;  // the line of that status, and those
};

class HttpServerLoop;

// The bytes that wait for readers. What several of them will get is in memory once, and counts once.
class WaitingBytes {
 public:
  void add(std::size_t bytes) { bytes_ += bytes; }
  void add(const SharedBytes& shared) {
    if (shared_.insert(shared.get()).second) bytes_ += shared->size();
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
  boost::unordered_flat_set<const std::string*> shared_;
};

// Where other threads leave work for a loop. Outlives it; work that comes too late is dropped.
class LoopMailbox : public std::enable_shared_from_this<LoopMailbox> {
 public:
  explicit LoopMailbox(HttpServerLoop& loop) : loop_(&loop) {}

  // Runs the task on the loop's thread. Tasks of one thread keep their order. Fibers wake the loop together.
  void post(std::function<void()> task);

 private:
  friend class HttpServerLoop;
  void wake_loop();

  Ranked<LockRank::mailbox> mutex_;
  HttpServerLoop* loop_;  // null once the loop has ended
  std::vector<std::function<void()>> tasks_;
  bool is_woken_ = false;  // and did not read them yet
};

// Something with a socket that the loop keeps alive.
class LoopMember : public std::enable_shared_from_this<LoopMember>, public SocketWatcher {
 public:
  LoopMember(HttpServerLoop& loop, Descriptor socket);
  virtual ~LoopMember() = default;
  LoopMember(const LoopMember&) = delete;
  LoopMember& operator=(const LoopMember&) = delete;

  virtual void deadline_passed() = 0;
  virtual void stop_gracefully() = 0;  // finish what is in progress, then leave
  virtual void kill() = 0;             // leave now
  virtual void flush() {}              // send what was gathered; see HttpServerLoop::gather
  // Fetches what a flush() soon needs into the processor's cache.
  void prepare() const {
    constexpr std::size_t line_bytes = 64;
    constexpr std::size_t lines = 5;  // of a stream
    for (std::size_t i = 0; i < lines; ++i)
      __builtin_prefetch(reinterpret_cast<const std::byte*>(this) + i * line_bytes);
  }
  // What waits for its reader, and how much of it no other reader will get.
  virtual void count_waiting(WaitingBytes& all) const { all.add(waiting_bytes_); }
  [[nodiscard]] virtual std::size_t waiting_for_it_alone() const { return waiting_bytes_; }

 protected:
  HttpServerLoop& loop_;
  WatchedSocket socket_;

 private:
  friend class HttpServerLoop;
  struct Deadline : TimerWheel::Entry {
    LoopMember* owner = nullptr;
  };
  Deadline deadline_;
  bool gathered_ = false;  // will be flushed by the loop
  std::size_t waiting_bytes_ = 0;
  std::uint64_t moved_at_ = 0;  // when its reader last took something, in the loop's own steps
};

class HttpServerLoop {
 public:
  explicit HttpServerLoop(const HttpServerOptions& options);
  ~HttpServerLoop();

  // Runs until begin_stop() was called and the last member left.
  void run();
  // On the loop's thread.
  void begin_stop();

  [[nodiscard]] ReadySet& ready_set() { return ready_set_; }
  [[nodiscard]] const std::shared_ptr<LoopMailbox>& mailbox() const { return mailbox_; }
  [[nodiscard]] ResponseWriter& writer() { return writer_; }
  [[nodiscard]] std::span<char> scratch();  // input buffer for the current reader
  [[nodiscard]] bool stopping() const { return stopping_; }
  // True on the thread that runs the loop. Only compares: the loop may be gone.
  [[nodiscard]] static bool is_current(const HttpServerLoop& loop);

  void adopt(std::shared_ptr<LoopMember> member);
  void release(LoopMember& member);  // destroyed at the end of the current turn

  // The first tick by which this much time has passed.
  [[nodiscard]] TimerWheel::Tick tick_after(std::int64_t ms);
  // The member's only deadline; TimerWheel::never: none. Usually costs one store.
  void set_deadline(LoopMember& member, TimerWheel::Tick due);

  // How many bytes wait for the member's reader, and whether it took some since the last call. Beyond the bound of all
  // members, the one whose reader took nothing for longest is killed, possibly this one, but never the only one. Bytes
  // that several members share count once.
  enum class Reader : std::uint8_t { moved, stood };
  void set_waiting(LoopMember& member, std::size_t bytes, Reader reader);

  // Flushes the member once, at the end of the current turn: the caller may hold a lock that flush needs.
  void gather(LoopMember& member);

 private:
  friend class LoopMailbox;
  void wake();
  [[nodiscard]] std::optional<std::int64_t> patience_ms() const;
  void pass_time();
  void read_mail();
  void flush_gathered();
  void kill_all();
  [[nodiscard]] std::int64_t elapsed_ms() const;
  [[nodiscard]] TimerWheel::Tick real_tick() const { return static_cast<TimerWheel::Tick>(elapsed_ms() / tick_ms_); }
  // The one whose reader took nothing for longest; null unless several wait.
  [[nodiscard]] LoopMember* slowest() const;

  const std::int64_t tick_ms_;
  const std::int64_t stop_grace_ms_;
  const std::size_t waiting_bytes_max_;
  ReadySet ready_set_;
  std::chrono::steady_clock::time_point start_;
  TimerWheel wheel_;
  TimerWheel::Tick grace_due_ = TimerWheel::never;  // whoever is left then is killed
  bool ticking_ = false;
  bool stopping_ = false;
  bool has_mail_ = false;
  std::shared_ptr<LoopMailbox> mailbox_;
  ResponseWriter writer_;
  std::unique_ptr<char[]> scratch_;  // not cleared, so that it takes only the memory that was read into
  std::unordered_set<std::shared_ptr<LoopMember>> members_;
  std::vector<std::shared_ptr<LoopMember>> left_;  // in this turn
  std::vector<std::shared_ptr<LoopMember>> gathered_;
  std::size_t waiting_bytes_ = 0;  // of all members; shared ones count for each
  std::size_t grown_bytes_ = 0;    // by so much at most has grown what they hold, since it was counted
  std::size_t room_bytes_ = 0;     // was left below the bound then
  std::uint64_t moves_ = 0;
};

}  // namespace svc::sim
