// What completing a word does with the candidates. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/line_editor.h"

namespace svc::cli {

// The word that the cursor stands behind; empty after a blank.
[[nodiscard]] std::string last_word(std::string_view before_cursor);

// What all candidates have in common beyond `word`.
[[nodiscard]] std::string common_rest(std::string_view word, const std::vector<Completion>& candidates);

// One per line with its description, or in columns where there is none. At most `completions_shown_max`; the rest is
// counted.
inline constexpr std::size_t completions_shown_max = 40;
[[nodiscard]] std::string listed(const std::vector<Completion>& candidates, std::size_t columns);

}  // namespace svc::cli
