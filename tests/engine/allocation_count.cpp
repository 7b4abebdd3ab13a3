#include "allocation_count.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count = 0;
std::atomic<std::ptrdiff_t> bytes = 0;

}  // namespace

namespace svc::test {

std::size_t allocations() {
  return count;
}
std::ptrdiff_t live_bytes() {
  return bytes;
}

}  // namespace svc::test

namespace {

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  ++count;
  bytes += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(std::malloc(size));
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(std::aligned_alloc(static_cast<std::size_t>(alignment), size));
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  bytes -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

void operator delete(void* memory, std::align_val_t) noexcept {
  operator delete(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  operator delete(memory);
}
