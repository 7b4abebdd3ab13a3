#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

using Bytes = std::vector<std::uint8_t>;

// Hexadecimal text of bytes. Encoding is lower case; decoding takes any case.
[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);
// The digits without a string; returns their end.
char* write_hex(char* to, std::span<const std::uint8_t> bytes);
[[nodiscard]] std::string to_hex_0x(std::span<const std::uint8_t> bytes);

// 0 to 15; -1 for what is no hex digit.
[[nodiscard]] constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

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

// The letters of ASCII in one case; everything else stays as it is.
[[nodiscard]] constexpr char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] constexpr char upper_letter(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
[[nodiscard]] std::string lower_case(std::string_view text);
[[nodiscard]] std::string upper_case(std::string_view text);

// Bytes as base64: the alphabet of RFC 4648, with padding, on one line.
[[nodiscard]] std::string to_base64(std::string_view bytes);
// nullopt unless the text is exactly what to_base64 writes.
[[nodiscard]] std::optional<std::string> parse_base64(std::string_view text);

// Percent escapes, and query strings as forms.
enum class Plus : bool { is_itself, is_blank };

// nullopt if an escape is broken.
[[nodiscard]] std::optional<std::string> percent_decode_bytes(std::string_view text, Plus plus);
// Letters, digits and "-._~" are unchanged, a blank becomes '+' with Plus::is_blank, all else %XX.
[[nodiscard]] std::string percent_encode(std::string_view text, Plus plus);

// The value of the first parameter of that name, still encoded; nullopt if there is none.
[[nodiscard]] std::optional<std::string_view> find_parameter(std::string_view query, std::string_view name);

// Checked UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text);
void append_utf8(std::string& out, std::uint32_t code_point);

// A character, or one byte of what is no UTF-8.
struct Utf8Character {
  std::string_view bytes;
  std::uint32_t code_point = 0;  // of what is no UTF-8, the byte

  [[nodiscard]] bool is_sound() const { return bytes.size() > 1 || code_point < 0x80; }
};
// The first of a text that is not empty.
[[nodiscard]] Utf8Character first_character(std::string_view text);

}  // namespace svc
