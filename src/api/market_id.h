// Market identifiers: upper-case ASCII alphanumeric segments joined by single hyphens, at most 64
// characters (API: What the service does).
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/limits.h"

namespace svc::api {

[[nodiscard]] constexpr bool is_market_id(std::string_view text) {
  if (text.empty() || text.size() > limits::market_id_chars_max) return false;
  bool segment_empty = true;
  for (const char c : text) {
    if (c == '-') {
      if (segment_empty) return false;
      segment_empty = true;
      continue;
    }
    if (!((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) return false;
    segment_empty = false;
  }
  return !segment_empty;
}

// A well-formed identifier, which need not name a market. Requests carry this type, so a malformed one
// is refused with INVALID_MARKET_ID before any handler runs. Only in a body that is a list it may be
// malformed: the handler judges it with its item.
struct MarketId {
  std::string text;

  auto operator<=>(const MarketId&) const = default;
};

}  // namespace svc::api
