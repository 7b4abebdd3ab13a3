#include "cli/wiped_heap.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/secret.h"

namespace svc::cli {
namespace {

std::atomic<bool> freed_memory_is_wiped = false;

}  // namespace

void wipe_freed_memory() {
  freed_memory_is_wiped.store(true, std::memory_order_relaxed);
}

}  // namespace svc::cli

void* operator new(std::size_t size) {
  while (true) {
    if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept {
  const bool wipes = svc::cli::freed_memory_is_wiped.load(std::memory_order_relaxed);
  if (wipes && block != nullptr) svc::wipe(block, ::malloc_usable_size(block));
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}
