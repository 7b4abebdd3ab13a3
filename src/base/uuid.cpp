#include "base/uuid.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace svc {

std::string make_uuid(UuidKind kind, std::uint64_t counter) {
  char text[37];
  std::snprintf(text, sizeof text, "%04x%04x-%04x-4000-8000-%012llx", static_cast<unsigned>(kind), 0u,
                static_cast<unsigned>(counter >> 48), static_cast<unsigned long long>(counter & 0xffff'ffff'ffffu));
  return text;
}

std::optional<std::uint64_t> parse_uuid(UuidKind kind, std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::from_chars(lower.data() + 9, lower.data() + 13, high, 16);
  std::from_chars(lower.data() + 24, lower.data() + 36, low, 16);
  const std::uint64_t counter = high << 48 | low;
  if (make_uuid(kind, counter) != lower) return std::nullopt;
  return counter;
}

}  // namespace svc
