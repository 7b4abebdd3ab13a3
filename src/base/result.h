// A value, or the reason why there is none. Names follow std::expected (C++23).
//
// Both sides may be any movable type. A Result must not be ignored: the type is [[nodiscard]].
#pragma once

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

template <class T, class E>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = E;

  constexpr Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  template <class F>
  requires std::is_constructible_v<E, F>
  constexpr Result(Unexpected<F> unexpected) : state_(std::in_place_index<1>, std::move(unexpected.error)) {}

  [[nodiscard]] constexpr bool has_value() const { return state_.index() == 0; }
  constexpr explicit operator bool() const { return has_value(); }

  constexpr T& value() & {
    SVC_ASSERT(has_value());
    return *std::get_if<0>(&state_);
  }
  constexpr const T& value() const& {
    SVC_ASSERT(has_value());
    return *std::get_if<0>(&state_);
  }
  constexpr T&& value() && {
    SVC_ASSERT(has_value());
    return std::move(*std::get_if<0>(&state_));
  }
  constexpr T& operator*() & { return value(); }
  constexpr const T& operator*() const& { return value(); }
  constexpr T&& operator*() && { return std::move(*this).value(); }
  constexpr T* operator->() { return &value(); }
  constexpr const T* operator->() const { return &value(); }

  constexpr E& error() & {
    SVC_ASSERT(!has_value());
    return *std::get_if<1>(&state_);
  }
  constexpr const E& error() const& {
    SVC_ASSERT(!has_value());
    return *std::get_if<1>(&state_);
  }
  constexpr E&& error() && {
    SVC_ASSERT(!has_value());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, E> state_;
};

// Success carries nothing.
template <class E>
class [[nodiscard]] Result<void, E> : public Result<std::monostate, E> {
 public:
  using value_type = void;
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
