// "Did you mean": the nearest of a list of names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace svc::cli {

// Small letters without hyphens and underscores: "stop-limit", "stop_limit" and "StopLimit" are the same word.
[[nodiscard]] std::string bare_word(std::string_view word);

// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest candidate, if it is near enough to be a typing error of `word`; the first of equals.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

}  // namespace svc::cli
