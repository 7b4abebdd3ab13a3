// Integers as text.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

// nullopt unless the whole text is a number that T can hold: digits, and a minus before them if T is signed.
template <std::integral T>
[[nodiscard]] std::optional<T> parse_integer(std::string_view text, int base = 10) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

// 16 digits for every number, so that texts sort like the numbers.
[[nodiscard]] inline std::string hex_of(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = text.size(); value != 0; value >>= 4) text[--i] = "0123456789abcdef"[value & 15];
  return text;
}

}  // namespace svc
