// Words as people type them: near misses, numbers that lack a digit, markets.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/values.h"
#include "base/result.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// Small letters without hyphens and underscores: "stop-limit", "stop_limit" and "StopLimit" are the same word.
[[nodiscard]] std::string bare_word(std::string_view word);

// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest candidate, if it is near enough to be a typing error of `word`; the first of equals.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

// ".1" as "0.1" and "1." as "1": people type them, and the wire has no such numbers.
[[nodiscard]] std::string completed_decimal(const std::string& text);

// The market that a word names; exit 2 if it cannot be a market.
[[nodiscard]] Result<api::MarketId, Failure> market_id(const std::string& text);

}  // namespace svc::cli
