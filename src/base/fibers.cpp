#include "base/fibers.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <thread>
#include <utility>

#include "base/assert.h"
#include "base/fiber_switch.h"
#include "base/find.h"

namespace svc {

struct Fiber {
  explicit Fiber(FiberThread& of);

  FiberThread& thread;
  std::function<void()> work;  // none: the fiber ends
  FiberStack stack;
};

struct Fibers::Shared {
  std::mutex mutex;
  std::deque<std::function<void()>> works;  // an idle thread takes the oldest
  bool is_over = false;
  IdleWorkOf idle_work_of{};
  std::vector<std::unique_ptr<FiberThread>> threads;
};

struct FiberThread {
  explicit FiberThread(Fibers::Shared& all) : shared(all) {}

  void serve();
  void resume(Fiber& fiber);
  void start(std::function<void()> work);
  // The running fiber waits for new work.
  void park(Fiber& fiber);
  [[nodiscard]] bool may_start() const { return !shared.works.empty() && live < limits::fibers_per_thread_max; }
  [[nodiscard]] bool has_work() const {
    return !woken.empty() || !woken_here.empty() || !idle_work.empty() || !idle_work_here.empty() || may_start();
  }
  [[nodiscard]] bool is_over() const { return shared.is_over && live == 0 && shared.works.empty(); }
  // Requires the lock; the caller notifies.
  [[nodiscard]] bool rouse() {
    if (doing != Doing::nothing) return false;
    doing = Doing::turns;
    return true;
  }
  // Changes what other threads may change, and wakes the thread for it.
  template <class Change>
  void leave_word(Change change) {
    bool was_asleep = false;
    {
      const std::lock_guard lock(shared.mutex);
      change();
      was_asleep = rouse();
    }
    if (was_asleep) rested.notify_one();
  }

  // Leaves its idle work to a thread that has its turn now; that one does it. False: there is none.
  [[nodiscard]] bool leaves_idle_work();

  Fibers::Shared& shared;

  // Guarded by the mutex, for other threads.
  std::vector<Fiber*> woken;
  std::vector<IdleWork*> idle_work;
  enum class Doing : std::uint8_t { turns, idle_work, nothing, ended };
  Doing doing = Doing::turns;
  std::condition_variable rested;

  // Used by this thread only.
  std::vector<std::function<void()>> turn_ends;
  std::vector<Fiber*> woken_here;
  std::vector<IdleWork*> idle_work_here;
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<Fiber*> parked;
  Fiber* running = nullptr;

  std::atomic<std::size_t> live{0};  // started and not parked; changed by this thread only

