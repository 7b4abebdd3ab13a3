// Descriptors of the kernel: closed at the end, read and written whole.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace svc {

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
  // Hands the descriptor to the caller, who has to close it.
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

// How long a pipe may be silent; nullopt: any time.
using PipePatience = std::optional<std::int64_t>;

// False with errno if nothing came in time.
[[nodiscard]] bool wait_for_bytes(int descriptor, PipePatience patience_ms);
// All that is left to read, at most `limit` bytes; false with errno.
[[nodiscard]] bool read_all(int descriptor, std::size_t limit, std::string& text, PipePatience patience_ms = {});

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

}  // namespace svc
