#include "base/base64.h"

#include <array>
#include <cstdint>

namespace svc {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> digits = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(no_digit);
  for (std::uint8_t i = 0; i < 64; ++i) table[static_cast<unsigned char>(alphabet[i])] = i;
  return table;
}();

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(bytes.size() < 3 ? bytes.size() : 3)) {
    const auto byte = [&](std::size_t at) -> std::uint32_t {
      return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
    };
    const std::uint32_t group = byte(0) << 16 | byte(1) << 8 | byte(2);
    text.push_back(alphabet[group >> 18]);
    text.push_back(alphabet[group >> 12 & 63]);
    text.push_back(bytes.size() > 1 ? alphabet[group >> 6 & 63] : '=');
    text.push_back(bytes.size() > 2 ? alphabet[group & 63] : '=');
  }
  return text;
}

std::optional<std::string> parse_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const std::size_t padding = at + 4 < text.size() || text[at + 3] != '=' ? 0 : text[at + 2] != '=' ? 1 : 2;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint8_t digit = i < 4 - padding ? digits[static_cast<unsigned char>(text[at + i])] : std::uint8_t{0};
      if (digit == no_digit) return std::nullopt;
      group = group << 6 | digit;
    }
    // One spelling only: bits that stand for nothing are zero.
    if ((group & ((1u << 8 * padding) - 1)) != 0) return std::nullopt;
    for (std::size_t i = 0; i < 3 - padding; ++i) bytes.push_back(static_cast<char>(group >> (16 - 8 * i) & 255));
  }
  return bytes;
}

}  // namespace svc
