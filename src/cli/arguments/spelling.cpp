#include "cli/arguments/spelling.h"

#include "base/encoding.h"

namespace svc::cli {

std::string bare_word(std::string_view word) {
  std::string text;
  for (const char c : word)
    if (c != '-' && c != '_') text += lower_letter(c);
  return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto cell = [&](std::size_t i, std::size_t j) -> std::size_t& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) cell(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cell(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cell(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      cell(i, j) = std::min({cell(i - 1, j) + 1, cell(i, j - 1) + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cell(i, j) = std::min(cell(i, j), cell(i - 2, j - 2) + 1);
    }
  }
  return cell(a.size(), b.size());
}

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  // Up to a third of the letters may be wrong; beyond that it is another word.
  constexpr std::size_t word_chars_max = 64;
  if (word.empty() || word.size() > word_chars_max) return std::nullopt;
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::optional<std::string_view> found;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string completed_decimal(const std::string& text) {
  std::string plain = text;
  while (plain.size() > 1 && plain[0] == '0' && is_digit(plain[1])) plain.erase(0, 1);
  if (plain.starts_with('.') && plain.size() > 1) return "0" + plain;
  if (plain.ends_with('.') && plain.size() > 1) plain.pop_back();
  return plain;
}

Result<api::MarketId> market_id(const std::string& text) {
  if (api::is_market_id(text)) return api::MarketId{text};
  return failed("invalid_market_id", "\"", text,
                "\" is not a market id: upper-case segments joined by single hyphens, such as "
                "BTC-USDX-PERP");
}

}  // namespace svc::cli
