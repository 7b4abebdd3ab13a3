// An account or agent address: 20 bytes, written as 0x and 40 lower-case hex digits.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

struct Address {
  std::array<std::uint8_t, 20> bytes{};

  auto operator<=>(const Address&) const = default;
};

// Requires 0x and 40 hex digits of any case; nullopt otherwise.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);
// As above, but the 0x may be missing (header x-acting-account).
[[nodiscard]] std::optional<Address> parse_address_lenient(std::string_view text);
[[nodiscard]] std::string to_string(const Address& address);

}  // namespace svc

template <>
struct std::hash<svc::Address> {
  std::size_t operator()(const svc::Address& address) const noexcept {
    std::size_t result = 0xcbf29ce484222325u;
    for (const std::uint8_t byte : address.bytes) result = (result ^ byte) * 0x100000001b3u;
    return result;
  }
};
