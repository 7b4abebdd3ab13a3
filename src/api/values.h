// Value types of the wire that are not plain C++ types.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace svc::api {

// A decimal as a JSON string. The text is of the grammar of base/decimal.h and kept exactly as it came:
// signed actions sign it as it stands.
struct DecimalText {
  std::string text = "0";

  DecimalText() = default;
  explicit DecimalText(std::string value) : text(std::move(value)) {}
  bool operator==(const DecimalText&) const = default;
};

// A decimal as an unquoted JSON number (market data in the CCXT layout). Written exactly; what a server
// sent is kept as it came, exponent included.
struct NumberText {
  std::string text = "0";

  NumberText() = default;
  explicit NumberText(std::string value) : text(std::move(value)) {}
  bool operator==(const NumberText&) const = default;
};

// A JSON object of no declared shape, as text.
struct JsonObjectText {
  std::string text = "{}";

  JsonObjectText() = default;
  explicit JsonObjectText(std::string value) : text(std::move(value)) {}
  bool operator==(const JsonObjectText&) const = default;
};

}  // namespace svc::api
