// Memory in huge pages.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace svc {

// An allocator for large arrays that are read at random: blocks of a few megabytes and more use huge pages, which
// avoids most address translations. Small blocks come from the heap as usual.
template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < worthwhile) return static_cast<T*>(::operator new(bytes));
    const std::size_t rounded = (bytes + page - 1) / page * page;
    void* memory = std::aligned_alloc(page, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    (void)madvise(memory, rounded, MADV_HUGEPAGE);  // a hint: harmless if refused
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < worthwhile) {
      ::operator delete(memory);
    } else {
      std::free(memory);
    }
  }

  bool operator==(const HugePageAllocator&) const = default;

 private:
  static constexpr std::size_t page = std::size_t{2} << 20;
  static constexpr std::size_t worthwhile = 2 * page;
};

}  // namespace svc
