#include "signing/checksum_address.h"

#include "signing/hash.h"

namespace svc::signing {

std::string checksum_address(const Address& address) {
  std::string text = to_string(address);
  const Hash32 hash = keccak256(std::string_view(text).substr(2));
  for (std::size_t i = 0; i < 40; ++i) {
    const int nibble = i % 2 == 0 ? hash[i / 2] >> 4 : hash[i / 2] & 15;
    char& c = text[i + 2];
    if (c >= 'a' && nibble >= 8) c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

bool checksum_holds(std::string_view text) {
  const auto address = parse_address(text);
  if (!address) return false;
  const std::string_view digits = text.substr(2);
  const bool has_lower = digits.find_first_of("abcdef") != std::string_view::npos;
  const bool has_upper = digits.find_first_of("ABCDEF") != std::string_view::npos;
  return !(has_lower && has_upper) || checksum_address(*address) == text;
}

}  // namespace svc::signing
