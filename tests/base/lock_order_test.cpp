// Locks must be taken from the outside in.
#include "base/lock_order.h"

#include <gtest/gtest.h>

#include "base/fibers.h"

namespace svc {
namespace SVC_FILE {

using Outer = Ranked<LockRank::turn>;
using Inner = Ranked<LockRank::streams>;

TEST(LockOrder, FromTheOutsideInIsAllowed) {
  Outer outer;
  Inner inner;
  RankedShared<LockRank::views> shared;
  for (int i = 0; i < 2; ++i) {
    const std::lock_guard first(outer);
    const std::lock_guard second(inner);
    const std::shared_lock third(shared);
  }
  const std::lock_guard alone(inner);
}

TEST(LockOrder, LocksMayBeReleasedInAnyOrder) {
  Outer outer;
  Inner inner;
  std::unique_lock first(outer);
  std::unique_lock second(inner);
  first.unlock();
  second.unlock();
  const std::lock_guard again(outer);
}

TEST(LockOrder, ARecursiveLockMayBeTakenAgainUnderLaterOnes) {
  RankedRecursive<LockRank::turn> turn;
  Inner inner;
  const std::lock_guard first(turn);
  const std::lock_guard second(inner);
  const std::lock_guard again(turn);
}

TEST(LockOrderDeathTest, FromTheInsideOutAborts) {
  Outer outer;
  Inner inner;
  const std::lock_guard first(inner);
  EXPECT_DEATH(outer.lock(), "lock order: turn asked for while streams is held");
}

TEST(LockOrderDeathTest, TwoOfOneRankAbort) {
  Inner one;
  Inner other;
  const std::lock_guard first(one);
  EXPECT_DEATH(other.lock(), "lock order: streams asked for while streams is held");
}

TEST(LockOrderDeathTest, TheSameLockTwiceAborts) {
  RankedShared<LockRank::views> views;
  const std::shared_lock first(views);
  EXPECT_DEATH(views.lock(), "lock order: views asked for while views is held");
}

TEST(LockOrderDeathTest, HoldingALockAtATurnstileOrAGateAborts) {
  Inner inner;
  Turnstile turnstile;
  Gate gate;
  const std::lock_guard held(inner);
  EXPECT_DEATH((void)turnstile.share(), "a turnstile, a gate or a waiter asked for while streams is held");
  EXPECT_DEATH(gate.lock(), "a turnstile, a gate or a waiter asked for while streams is held");
}

}  // namespace SVC_FILE
}  // namespace svc
