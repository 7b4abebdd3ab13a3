#include "base/encoding.h"

#include <nettle/base64.h>
#include <algorithm>
#include <boost/locale/utf.hpp>
#include <iterator>

#include "base/text.h"

namespace svc {
namespace {

using Utf8 = boost::locale::utf::utf_traits<char>;

std::string hex_after(std::string_view prefix, std::span<const std::uint8_t> bytes) {
  std::string text(prefix.size() + 2 * bytes.size(), '\0');
  write_hex(text.data() + prefix.copy(text.data(), prefix.size()), bytes);
  return text;
}

}  // namespace

char* write_hex(char* to, std::span<const std::uint8_t> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  for (const std::uint8_t byte : bytes) {
    *to++ = digits[byte >> 4];
    *to++ = digits[byte & 15];
  }
  return to;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  return hex_after("", bytes);
}

std::string to_hex_0x(std::span<const std::uint8_t> bytes) {
  return hex_after("0x", bytes);
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
    const int high = hex_digit(digits[i]);
    const int low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return bytes;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), lower_letter);
  return lower;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), upper_letter);
  return upper;
}

std::string to_base64(std::string_view bytes) {
  std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  base64_encode_raw(text.data(), bytes.size(), as_bytes(bytes).data());
  return text;
}

std::optional<std::string> parse_base64(std::string_view text) {
  std::string bytes(BASE64_DECODE_LENGTH(text.size()), '\0');
  std::size_t size = bytes.size();
  base64_decode_ctx decoder;
  base64_decode_init(&decoder);
  const bool is_decoded = base64_decode_update(&decoder, &size, reinterpret_cast<std::uint8_t*>(bytes.data()),
                                               text.size(), text.data()) != 0 &&
                          base64_decode_final(&decoder) != 0;
  bytes.resize(is_decoded ? size : 0);
  // Only one spelling: the decoder takes blanks and unused bits as well.
  return is_decoded && to_base64(bytes) == text ? std::optional(std::move(bytes)) : std::nullopt;
}

std::string percent_encode(std::string_view text, Plus plus) {
  std::string encoded;
  for (const char c : text) {
    if (is_name_character(c) || c == '.' || c == '~') {
      encoded += c;
    } else if (c == ' ' && plus == Plus::is_blank) {
      encoded += '+';
    } else {
      encoded += '%' + upper_case(to_hex(as_bytes({&c, 1})));
    }
  }
  return encoded;
}

std::optional<std::string> percent_decode_bytes(std::string_view text, Plus plus) {
  if (text.find('%') == std::string_view::npos && (plus == Plus::is_itself || text.find('+') == std::string_view::npos))
    return std::string(text);
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const auto byte = from_hex_exact<1>(text.substr(i + 1, 2));
      if (!byte) return std::nullopt;
      decoded += static_cast<char>((*byte)[0]);
      i += 2;
    } else {
      decoded += text[i] == '+' && plus == Plus::is_blank ? ' ' : text[i];
    }
  }
  return decoded;
}

std::optional<std::string_view> find_parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = take_line(query, '&');
    const std::size_t equals = pair.find('=');
    if (percent_decode_bytes(pair.substr(0, equals), Plus::is_blank) == name) {
      return equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    }
  }
  return std::nullopt;
}

Utf8Character first_character(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  if (byte < 0x80) return {.bytes = text.substr(0, 1), .code_point = byte};  // most texts are ASCII
  const char* after = text.data();
  const auto character = Utf8::decode(after, text.data() + text.size());
  if (!boost::locale::utf::is_valid_codepoint(character)) return {.bytes = text.substr(0, 1), .code_point = byte};
  return {.bytes = text.substr(0, static_cast<std::size_t>(after - text.data())), .code_point = character};
}

bool is_utf8(std::string_view text) {
  while (true) {
    // Most texts are ASCII.
    while (!text.empty() && static_cast<unsigned char>(text.front()) < 0x80) text.remove_prefix(1);
    if (text.empty()) return true;
    const Utf8Character first = first_character(text);
    if (!first.is_sound()) return false;
    text.remove_prefix(first.bytes.size());
  }
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  Utf8::encode(code_point, std::back_inserter(out));
}

}  // namespace svc
