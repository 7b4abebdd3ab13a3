// Texts from parts, and parts of texts.
#pragma once

#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "base/shown_text.h"
#include "base/text.h"

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

// "1 entry", "2 entries".
[[nodiscard]] inline std::string counted(std::size_t count, std::string_view one, std::string_view several) {
  return concat(count, " ", count == 1 ? one : several);
}

// The text with `by` in each place of `replaced`, which is not empty.
[[nodiscard]] inline std::string with_each(std::string_view text, std::string_view replaced, std::string_view by) {
  std::string out;
  for (auto at = text.find(replaced); at != std::string_view::npos; at = text.find(replaced)) {
    out.append(text.substr(0, at)).append(by);
    text.remove_prefix(at + replaced.size());
  }
  out += text;
  return out;
}

// The word in single quotes, for a shell.
[[nodiscard]] inline std::string quoted_word(std::string_view word) {
  return "'" + with_each(word, "'", "'\\''") + "'";
}

// A line that a shell, and split_line, split into these words.
[[nodiscard]] inline std::string join_words(const std::vector<std::string>& words) {
  const auto shown = [](const std::string& word) {
    return is_plain_word(word, word.npos, "./@%+,=") ? word : quoted_word(word);
  };
  return joined(words, shown, " ");
}

[[nodiscard]] inline std::vector<std::string> followed_by(std::vector<std::string> words,
                                                          const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Whether the text has the form of the picture, in which 0 stands for a digit.
[[nodiscard]] inline bool has_form(std::string_view text, std::string_view picture) {
  return std::ranges::equal(text, picture, [](char c, char form) { return form == '0' ? is_digit(c) : c == form; });
}

}  // namespace svc::cli
