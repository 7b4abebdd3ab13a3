// Texts from parts, parts of texts, and integers as text.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

// "a, b, c": of each element what `text_of_one` makes of it.
template <class Range, class TextOfOne = std::identity>
[[nodiscard]] std::string joined(const Range& range, TextOfOne text_of_one = {}, std::string_view between = ", ") {
  std::string text;
  bool first = true;
  for (const auto& one : range) {
    if (!first) text += between;
    text += std::invoke(text_of_one, one);
    first = false;
  }
  return text;
}

// nullopt for an empty text.
[[nodiscard]] inline std::optional<std::string> if_any(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

[[nodiscard]] constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
// Of ASCII, and no blank: what an id or a URL is made of.
[[nodiscard]] constexpr bool is_printable(char c) {
  return c > ' ' && c <= '~';
}
// Of ASCII: 0 to 31 and DEL.
[[nodiscard]] constexpr bool is_ascii_control(char c) {
  return (c >= 0 && c < ' ') || c == '\x7f';
}
[[nodiscard]] constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
// A letter, a digit, '-' or '_': what names of files and of settings are made of.
[[nodiscard]] constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_';
}

// 1 to so many such characters, or some of `others`.
[[nodiscard]] constexpr bool is_plain_word(std::string_view text, std::size_t chars_max = std::string_view::npos,
                                           std::string_view others = {}) {
  const auto fits = [&](char c) { return is_name_character(c) || others.find(c) != std::string_view::npos; };
  return !text.empty() && text.size() <= chars_max && std::ranges::all_of(text, fits);
}

// The first line without its line feed, or the part before another separator; `text` is left with what follows it.
[[nodiscard]] constexpr std::string_view take_line(std::string_view& text, char end = '\n') {
  const std::string_view line = text.substr(0, text.find(end));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// The text without such characters at its ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// At most so many bytes of the beginning: whole characters, if the text is UTF-8.
[[nodiscard]] constexpr std::string_view first_bytes(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  constexpr int trailing_bytes_max = 3;
  for (int i = 0; i < trailing_bytes_max && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; ++i) --end;
  return text.substr(0, end);
}

// The beginning and "...", if the text is longer.
[[nodiscard]] inline std::string shortened(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  text.resize(first_bytes(text, bytes_max).size());
  return text += "...";
}

// Nothing but blanks, tabs and ends of lines.
[[nodiscard]] constexpr bool is_blank_text(std::string_view text) {
  return std::ranges::all_of(text, is_blank);
}

// nullopt unless the whole text is a number that T can hold: digits, and a minus before them if T is signed.
template <std::integral T>
[[nodiscard]] std::optional<T> parse_integer(std::string_view text, int base = 10) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

// The digits of the number, the last one before `end`; none for 0.
constexpr void write_hex_before(char* end, std::uint64_t value) {
  for (; value != 0; value >>= 4) *--end = "0123456789abcdef"[value & 15];
}

// 16 digits for every number, so that texts sort like the numbers.
[[nodiscard]] inline std::string hex_of(std::uint64_t value) {
  std::string text(16, '0');
  write_hex_before(text.data() + text.size(), value);
  return text;
}

}  // namespace svc
