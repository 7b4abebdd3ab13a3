// Work that mostly waits: many pieces of it share a few threads, each on a stack of its own (a fiber). A fiber that
// waits gives its thread to the others; waking it costs a list entry instead of a system call and a switch of threads.
// (D-580)
//
// What runs in a fiber stays on one thread. It may wait by a Waiter only, and by what is made of it (base/gate.h,
// base/turnstile.h): holding an ordinary lock while waiting would stop the whole thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

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

}  // namespace svc
