#include "signing/uint256.h"

#include <algorithm>
#include <bit>

#include "base/encoding.h"

namespace svc::signing {
namespace {

// value = value * base + digit; false if that exceeds 256 bits.
bool push_digit(Uint256& value, unsigned base, unsigned digit) {
  unsigned carry = digit;
  for (std::size_t i = value.big_endian.size(); i-- > 0;) {
    carry += value.big_endian[i] * base;
    value.big_endian[i] = static_cast<std::uint8_t>(carry);
    carry >>= 8;
  }
  return carry == 0;
}

// value = value / 10; returns the remainder.
unsigned pop_decimal_digit(Uint256& value) {
  unsigned remainder = 0;
  for (std::uint8_t& byte : value.big_endian) {
    remainder = remainder * 256 + byte;
    byte = static_cast<std::uint8_t>(remainder / 10);
    remainder %= 10;
  }
  return remainder;
}

}  // namespace

std::optional<Uint256> parse_uint256(std::string_view text) {
  const std::string_view digits = strip_0x(text);
  const unsigned base = digits.size() == text.size() ? 10 : 16;
  if (digits.empty()) return std::nullopt;
  Uint256 value;
  for (const char c : digits) {
    const auto digit = static_cast<unsigned>(hex_digit(c));  // -1 is above every base
    if (digit >= base || !push_digit(value, base, digit)) return std::nullopt;
  }
  return value;
}

std::string to_string(const Uint256& value) {
  Uint256 left = value;
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + pop_decimal_digit(left)));
  } while (left != Uint256{});
  std::reverse(digits.begin(), digits.end());
  return digits;
}

int bit_width(const Uint256& value) {
  for (std::size_t i = 0; i < value.big_endian.size(); ++i)
    if (value.big_endian[i] != 0) return 8 * static_cast<int>(31 - i) + std::bit_width(value.big_endian[i]);
  return 0;
}

}  // namespace svc::signing
