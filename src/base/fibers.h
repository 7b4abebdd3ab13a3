// Work that mostly waits: many pieces of it share a few threads, each on a stack of its own (a fiber). While a
// fiber waits, its thread runs other fibers; waking it costs a list entry instead of a system call and a thread
// switch. (D-580)
//
// A fiber stays on one thread. It must wait only with a Waiter or with something built on one (Gate, Turnstile):
// waiting while holding an ordinary lock would stop the whole thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "base/lock_order.h"

namespace svc {

namespace limits {
inline constexpr std::size_t fiber_stack_bytes = 512u << 10;  // reserved; untouched pages cost nothing
inline constexpr std::size_t fibers_per_thread_max = 256;     // running and waiting; more work waits for one of them
inline constexpr std::size_t fiber_work_waiting_max = 4'096;  // beyond: refused
}  // namespace limits

struct Fiber;
struct FiberThread;

// Waits for one event: a thread sleeps, a fiber lets others run. Exactly one wait() and one wake(), in any order.
class Waiter {
 public:
  Waiter();

  // Returns when woken. Writes before wake() are visible.
  void wait();
  // Any thread. The waiter may be gone when this returns.
  void wake();

  // The fiber thread where it waits; nullptr: an ordinary thread.
  [[nodiscard]] FiberThread* fiber_thread() const;

 private:
  Fiber* const fiber_;
  std::atomic<std::uint32_t> is_woken_{0};
};

// Collects the wake-ups of fibers of other threads, and does them when it is destroyed: each of those threads is woken
// once instead of once per fiber. This thread must not wait for such a fiber meanwhile.
class WakesTogether {
 public:
  WakesTogether();
  WakesTogether(const WakesTogether&) = delete;
  WakesTogether& operator=(const WakesTogether&) = delete;
  ~WakesTogether();

 private:
  std::vector<Fiber*> fibers_;
  std::vector<Fiber*>* const outer_;
};

// Runs the work when the fibers of this thread that can run have had their turn, before its idle work; at once outside
// of fibers. Must not wait.
void when_turn_ends(std::function<void()> work);

// Work for a thread whose fibers are all waiting, such as the thing they all wait for.
class IdleWork {
 public:
  virtual ~IdleWork() = default;
  virtual void do_idle_work() = 0;
};

// Of the calling thread; nullptr: it runs no fibers.
[[nodiscard]] FiberThread* current_fiber_thread();
// Runs the work once, as soon as all fibers of that thread have had their turn. IdleWorkOf says which thread does it.
// Any thread.
void when_idle(FiberThread& thread, IdleWork& work);

// When idle work is done: as soon as its own thread has nothing else to do, or no thread has. The latter gathers more
// for work that costs more than a turn of the fibers, such as a commit over a network.
enum class IdleWorkOf : std::uint8_t { each_thread, all_threads };

class Fibers {
 public:
  explicit Fibers(std::size_t threads, IdleWorkOf idle_work_of = IdleWorkOf::each_thread);
  // Accepted work is finished first.
  ~Fibers();

  // False if too much work is waiting; the work is then not done. The work must not throw. Any thread.
  [[nodiscard]] bool run(std::function<void()> work);

  struct Shared;  // shared by the threads

 private:
  const std::unique_ptr<Shared> shared_;
};

// A shared/exclusive lock. Waiters enter in the order of arrival: nobody passes a waiter for exclusive access, so a
// crowd of sharers cannot lock it out. Fibers may hold it while they wait for something else, and it may be released on
// another thread.
class Turnstile {
  enum class Kind : bool { shared, exclusive };

 public:
  // Held until destroyed.
  using Shared = std::shared_lock<Turnstile>;
  using Exclusive = std::unique_lock<Turnstile>;

  // A sharer that is away for a while, waiting for something that exclusive access may have to come before.
  class Absence {
   public:
    explicit Absence(Turnstile& from) : from_(from) { from_.unlock_shared(); }
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;
    ~Absence() { from_.lock_shared(); }

   private:
    Turnstile& from_;
  };

  [[nodiscard]] Shared share() { return Shared(*this); }
  // The caller shares it, until the result is destroyed and from then on again.
  [[nodiscard]] Absence step_out() { return Absence(*this); }
  [[nodiscard]] Exclusive exclusive() { return Exclusive(*this); }
  void lock() { enter(Kind::exclusive); }
  void unlock() { leave(Kind::exclusive); }
  void lock_shared() { enter(Kind::shared); }
  void unlock_shared() { leave(Kind::shared); }
  // New arrivals wait.
  [[nodiscard]] bool has_waiters() {
    const std::lock_guard lock(mutex_);
    return !waiting_.empty();
  }

 private:
  struct Waiting {
    Waiter* waiter;
    Kind kind;
  };

  [[nodiscard]] bool fits(Kind kind) const { return !is_exclusive_ && (kind == Kind::shared || sharing_ == 0); }
  void admit(Kind kind) {
    if (kind == Kind::exclusive)
      is_exclusive_ = true;
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
    if (kind == Kind::exclusive)
      is_exclusive_ = false;
    else
      --sharing_;
    while (!waiting_.empty() && fits(waiting_.front().kind)) {
      admit(waiting_.front().kind);
      waiting_.front().waiter->wake();
      waiting_.erase(waiting_.begin());
    }
  }

  std::mutex mutex_;
  std::size_t sharing_ = 0;
  bool is_exclusive_ = false;
  std::vector<Waiting> waiting_;
};

// One that nobody shares.
using Gate = Turnstile;

}  // namespace svc
