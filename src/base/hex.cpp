#include "base/hex.h"

namespace svc {
namespace {

constexpr char digits_lower[] = "0123456789abcdef";

constexpr int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_hex(std::string& out, std::span<const std::uint8_t> bytes) {
  std::size_t at = out.size();
  out.resize(at + 2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    out[at++] = digits_lower[byte >> 4];
    out[at++] = digits_lower[byte & 15];
  }
}

}  // namespace

std::string to_hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  append_hex(text, bytes);
  return text;
}

std::string to_hex_0x(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2 + 2);
  text += "0x";
  append_hex(text, bytes);
  return text;
}

std::string_view strip_0x(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return text;
}

std::optional<Bytes> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  Bytes bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = digit_value(digits[i]);
    const int low = digit_value(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return bytes;
}

}  // namespace svc
