// Many pieces of work on few threads, and the locks that fibers may hold while waiting.

#include "base/fibers.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace svc {
namespace SVC_FILE {

// Keeps the thread of its fiber busy until released, so that new work accumulates.
class Plug {
 public:
  explicit Plug(Fibers& fibers) {
    EXPECT_TRUE(fibers.run([this] {
      is_in.test_and_set();
      is_in.notify_all();
      is_out.wait(false);
    }));
    is_in.wait(false);
  }
  void pull() {
    is_out.test_and_set();
    is_out.notify_all();
  }

 private:
  std::atomic_flag is_in;
  std::atomic_flag is_out;
};

struct Bell {
  void ring() {
    is_rung.test_and_set();
    is_rung.notify_all();
  }
  std::atomic_flag is_rung;
};

TEST(Fibers, WaitOnOneThreadAndContinueInTheOrderOfWaking) {
  constexpr std::size_t count = 300;  // more fibers than a thread has: the others run when those are done
  std::mutex mutex;
  std::vector<Waiter*> waiting;
  std::set<std::thread::id> threads;
  std::atomic<std::size_t> done{0};
  {
    Fibers fibers(1);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(fibers.run([&] {
        Waiter waiter;
        {
          const std::lock_guard lock(mutex);
          waiting.push_back(&waiter);
          threads.insert(std::this_thread::get_id());
        }
        // An exception inside one fiber does not affect the others.
        try {
          throw std::runtime_error("within");
        } catch (const std::runtime_error&) {
          done += 1;
        }
        waiter.wait();
        done += 1;
      }));
    while (done < 2 * count) {
      std::vector<Waiter*> now;
      {
        const std::lock_guard lock(mutex);
        now.swap(waiting);
      }
      EXPECT_LE(now.size(), limits::fibers_per_thread_max);
      for (Waiter* waiter : now) waiter->wake();
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(threads.size(), 1u);
}

TEST(Fibers, IdleWorkRunsWhenAllHaveHadTheirTurn) {
  struct Last final : IdleWork {
    void do_idle_work() override {
      had_turn_before = had_turn.load();
      for (Waiter* waiter : waiting) waiter->wake();
    }
    std::atomic<int> had_turn{0};
    int had_turn_before = 0;
    std::vector<Waiter*> waiting;
  } last;
  constexpr int count = 10;
  {
    Fibers fibers(1);
    Plug plug(fibers);
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE(fibers.run([&] {
        Waiter waiter;
        last.had_turn += 1;
        last.waiting.push_back(&waiter);
        when_idle(*current_fiber_thread(), last);
        waiter.wait();
      }));
    plug.pull();
  }
  EXPECT_EQ(last.had_turn_before, count);
}

TEST(Fibers, WhatIsDueWhenATurnEndsComesAfterTheFibersAndBeforeIdleWork) {
  std::vector<std::string> order;
  struct Last final : IdleWork {
    explicit Last(std::vector<std::string>& in) : order(in) {}
    void do_idle_work() override { order.emplace_back("idle"); }
    std::vector<std::string>& order;
  } last(order);
  {
    Fibers fibers(1);
    Plug plug(fibers);
    for (const char* name : {"first", "second"})
      ASSERT_TRUE(fibers.run([&, name] {
        order.emplace_back(name);
        when_idle(*current_fiber_thread(), last);
        when_turn_ends([&order, name] { order.push_back(std::string(name) + " ends"); });
      }));
    plug.pull();
  }
  EXPECT_EQ(order, (std::vector<std::string>{"first", "second", "first ends", "second ends", "idle"}));
  when_turn_ends([&] { order.clear(); });
  EXPECT_TRUE(order.empty()) << "at once on a thread without fibers";
}

TEST(Fibers, WhatIdleWorkAsksForWhenTheTurnEndsIsDoneAtOnce) {
  struct Last final : IdleWork {
    void do_idle_work() override {
      when_turn_ends([this] { is_done = true; });
      was_done_at_once = is_done;
    }
    bool is_done = false;
    bool was_done_at_once = false;
  } last;
  {
    Fibers fibers(1);
    ASSERT_TRUE(fibers.run([&] { when_idle(*current_fiber_thread(), last); }));
  }
  EXPECT_TRUE(last.was_done_at_once) << "nothing may follow that would end another turn";
}

TEST(Fibers, IdleWorkOfAllThreadsWaitsForTheTurnsOfEachOfThem) {
  struct Last final : IdleWork {
    void do_idle_work() override { turns += 1; }
    std::atomic<int> turns{0};
  } last;
  Bell is_asked;
  Bell is_next_turn;
  {
    Fibers fibers(2, IdleWorkOf::all_threads);
    Plug plug(fibers);
    ASSERT_TRUE(fibers.run([&] {
      is_asked.ring();
      when_idle(*current_fiber_thread(), last);
    }));
    is_asked.is_rung.wait(false);
    ASSERT_TRUE(fibers.run([&] { is_next_turn.ring(); }));
    is_next_turn.is_rung.wait(false);
    EXPECT_EQ(last.turns, 0) << "the other thread has its turn still";
    plug.pull();
  }
  EXPECT_EQ(last.turns, 1);
}

TEST(Fibers, WokenTogetherRunWhenTheWakerIsDone) {
  struct Last final : IdleWork {
    void do_idle_work() override { turns += 1; }
    std::atomic<int> turns{0};
  } last;
  constexpr int count = 10;
  std::mutex mutex;
  std::vector<Waiter*> waiting;
  std::atomic<int> done{0};
  {
    Fibers fibers(2);
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE(fibers.run([&] {
        Waiter waiter;
        {
          const std::lock_guard lock(mutex);
          waiting.push_back(&waiter);
        }
        waiter.wait();
        done += 1;
        when_idle(*current_fiber_thread(), last);
      }));
    const auto waits = [&] {
      const std::lock_guard lock(mutex);
      return waiting.size() == count;
    };
    while (!waits()) std::this_thread::yield();
    Waiter of_a_thread;
    std::jthread thread([&] { of_a_thread.wait(); });
    {
      const WakesTogether together;
      for (Waiter* waiter : waiting) waiter->wake();
      of_a_thread.wake();
      thread.join();  // a thread is woken at once
      EXPECT_EQ(done, 0);
    }
  }
  EXPECT_EQ(done, count);
  EXPECT_LE(last.turns, 2);  // each thread was disturbed once
}

TEST(Fibers, RefuseExcessWorkAndFinishAcceptedWork) {
  std::atomic<std::size_t> done{0};
  {
    Fibers fibers(1);
    Plug plug(fibers);
    for (std::size_t i = 0; i < limits::fiber_work_waiting_max; ++i) ASSERT_TRUE(fibers.run([&] { done += 1; }));
    EXPECT_FALSE(fibers.run([&] { done += 1; }));
    plug.pull();
  }
  EXPECT_EQ(done, limits::fiber_work_waiting_max);
}

TEST(Fibers, HoldAGateWhileWaitingWithoutBlockingTheirThread) {
  Gate gate;
  std::vector<int> order;
  Bell is_held;
  Waiter* holder = nullptr;
  {
    Fibers fibers(1);
    ASSERT_TRUE(fibers.run([&] {
      const std::unique_lock lock(gate);
      Waiter waiter;
      holder = &waiter;
      is_held.ring();
      waiter.wait();
      order.push_back(1);
    }));
    is_held.is_rung.wait(false);
    Bell is_waited_for;
    ASSERT_TRUE(fibers.run([&] {
      is_waited_for.ring();
      const std::unique_lock lock(gate);
      order.push_back(2);
    }));
    is_waited_for.is_rung.wait(false);
    Bell is_past;
    ASSERT_TRUE(fibers.run([&] { is_past.ring(); }));
    is_past.is_rung.wait(false);  // the second fiber did not stop the thread
    holder->wake();
    const std::unique_lock lock(gate);
  }
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Turnstile, NobodyPassesAnExclusiveWaiterAndFibersReleaseIt) {
  Turnstile turnstile;
  std::mutex mutex;
  std::vector<std::string> order;
  const auto note = [&](const char* what) {
    const std::lock_guard lock(mutex);
    order.emplace_back(what);
  };
  Bell is_shared;
  Waiter* sharer = nullptr;
  {
    Fibers fibers(1);
    ASSERT_TRUE(fibers.run([&] {
      const auto here = turnstile.share();
      Waiter waiter;
      sharer = &waiter;
      is_shared.ring();
      waiter.wait();
      note("shared");
    }));
    is_shared.is_rung.wait(false);
    { const auto also = turnstile.share(); }
    std::jthread lonely([&] {
      const auto here = turnstile.exclusive();
      note("alone");
    });
    // Once somebody waits for exclusive access, this fiber waits as well, but its thread does not.
    while (!turnstile.has_waiters()) std::this_thread::yield();
    ASSERT_TRUE(fibers.run([&] {
      const auto here = turnstile.share();
      note("shared after");
    }));
    Bell is_past;
    ASSERT_TRUE(fibers.run([&] { is_past.ring(); }));
    is_past.is_rung.wait(false);
    sharer->wake();
  }
  EXPECT_EQ(order, (std::vector<std::string>{"shared", "alone", "shared after"}));
}

}  // namespace SVC_FILE
}  // namespace svc
