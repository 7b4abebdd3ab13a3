// Locks with ranks. A thread must take them from the outside in: a thread that requests a lock while holding one of
// the same or a later rank could deadlock. While checks are on, the process aborts in that case, with both names, even
// if no other thread was involved.
//
// Turnstiles and gates (fibers.h) are outside of all ranks: no lock is held while waiting for one.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "base/checks.h"

namespace svc {

// From the outside in.
enum class LockRank : std::uint8_t {
  shelf,        // named snapshots
  turn,         // the single writer, and readers of the engine
  actors,       // bots, drills, tapes
  streams,      // sequences, readers and their subscriptions
  connections,  // the list of open streams
  views_door,   // readers of the views enter one by one
  views,        // read models computed from events
  guard,        // timers of cancel-on-disconnect
  store,        // rows of one service
  queue,        // writers waiting for a commit
  log,          // the journal, or its replacement in memory
  counter,      // budgets, census, coverage, faults, the request log
  intake,       // events waiting for the streams
  clock,        // the sandbox's time
  mailbox,      // tasks for an I/O thread
};

// Each does nothing while checks are off.
namespace lock_order {
enum class Again : bool { never, allowed };

namespace checked {
void take(LockRank rank, const void* lock, Again again);
void give_back(const void* lock);
void expect_none();
}  // namespace checked

inline void take(LockRank rank, const void* lock, Again again = Again::never) {
  if (checks_are_on) [[unlikely]]
    checked::take(rank, lock, again);
}
inline void give_back(const void* lock) {
  if (checks_are_on) [[unlikely]]
    checked::give_back(lock);
}
// Aborts if this thread holds any lock.
inline void expect_none() {
  if (checks_are_on) [[unlikely]]
    checked::expect_none();
}
}  // namespace lock_order

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

// Can be taken again by the thread that holds it.
template <LockRank rank>
using RankedRecursive = Ranked<rank, std::recursive_mutex, lock_order::Again::allowed>;

// Also for std::shared_lock.
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

// A copy of the value, made under its lock.
template <class Mutex, class T>
[[nodiscard]] T copy_under(Mutex& mutex, const T& value) {
  const std::lock_guard lock(mutex);
  return value;
}

}  // namespace svc
