#include "cli/shell/completing.h"

#include <algorithm>

#include "cli/shell/screen.h"

namespace svc::cli {

std::string last_word(std::string_view before_cursor) {
  const auto blank = before_cursor.find_last_of(" \t");
  return std::string(blank == std::string_view::npos ? before_cursor : before_cursor.substr(blank + 1));
}

std::string common_rest(std::string_view word, const std::vector<Completion>& candidates) {
  if (candidates.empty()) return {};
  std::string_view common = candidates.front().text;
  for (const Completion& one : candidates) {
    const auto differ = std::mismatch(common.begin(), common.end(), one.text.begin(), one.text.end());
    common = common.substr(0, static_cast<std::size_t>(differ.first - common.begin()));
  }
  return common.starts_with(word) ? std::string(common.substr(word.size())) : std::string();
}

std::string listed(const std::vector<Completion>& candidates, std::size_t columns) {
  const std::size_t shown = std::min(candidates.size(), completions_shown_max);
  std::size_t width = 0;
  bool described = false;
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, candidates[i].text.size() + 2);
    described = described || !candidates[i].description.empty();
  }
  const std::size_t per_line = described ? 1 : std::max<std::size_t>(1, columns / std::max<std::size_t>(1, width));
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    std::string cell = candidates[i].text;
    cell.resize(std::max(cell.size(), width), ' ');
    text += cut_to_width(cell + candidates[i].description, columns);
    if ((i + 1) % per_line == 0 || i + 1 == shown) text += "\n";
  }
  if (shown < candidates.size()) text += "and " + std::to_string(candidates.size() - shown) + " more\n";
  return text;
}

}  // namespace svc::cli
