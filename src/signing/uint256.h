// An unsigned 256-bit integer as text and as big-endian bytes: the integers of EIP-712.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::signing {

struct Uint256 {
  std::array<std::uint8_t, 32> big_endian{};

  constexpr Uint256() = default;
  constexpr Uint256(std::uint64_t value) {
    for (std::size_t i = 0; i < 8; ++i) big_endian[31 - i] = static_cast<std::uint8_t>(value >> (8 * i));
  }

  auto operator<=>(const Uint256&) const = default;
};

// Decimal digits, or 0x and hex digits. nullopt if malformed or above 2^256 - 1.
[[nodiscard]] std::optional<Uint256> parse_uint256(std::string_view text);
// Decimal digits without leading zeros.
[[nodiscard]] std::string to_string(const Uint256& value);

// Number of bits up to the highest that is set; 0 for zero.
[[nodiscard]] int bit_width(const Uint256& value);

}  // namespace svc::signing
