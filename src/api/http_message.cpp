#include "api/http_message.h"

#include <algorithm>

namespace svc::api {
namespace {

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool same_header_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
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

}  // namespace svc::api
