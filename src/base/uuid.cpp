#include "base/uuid.h"

#include <algorithm>
#include <charconv>

namespace svc {

std::string make_uuid(UuidKind kind, std::uint64_t counter) {
  // The kind, zeros, the counter's upper 16 bits, version and variant, its lower 48 bits.
  std::string text = "00000000-0000-4000-8000-000000000000";
  const auto write = [&text](std::size_t end, std::size_t digits, std::uint64_t value) {
    for (; digits > 0; --digits, value >>= 4) text[--end] = "0123456789abcdef"[value & 15];
  };
  write(4, 4, static_cast<std::uint64_t>(kind));
  write(13, 4, counter >> 48);
  write(36, 12, counter);
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
