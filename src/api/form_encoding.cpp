#include "api/form_encoding.h"

#include "base/hex.h"
#include "base/utf8.h"

namespace svc::api {
namespace {

constexpr bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, Plus plus) {
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
  if (!is_utf8(decoded)) return std::nullopt;
  return decoded;
}

std::string percent_encode(std::string_view text, Plus plus) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
    } else if (c == ' ' && plus == Plus::is_blank) {
      encoded += '+';
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += digits[byte >> 4];
      encoded += digits[byte & 0xf];
    }
  }
  return encoded;
}

std::optional<std::string_view> find_parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = pair.find('=');
    if (percent_decode(pair.substr(0, equals), Plus::is_blank) == name) {
      return equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    }
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace svc::api
