// Locks that know their place. A thread takes them from the outside in; whoever asks for one while it holds one of the
// same or of a later rank could wait for somebody who waits for him. Builds that check invariants abort then, with
// both names, whether or not anybody else was there; others hold the mutex alone.
//
// Turnstiles and gates (fibers.h) are outside of all of these: no lock is held while one is waited for.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>

namespace svc {

// From the outside in.
enum class LockRank : std::uint8_t {
  shelf,          // named snapshots
  turn,           // the single writer, and whoever reads the engine
  actors,         // bots, drills, tapes
  streams,        // sequences, readers and their subscriptions
  connections,    // the list of open streams
  views_door,     // readers pass one by one
  views,          // what is folded from events
  guard,          // timers of cancel-on-disconnect
  store,          // rows of one service
  queue,          // writers who wait for a commit
  log,            // the journal, or what stands for it
  counter,        // budgets, census, coverage, faults, the request log
  intake,         // events that wait for the streams
  clock,          // the sandbox's time
  mailbox,        // letters to an I/O thread
};

#ifdef SVC_CHECK_INVARIANTS
namespace lock_order {
enum class Again : bool { never, allowed };
void take(LockRank rank, const void* lock, Again again = Again::never);
void give_back(const void* lock);
// Aborts if this thread holds any lock.
void expect_none();
}  // namespace lock_order
#else
namespace lock_order {
enum class Again : bool { never, allowed };
inline void take(LockRank, const void*, Again = Again::never) {}
inline void give_back(const void*) {}
inline void expect_none() {}
}  // namespace lock_order
#endif

// For std::lock_guard, std::unique_lock and std::condition_variable_any.
template <LockRank rank, class Mutex = std::mutex, lock_order::Again again = lock_order::Again::never>
class Ranked {
 public:
  void lock() {
    lock_order::take(rank, this, again);
    mutex_.lock();
  }
  void unlock() {
    mutex_.unlock();
    lock_order::give_back(this);
  }

 protected:
  Mutex mutex_;
};

// May be taken again by the thread that has it.
template <LockRank rank>
using RankedRecursive = Ranked<rank, std::recursive_mutex, lock_order::Again::allowed>;

// For std::shared_lock as well.
template <LockRank rank>
class RankedShared : public Ranked<rank, std::shared_mutex> {
 public:
  void lock_shared() {
    lock_order::take(rank, this);
    this->mutex_.lock_shared();
  }
  void unlock_shared() {
    this->mutex_.unlock_shared();
    lock_order::give_back(this);
  }
};

}  // namespace svc
