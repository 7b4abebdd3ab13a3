// Prices and sizes that name the market or the account instead of a number:
//
//   price   bid, ask, mid, mark, index or last, then maybe +/- a distance: mid-5bps, bid+1t (ticks), ask-0.1%, mark+25
//   size    500usdx (by value), 50%pos or 50% (of the open position), max@3x (what the free margin carries at 3x)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/decimal.h"
#include "base/result.h"
#include "cli/failure.h"

namespace svc::cli {

enum class PriceAnchor : std::uint8_t { bid, ask, mid, mark, index, last };
[[nodiscard]] std::string_view to_string(PriceAnchor anchor);

struct RelativePrice {
  enum class Unit : std::uint8_t { usdx, ticks, bps, percent };
  PriceAnchor anchor = PriceAnchor::mid;
  Decimal distance{};  // signed
  Unit unit = Unit::usdx;
};

struct RelativeSize {
  enum class Kind : std::uint8_t { value, position, leverage };
  Kind kind = Kind::value;
  Decimal amount{};  // USDX, per cent, or times
};

// nullopt: a plain number above zero. Exit 2 for what is neither; `flag` is named in the message.
[[nodiscard]] Result<std::optional<RelativePrice>, Failure> parse_price_term(std::string_view flag,
                                                                             const std::string& text);
[[nodiscard]] Result<std::optional<RelativeSize>, Failure> parse_size_term(std::string_view flag,
                                                                           const std::string& text);

}  // namespace svc::cli
