// A lock that many share and one may have alone. Nobody passes one who waits to have it alone: a crowd cannot lock that
// one out. Fibers may hold it while they wait (fibers.h), and it may be given back on another thread.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

#include "base/fibers.h"
#include "base/lock_order.h"

namespace svc {

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