  std::jthread thread;
};

namespace {

thread_local FiberThread* this_thread = nullptr;
thread_local std::vector<Fiber*>* woken_together = nullptr;  // of the WakesTogether of this thread

void add_once(std::vector<IdleWork*>& all, IdleWork& work) {
  if (!is_among(&work, all)) all.push_back(&work);
}

}  // namespace

FiberThread* current_fiber_thread() {
  return this_thread;
}

void when_turn_ends(std::function<void()> work) {
  if (this_thread == nullptr || this_thread->running == nullptr) return work();
  this_thread->turn_ends.push_back(std::move(work));
}

void when_idle(FiberThread& thread, IdleWork& work) {
  if (this_thread == &thread) return add_once(thread.idle_work_here, work);
  thread.leave_word([&] { add_once(thread.idle_work, work); });
}

Waiter::Waiter() : fiber_(this_thread == nullptr ? nullptr : this_thread->running) {}

FiberThread* Waiter::fiber_thread() const {
  return fiber_ == nullptr ? nullptr : &fiber_->thread;
}

void Waiter::wait() {
  lock_order::expect_none();
  if (fiber_ != nullptr)
    fiber_->stack.leave();
  else
    is_woken_.wait(0, std::memory_order_acquire);
}

void Waiter::wake() {
  if (fiber_ == nullptr) {
    // The waiter may return between these two; notifying an address touches nothing there.
    auto& is_woken = is_woken_;
    is_woken.store(1, std::memory_order_release);
    is_woken.notify_one();
    return;
  }
  FiberThread& thread = fiber_->thread;
  if (this_thread == &thread) return thread.woken_here.push_back(fiber_);
  if (woken_together != nullptr) return woken_together->push_back(fiber_);
  thread.leave_word([&] { thread.woken.push_back(fiber_); });
}

WakesTogether::WakesTogether() : outer_(std::exchange(woken_together, &fibers_)) {}

WakesTogether::~WakesTogether() {
  woken_together = outer_;
  std::ranges::stable_sort(fibers_, {}, [](const Fiber* fiber) { return &fiber->thread; });
  for (auto first = fibers_.begin(); first != fibers_.end();) {
    FiberThread& thread = (*first)->thread;
    const auto last = std::find_if(first, fibers_.end(), [&](const Fiber* fiber) { return &fiber->thread != &thread; });
    thread.leave_word([&] { thread.woken.insert(thread.woken.end(), first, last); });
    first = last;
  }
}

Fiber::Fiber(FiberThread& of)
    : thread(of), stack(limits::fiber_stack_bytes, [this]() noexcept {
        while (work) {
          work();
          work = nullptr;
          thread.park(*this);
        }
      }) {}

void FiberThread::resume(Fiber& fiber) {
  running = &fiber;
  fiber.stack.enter();
  running = nullptr;
}

void FiberThread::start(std::function<void()> work) {
  if (parked.empty()) {
    fibers.push_back(std::make_unique<Fiber>(*this));
    parked.push_back(fibers.back().get());
  }
  Fiber& fiber = *parked.back();
  parked.pop_back();
  ++live;
  fiber.work = std::move(work);
  resume(fiber);
}

void FiberThread::park(Fiber& fiber) {
  parked.push_back(&fiber);
  --live;
  fiber.stack.leave();
}

bool FiberThread::leaves_idle_work() {
  if (idle_work_here.empty() || shared.idle_work_of != IdleWorkOf::all_threads) return false;
  for (const auto& other : shared.threads) {
    if (other.get() == this || other->doing != Doing::turns) continue;
    for (IdleWork* work : std::exchange(idle_work_here, {})) add_once(other->idle_work, *work);
    return true;
  }
  return false;
}

void FiberThread::serve() {
  this_thread = this;
  std::vector<Fiber*> ready;
  std::vector<IdleWork*> idle;
  std::unique_lock lock(shared.mutex);
  while (true) {
    // One turn for each runnable fiber and for new work; then the idle work.
    ready.swap(woken_here);
    ready.insert(ready.end(), woken.begin(), woken.end());
    woken.clear();
    std::size_t fresh = shared.works.size();
    if (!ready.empty()) {
      lock.unlock();
      for (Fiber* fiber : ready) resume(*fiber);
      ready.clear();
      lock.lock();
    }
    for (; fresh > 0 && may_start(); --fresh) {
      auto work = std::move(shared.works.front());
      shared.works.pop_front();
      lock.unlock();
      start(std::move(work));
      lock.lock();
    }
    if (!turn_ends.empty()) {
      lock.unlock();
      for (const auto& work : std::exchange(turn_ends, {})) work();
      lock.lock();
    }
    if (!leaves_idle_work()) idle.swap(idle_work_here);
    for (IdleWork* work : idle_work) add_once(idle, *work);
    idle_work.clear();
    if (!idle.empty()) {
      doing = Doing::idle_work;
      lock.unlock();
      for (IdleWork* work : idle) work->do_idle_work();
      idle.clear();
      lock.lock();
      doing = Doing::turns;
    }
    if (has_work()) continue;
    if (is_over()) break;
    doing = Doing::nothing;
    rested.wait(lock, [this] { return doing != Doing::nothing || has_work() || is_over(); });
    doing = Doing::turns;
  }
  doing = Doing::ended;
  lock.unlock();
  for (Fiber* fiber : std::exchange(parked, {})) resume(*fiber);
  fibers.clear();
}

Fibers::Fibers(std::size_t threads, IdleWorkOf idle_work_of) : shared_(std::make_unique<Shared>()) {
  SVC_ASSERT(threads > 0);
  shared_->idle_work_of = idle_work_of;
  for (std::size_t i = 0; i < threads; ++i) shared_->threads.push_back(std::make_unique<FiberThread>(*shared_));
  for (const auto& thread : shared_->threads)
    thread->thread = std::jthread([serving = thread.get()] { serving->serve(); });
}

Fibers::~Fibers() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->is_over = true;
  }
  for (const auto& thread : shared_->threads) thread->rested.notify_one();
  for (const auto& thread : shared_->threads) thread->thread.join();
}

bool Fibers::run(std::function<void()> work) {
  SVC_ASSERT(work);
  std::condition_variable* rested = nullptr;
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->works.size() >= limits::fiber_work_waiting_max) return false;
    shared_->works.push_back(std::move(work));
    for (const auto& thread : shared_->threads) {
      if (thread->live >= limits::fibers_per_thread_max || !thread->rouse()) continue;
      rested = &thread->rested;
      break;
    }
  }
  if (rested != nullptr) rested->notify_one();
  return true;
}

}  // namespace svc
