// Value types of the wire that are not plain C++ types.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <utility>

#include "base/decimal.h"
#include "base/limits.h"

namespace svc::api {

// A decimal as a JSON string. The text follows the grammar of base/decimal.h and is kept unchanged: signed actions
// sign it as it is.
struct DecimalText {
  std::string text = "0";

  DecimalText() = default;
  explicit DecimalText(std::string value) : text(std::move(value)) {}
  DecimalText(const Decimal& value) : text(format_decimal(value)) {}
  bool operator==(const DecimalText&) const = default;
};

// A decimal as an unquoted JSON number (market data in the CCXT layout). Written exactly; a received number is kept
// unchanged, exponent included.
struct NumberText {
  std::string text = "0";

  NumberText() = default;
  explicit NumberText(std::string value) : text(std::move(value)) {}
  bool operator==(const NumberText&) const = default;
};

// A JSON object without a declared schema, as text.
struct JsonObjectText {
  std::string text = "{}";

  JsonObjectText() = default;
  explicit JsonObjectText(std::string value) : text(std::move(value)) {}
  bool operator==(const JsonObjectText&) const = default;
};

// Market identifiers: upper-case ASCII alphanumeric segments joined by single hyphens, at most 64
// characters (API: What the service does).

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

// A well-formed identifier, which need not name an existing market. Requests carry this type, so a malformed one is
// refused with INVALID_MARKET_ID before any handler runs. Only in a body that is a list may it be malformed: the
// handler refuses just that item.
struct MarketId {
  std::string text;

  auto operator<=>(const MarketId&) const = default;
};

}  // namespace svc::api
