#include "base/lock_order.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "base/enumerators.h"
#include "base/find.h"

namespace svc::lock_order::checked {
namespace {

constexpr std::size_t held_max = 32;

struct Held {
  LockRank rank{};
  const void* lock = nullptr;
};
struct HeldLocks {
  std::array<Held, held_max> locks{};
  std::size_t count = 0;
};
thread_local HeldLocks held;

// The name of an enumerator ends inside a longer text.
std::string name_of(LockRank rank) {
  return std::string(enumerator_names<LockRank, LockRank::mailbox>[static_cast<std::size_t>(rank)]);
}

[[noreturn]] void fail(const std::string& wanted, LockRank holding) {
  std::fprintf(stderr, "lock order: %s asked for while %s is held\n", wanted.c_str(), name_of(holding).c_str());
  std::abort();
}

}  // namespace

void take(LockRank rank, const void* lock, Again again) {
  const std::span<const Held> all(held.locks.data(), held.count);
  // Taking a recursive lock again never waits.
  const bool is_ours = again == Again::allowed && is_among(lock, all, &Held::lock);
  const Held* const blocking = found_where(all, [&](const Held& one) { return one.rank >= rank; });
  if (blocking != nullptr && !is_ours) fail(name_of(rank), blocking->rank);
  if (held.count == held_max) fail(name_of(rank), held.locks[held_max - 1].rank);
  held.locks[held.count++] = {rank, lock};
}

void give_back(const void* lock) {
  for (std::size_t i = held.count; i-- > 0;) {
    if (held.locks[i].lock != lock) continue;
    for (; i + 1 < held.count; ++i) held.locks[i] = held.locks[i + 1];
    --held.count;
    return;
  }
}

void expect_none() {
  if (held.count > 0) fail("a turnstile, a gate or a waiter", held.locks[held.count - 1].rank);
}

}  // namespace svc::lock_order::checked
