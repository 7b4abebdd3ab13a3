// Texts from parts, and parts of texts.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/integer_text.h"

namespace svc::cli {

template <class Part>
concept NumberPart = std::integral<Part> && !std::same_as<Part, char> && !std::same_as<Part, bool>;

// The parts one after the other, whole numbers in decimal.
template <class... Parts>
[[nodiscard]] std::string concat(const Parts&... parts) {
  std::string text;
  const auto add = [&text](const auto& part) {
    using Part = std::remove_cvref_t<decltype(part)>;
    static_assert(!std::same_as<Part, bool> && !std::floating_point<Part>);
    if constexpr (NumberPart<Part>)
      text += std::to_string(part);
    else
      text += part;
  };
  (add(parts), ...);
  return text;
}

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

// "1 entry", "2 entries".
[[nodiscard]] inline std::string counted(std::size_t count, std::string_view one, std::string_view several) {
  return concat(count, " ", count == 1 ? one : several);
}

// The text with `by` in the place of each such character.
[[nodiscard]] inline std::string with_each(std::string_view text, char replaced, std::string_view by) {
  std::string out;
  for (const char c : text) out += c == replaced ? by : std::string_view(&c, 1);
  return out;
}

// A letter, a digit, '-' or '_': what names of files and of settings are made of.
[[nodiscard]] constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// The first line without its line feed; `text` is left with what follows it.
[[nodiscard]] inline std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

}  // namespace svc::cli
