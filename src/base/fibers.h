// Work that mostly waits: many pieces of it share a few threads, each on a stack of its own (a fiber). A fiber that
// waits gives its thread to the others; waking it costs a list entry instead of a system call and a switch of threads.
// (D-580)
//
// What runs in a fiber stays on one thread. It may wait by a Waiter only, and by what is made of it (base/fibers.h,
// base/fibers.h): holding an ordinary lock while waiting would stop the whole thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/lock_order.h"

namespace svc {

namespace limits {
inline constexpr std::size_t fiber_stack_bytes = 512u << 10;  // reserved; what is not touched costs nothing
inline constexpr std::size_t fibers_per_thread_max = 256;     // at work and waiting; more work waits for one of them
inline constexpr std::size_t fiber_work_waiting_max = 4'096;  // beyond: refused
}  // namespace limits

struct Fiber;
struct FiberThread;

// Waits for one thing that somebody else does: a thread sleeps, a fiber lets others run. Belongs to whoever made it;
// exactly one wait() and one wake(), in whatever order.
class Waiter {
 public:
  Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // Returns when it was woken. What was written before wake() is seen.
  void wait();
  // Any thread. The waiter may be gone when this returns.
  void wake();

  // Where it waits; nullptr: it is a thread.
  [[nodiscard]] FiberThread* fiber_thread() const;

 private:
  Fiber* const fiber_;
  std::atomic<std::uint32_t> is_woken_{0};
};

// What a thread does once none of its fibers can go on: the thing they all wait for, say.
class IdleWork {
 public:
  virtual ~IdleWork() = default;
  virtual void do_idle_work() = 0;
};

// Of the thread this is called on; nullptr: it runs no fibers.
[[nodiscard]] FiberThread* current_fiber_thread();
// Done once, as soon as the fibers of that thread have all had their turn. Any thread.
void when_idle(FiberThread& thread, IdleWork& work);

class Fibers {
 public:
  explicit Fibers(std::size_t threads);
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;
  // What was taken is done first.
  ~Fibers();

  // False: too much waits already, and the work will not be done. The work must not throw. Any thread.
  [[nodiscard]] bool run(std::function<void()> work);

  struct Shared;  // of the threads

 private:
  const std::unique_ptr<Shared> shared_;
};

// A lock that a fiber may hold while it waits for something else: whoever comes second waits by a Waiter (fibers.h).
// Those who wait are let in by the order in which they came. For std::unique_lock.

class Gate {
 public:
  void lock() {
    lock_order::expect_none();
    Waiter waiter;
    {
      const std::lock_guard lock(mutex_);
      if (!is_closed_) {
        is_closed_ = true;
        return;
      }
      waiting_.push_back(&waiter);
    }
    waiter.wait();
  }

  void unlock() {
    Waiter* next = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) {
        is_closed_ = false;
        return;
      }
      next = waiting_.front();
      waiting_.erase(waiting_.begin());
    }
    next->wake();
  }

 private:
  std::mutex mutex_;
  bool is_closed_ = false;
  std::vector<Waiter*> waiting_;
};

// A lock that many share and one may have alone. Nobody passes one who waits to have it alone: a crowd cannot lock that
// one out. Fibers may hold it while they wait (fibers.h), and it may be given back on another thread.

class Turnstile {
  enum class Kind : bool { shared, alone };

  // Held until it is gone; empty if made from nothing.
  template <Kind kind>
  class Held {
   public:
    Held() = default;
    explicit Held(Turnstile& of) : of_(&of) { of.enter(kind); }
    Held(Held&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    Held& operator=(Held&&) = delete;
    ~Held() {
      if (of_ != nullptr) of_->leave(kind);
    }

   private:
    Turnstile* of_ = nullptr;
  };

 public:
  using Shared = Held<Kind::shared>;
  using Alone = Held<Kind::alone>;

  [[nodiscard]] Shared share() { return Shared(*this); }
  [[nodiscard]] Alone alone() { return Alone(*this); }
  // Whoever comes now waits.
  [[nodiscard]] bool is_wanted_alone() {
    const std::lock_guard lock(mutex_);
    return !waiting_.empty();
  }

 private:
  struct Waiting {
    Waiter* waiter;
    Kind kind;
  };

  [[nodiscard]] bool fits(Kind kind) const { return !is_alone_ && (kind == Kind::shared || sharing_ == 0); }
  void admit(Kind kind) {
    if (kind == Kind::alone)
      is_alone_ = true;
    else
      ++sharing_;
  }
  void enter(Kind kind) {
    lock_order::expect_none();
    Waiter waiter;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty() && fits(kind)) return admit(kind);
      waiting_.push_back({.waiter = &waiter, .kind = kind});
    }
    waiter.wait();
  }
  void leave(Kind kind) {
    const std::lock_guard lock(mutex_);
    if (kind == Kind::alone)
      is_alone_ = false;
    else
      --sharing_;
    while (!waiting_.empty() && fits(waiting_.front().kind)) {
      admit(waiting_.front().kind);
      waiting_.front().waiter->wake();
      waiting_.pop_front();
    }
  }

  std::mutex mutex_;
  std::size_t sharing_ = 0;
  bool is_alone_ = false;
  std::deque<Waiting> waiting_;
};

}  // namespace svc
