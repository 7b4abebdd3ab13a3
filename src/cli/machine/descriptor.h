// A descriptor of the kernel, closed at the end.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "base/process.h"

namespace svc::cli {

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

}  // namespace svc::cli
