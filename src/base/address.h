// An account or agent address: 20 bytes, written as 0x and 40 lower-case hex digits.
#pragma once

#include <compare>

#include "base/encoding.h"

namespace svc {

struct Address {
  std::array<std::uint8_t, 20> bytes{};

  auto operator<=>(const Address&) const = default;
};

// 40 hex digits of any case; the 0x may be missing (header x-acting-account). nullopt otherwise.
[[nodiscard]] inline std::optional<Address> parse_address_lenient(std::string_view text) {
  const auto bytes = from_hex_exact<20>(strip_0x(text));
  return bytes ? std::optional(Address{*bytes}) : std::nullopt;
}
// As above, but requires the 0x.
[[nodiscard]] inline std::optional<Address> parse_address(std::string_view text) {
  return text.starts_with("0x") ? parse_address_lenient(text) : std::nullopt;
}
[[nodiscard]] inline std::string to_string(const Address& address) {
  return to_hex_0x(address.bytes);
}

}  // namespace svc

template <>
struct std::hash<svc::Address> {
  std::size_t operator()(const svc::Address& address) const noexcept {
    std::size_t result = 0xcbf29ce484222325u;
    for (const std::uint8_t byte : address.bytes) result = (result ^ byte) * 0x100000001b3u;
    return result;
  }
};
