// An account or agent address: 20 bytes, written as 0x and 40 lower-case hex digits.
#pragma once

#include <compare>
#include <cstring>

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

// Anybody can choose addresses, so all their bytes are mixed.
template <>
struct std::hash<svc::Address> {
  using is_avalanching = void;  // the library mixes nothing more
  std::size_t operator()(const svc::Address& address) const noexcept {
    std::uint64_t words[2];
    std::uint32_t tail;
    static_assert(sizeof words + sizeof tail == sizeof address.bytes);
    std::memcpy(words, address.bytes.data(), sizeof words);
    std::memcpy(&tail, address.bytes.data() + sizeof words, sizeof tail);
    std::uint64_t hash = (words[0] ^ tail) * 0x9E3779B97F4A7C15;
    hash = ((hash ^ (hash >> 29)) + words[1]) * 0xBF58476D1CE4E5B9;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};
