// Corrects words as people type them: misspellings, incomplete numbers, markets.
#pragma once

#include "api/values.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// In lower case without hyphens and underscores: "stop-limit", "stop_limit" and "StopLimit" are the same word.
[[nodiscard]] std::string bare_word(std::string_view word);

// The number of insertions, deletions, replacements and swaps of neighbours between the two texts.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest candidate if it is close enough to be a misspelling of `word`; the first one of a tie.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

// ".1" as "0.1", "1." as "1" and "01" as "1": people type them, but the wire does not allow them.
[[nodiscard]] std::string completed_decimal(const std::string& text);

// The market that a word names; exit 2 if it cannot be a market.
Result<api::MarketId> market_id(const std::string& text);

}  // namespace svc::cli
