#include "api/http/http_message.h"

#include <algorithm>

#include "base/encoding.h"

namespace svc::api {
bool same_header_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_letter(x) == lower_letter(y); });
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const Header& field : fields_) {
    if (same_header_name(field.name, name)) return field.value;
  }
  return std::nullopt;
}

void Headers::set(std::string_view name, std::string value) {
  remove(name);
  add(std::string(name), std::move(value));
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [&](const Header& field) { return same_header_name(field.name, name); });
}

std::string_view HttpRequest::path() const {
  const std::string_view whole = target;
  return whole.substr(0, whole.find('?'));
}

std::string_view HttpRequest::query() const {
  const std::string_view whole = target;
  const auto mark = whole.find('?');
  return mark == std::string_view::npos ? std::string_view{} : whole.substr(mark + 1);
}

namespace {

constexpr bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

// It is enough to find the tag in the list: our tags contain no comma, and no quote inside.
bool has_tagged(const Headers& headers, std::string_view etag) {
  const auto known = headers.find("If-None-Match");
  return known && (*known == "*" || known->find(etag) != std::string_view::npos);
}

std::optional<std::string> percent_decode(std::string_view text, Plus plus) {
  auto decoded = percent_decode_bytes(text, plus);
  if (decoded && !is_utf8(*decoded)) decoded.reset();
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

}  // namespace svc::api
