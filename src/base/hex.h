// Hexadecimal text of bytes. Encoding is lower case; decoding takes any case.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

using Bytes = std::vector<std::uint8_t>;

[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::string to_hex_0x(std::span<const std::uint8_t> bytes);

// Text without its leading "0x" or "0X", if it has one.
[[nodiscard]] std::string_view strip_0x(std::string_view text);

// nullopt unless the text is an even number of hex digits (no prefix).
[[nodiscard]] std::optional<Bytes> from_hex(std::string_view digits);

// nullopt unless the text is exactly N bytes (no prefix).
template <std::size_t N>
[[nodiscard]] std::optional<std::array<std::uint8_t, N>> from_hex_exact(std::string_view digits) {
  if (digits.size() != 2 * N) return std::nullopt;
  const auto bytes = from_hex(digits);
  if (!bytes) return std::nullopt;
  std::array<std::uint8_t, N> result{};
  std::copy(bytes->begin(), bytes->end(), result.begin());
  return result;
}

[[nodiscard]] inline std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace svc
