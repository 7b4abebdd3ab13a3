// A value, or the reason why there is none. Names follow std::expected (C++23).
//
// Both sides may be any movable type. A Result must not be ignored: the type is [[nodiscard]].
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/assert.h"

namespace svc {

// Wraps an error so that it converts into any Result with that error type.
template <class E>
struct Unexpected {
  E error;
};

template <class E>
Unexpected(E) -> Unexpected<E>;

template <class E>
[[nodiscard]] constexpr Unexpected<std::decay_t<E>> unexpected(E&& error) {
  return {std::forward<E>(error)};
}

// An error type that says so is never taken for a value, and converts into a Result by itself.
template <class E>
concept PlainError = requires {
  typename E::IsPlainError;
};

// A union of its own: std::variant would compile some forty functions for each type of value in each unit, a third of
// all that a unit of the client holds. (D-602)
template <class T, class E>
class [[nodiscard]] Result {
  static constexpr bool is_trivial =
      std::is_trivially_copy_constructible_v<T> && std::is_trivially_copy_constructible_v<E> &&
      std::is_trivially_move_constructible_v<T> && std::is_trivially_move_constructible_v<E> &&
      std::is_trivially_destructible_v<T> && std::is_trivially_destructible_v<E>;

 public:
  constexpr Result(T value) : has_value_(true), value_(std::move(value)) {}
  template <class F>
  requires std::is_constructible_v<E, F>
  constexpr Result(Unexpected<F> unexpected) : has_value_(false), error_(std::move(unexpected.error)) {}
  template <PlainError F>
  requires std::is_same_v<E, F>
  constexpr Result(F error) : has_value_(false), error_(std::move(error)) {}

  constexpr Result(const Result& other) requires is_trivial = default;
  constexpr Result(const Result& other) requires(!is_trivial && std::is_copy_constructible_v<T> &&
                                                 std::is_copy_constructible_v<E>)
      : has_value_(other.has_value_) {
    if (has_value_)
      std::construct_at(&value_, other.value_);
    else
      std::construct_at(&error_, other.error_);
  }
  constexpr Result(Result&& other) requires is_trivial = default;
  constexpr Result(Result&& other) noexcept requires(!is_trivial) : has_value_(other.has_value_) { take(other); }
  constexpr Result& operator=(Result other) noexcept {
    destroy();
    has_value_ = other.has_value_;
    take(other);
    return *this;
  }
  constexpr ~Result() requires is_trivial = default;
  constexpr ~Result() { destroy(); }

  [[nodiscard]] constexpr bool has_value() const { return has_value_; }
  constexpr explicit operator bool() const { return has_value_; }

  constexpr T& value() & {
    SVC_ASSERT(has_value_);
    return value_;
  }
  constexpr const T& value() const& {
    SVC_ASSERT(has_value_);
    return value_;
  }
  constexpr T&& value() && {
    SVC_ASSERT(has_value_);
    return std::move(value_);
  }
  constexpr T& operator*() & { return value(); }
  constexpr const T& operator*() const& { return value(); }
  constexpr T&& operator*() && { return std::move(*this).value(); }
  constexpr T* operator->() { return &value(); }
  constexpr const T* operator->() const { return &value(); }

  constexpr E& error() & {
    SVC_ASSERT(!has_value_);
    return error_;
  }
  constexpr const E& error() const& {
    SVC_ASSERT(!has_value_);
    return error_;
  }
  constexpr E&& error() && {
    SVC_ASSERT(!has_value_);
    return std::move(error_);
  }

 private:
  // The moves of what a Result carries do not throw, so that none is ever left with neither side.
  constexpr void take(Result& other) noexcept {
    if (has_value_)
      std::construct_at(&value_, std::move(other.value_));
    else
      std::construct_at(&error_, std::move(other.error_));
  }
  constexpr void destroy() {
    if (has_value_)
      std::destroy_at(&value_);
    else
      std::destroy_at(&error_);
  }

  bool has_value_;
  union {
    T value_;
    E error_;
  };
};

// Success carries nothing.
template <class E>
class [[nodiscard]] Result<void, E> : public Result<std::monostate, E> {
 public:
  using Result<std::monostate, E>::Result;

  constexpr Result() : Result<std::monostate, E>(std::monostate{}) {}
  constexpr void operator*() const { SVC_ASSERT(this->has_value()); }
};

}  // namespace svc

// The value of a Result, moved out of it; if the Result has an error, returns that from the function:
//
//   const auto price = SVC_TRY(parse_price(text));
//
// A statement expression (g++ and clang), because nothing else in C++20 can both return and be a value.
#define SVC_TRY(...) SVC_TRY_AS(SVC_TRY_JOIN(svc_result_, __COUNTER__), __VA_ARGS__)
#define SVC_TRY_JOIN(a, b) SVC_TRY_JOIN_NOW(a, b)
#define SVC_TRY_JOIN_NOW(a, b) a##b
#define SVC_TRY_AS(result, ...)                                       \
  __extension__({                                                     \
    auto result = (__VA_ARGS__);                                      \
    if (!result) return ::svc::unexpected(std::move(result).error()); \
    *std::move(result);                                               \
  })
