#include "base/address.h"

#include "base/encoding.h"

namespace svc {

std::optional<Address> parse_address(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  return parse_address_lenient(text);
}

std::optional<Address> parse_address_lenient(std::string_view text) {
  const auto bytes = from_hex_exact<20>(strip_0x(text));
  if (!bytes) return std::nullopt;
  return Address{*bytes};
}

std::string to_string(const Address& address) {
  return to_hex_0x(address.bytes);
}

}  // namespace svc
