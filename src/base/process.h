// Other processes of this machine, by process id; files and descriptors, as the kernel has them; memory in huge pages.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace svc {

// A killed process still has its id, its locks and its sockets for a moment: `ending`. One that only waits to be
// reaped by its parent is `gone`.
enum class ProcessState : std::uint8_t { runs, ending, gone };

[[nodiscard]] ProcessState process_state(pid_t process);

// When that process started, in clock ticks since the machine did: it tells two processes apart that had one id. 0 if
// there is no such process.
[[nodiscard]] std::uint64_t start_of_process(pid_t process);
// The same, of a process that was seen to start then: `gone` if another one has its id by now. 0: not known.
[[nodiscard]] ProcessState process_state(pid_t process, std::uint64_t start);

// The path with the links at its end followed, also to a file that does not exist yet: a file that is replaced by a
// rename stays behind the links that its user made. A stranger's link in a shared folder is not followed.
[[nodiscard]] std::filesystem::path link_target(const std::filesystem::path& file);

// The text of a file; empty if it cannot be read. Files below /proc vanish when their process ends.
[[nodiscard]] std::string file_text(const std::string& file);

// A descriptor of the kernel, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    const Descriptor former(std::exchange(number_, other.release()));
    return *this;
  }
  ~Descriptor() { close(); }

  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  // The caller closes it.
  [[nodiscard]] int release() { return std::exchange(number_, -1); }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;

  // Neither end is inherited by programs; nullopt with errno if there is none.
  [[nodiscard]] static std::optional<Pipe> open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  }
};

enum class Written : std::uint8_t { whole, reader_gone, failed };

// Writes the whole text, in as many pieces as it takes; errno has the reason of a failure. An empty text writes
// nothing: the result is `reader_gone` if the descriptor is a pipe without a reader.
[[nodiscard]] Written write_all(int descriptor, std::string_view text);
// Like write_all, but waits at most `patience_ms` for the reader, and subtracts the time that it waited. Returns
// `failed` if a part of the text was dropped.
[[nodiscard]] Written write_within(int descriptor, std::string_view text, std::int64_t& patience_ms);
// The signal that ends the run, set by its handler; 0: none came. After it write_all waits at most a second for a
// reader.
inline volatile std::sig_atomic_t run_is_ending = 0;

// Makes sure that the names in the folder outlive a power cut; empty: the working folder. False: errno has the reason.
[[nodiscard]] bool sync_folder(const std::string& folder);

// The state from the texts of /proc/PID/stat and /proc/PID/status. If they do not tell, the process counts as
// running.
[[nodiscard]] ProcessState process_state(std::string_view stat, std::string_view status);

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
