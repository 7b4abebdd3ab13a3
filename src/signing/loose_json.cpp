#include "signing/loose_json.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace svc::signing {
namespace {

using nlohmann::json;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_ignoring_case(std::string_view spelling, std::string_view lower_case_name) {
  return std::equal(spelling.begin(), spelling.end(), lower_case_name.begin(), lower_case_name.end(),
                    [](char a, char b) { return lower(a) == b; });
}

}  // namespace

const json* loose_find(const json& object, std::string_view name) {
  const json* found = nullptr;
  for (const auto& [spelling, value] : object.items()) {
    if (!equal_ignoring_case(spelling, name)) continue;
    if (found) return nullptr;
    found = &value;
  }
  return found;
}

std::optional<std::string> loose_text(const json& object, std::string_view name) {
  const json* value = loose_find(object, name);
  if (!value || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::optional<std::uint64_t> loose_uint(const json& object, std::string_view name) {
  const json* value = loose_find(object, name);
  if (!value) return std::nullopt;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  if (!value->is_string()) return std::nullopt;
  const auto& text = value->get_ref<const std::string&>();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Bytes> loose_bytes(const json& object, std::string_view name) {
  const auto text = loose_text(object, name);
  if (!text) return std::nullopt;
  return from_hex(strip_0x(*text));
}

}  // namespace svc::signing
