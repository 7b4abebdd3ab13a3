// Text or bytes that must not leak: wiped when dropped, never printed, compared in constant time.
//
// There is no operator<< and no operator==; code that needs the value calls reveal().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace svc {

// Overwrites memory in a way the compiler may not elide.
void wipe(void* memory, std::size_t size);

// A value whose memory is wiped when it is dropped.
template <class T>
struct Wiped : T {
  Wiped() : T{} {}
  explicit Wiped(const T& value) : T(value) {}
  Wiped(const Wiped&) = default;
  Wiped& operator=(const Wiped&) = default;
  ~Wiped() { wipe(static_cast<T*>(this), sizeof(T)); }
};

// True if both are equal; the time taken depends on the lengths only.
[[nodiscard]] bool equal_constant_time(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);
[[nodiscard]] bool equal_constant_time(std::string_view a, std::string_view b);

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept : value_(std::move(other.value_)) { other.clear(); }
  Secret& operator=(Secret other) noexcept {
    clear();
    value_ = std::move(other.value_);
    return *this;
  }
  ~Secret() { clear(); }

  [[nodiscard]] std::string_view reveal() const { return value_; }
  [[nodiscard]] bool empty() const { return value_.empty(); }

 private:
  void clear();
  std::string value_;
};

}  // namespace svc
