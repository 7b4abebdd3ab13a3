// One write of an account at a time, where looking and writing must not be torn apart: two requests with one
// idempotency key, say. Accounts share a bounded number of locks, so two of them may wait for each other.
//
// Taken before the sequencer's turn, never within it.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include "base/address.h"
#include "base/gate.h"

namespace svc::sim {

class AccountTurns {
 public:
  [[nodiscard]] std::unique_lock<Gate> take(const Address& account) {
    return std::unique_lock(locks_[std::hash<Address>{}(account) % locks_.size()]);
  }

 private:
  std::array<Gate, 64> locks_;
};

}  // namespace svc::sim
