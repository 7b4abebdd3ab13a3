// The switch between a thread's own stack and those of its fibers, with the calls that sanitizers need.
//
// For fibers.cpp only.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstddef>
#include <memory>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace svc {

// One fiber's stack. It must have finished before it is destroyed.
class FiberStack {
 public:
  // `body` runs at the first enter(); when it returns, the fiber has finished.
  template <class F>
  FiberStack(std::size_t bytes, F body) {
    boost::context::protected_fixedsize_stack allocator(bytes);
    const auto memory = allocator.allocate();
    bottom_ = static_cast<char*>(memory.sp) - memory.size;
    bytes_ = memory.size;
#if defined(__SANITIZE_THREAD__)
    tsan_ = __tsan_create_fiber(0);
#endif
    other_ = boost::context::fiber(std::allocator_arg, boost::context::preallocated(memory.sp, memory.size, memory),
                                   allocator, [this, body = std::move(body)](boost::context::fiber&& thread) {
                                     other_ = std::move(thread);
                                     arrived(nullptr);
                                     body();
                                     leaving(nullptr);
                                     return std::move(other_);
                                   });
  }
  FiberStack(const FiberStack&) = delete;
  FiberStack& operator=(const FiberStack&) = delete;
#if defined(__SANITIZE_THREAD__)
  ~FiberStack() {
    __tsan_destroy_fiber(tsan_);
  }
#endif

  // Called on the thread's own stack; returns when the fiber leaves.
  void enter() {
#if defined(__SANITIZE_ADDRESS__)
    void* own = nullptr;
    __sanitizer_start_switch_fiber(&own, bottom_, bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    tsan_thread_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_, 0);
#endif
    other_ = std::move(other_).resume();
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(own, nullptr, nullptr);
#endif
  }

  // Called in the fiber; returns at the next enter().
  void leave() {
    void* own = nullptr;
    leaving(&own);
    other_ = std::move(other_).resume();
    arrived(own);
  }

 private:
  void leaving([[maybe_unused]] void** own) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(own, thread_bottom_, thread_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(tsan_thread_, 0);
#endif
  }
  void arrived([[maybe_unused]] void* own) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(own, &thread_bottom_, &thread_bytes_);
#endif
  }

  boost::context::fiber other_;  // the other side of the switch
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
#if defined(__SANITIZE_ADDRESS__)
  const void* thread_bottom_ = nullptr;
  std::size_t thread_bytes_ = 0;
#endif
#if defined(__SANITIZE_THREAD__)
  void* tsan_ = nullptr;
  void* tsan_thread_ = nullptr;
#endif
};

}  // namespace svc
