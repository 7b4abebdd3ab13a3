// Conditions on named texts, as people type them: "payload.price>=60000".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc {

// '*' matches any text, including empty text and slashes; everything else matches itself.
[[nodiscard]] bool glob_fits(std::string_view glob, std::string_view text);

// PATH                 the member exists and is neither null nor false
// PATH OP VALUE        OP is = == != < <= > >=; decimals are compared exactly, anything else as text
// A missing path meets no condition. Names in a path consist of letters, digits, _ and -, separated by points; a
// VALUE has no quotes, and must be a plain decimal for comparisons by size.
struct TextCondition {
  enum class Relation : std::uint8_t { there, equal, unequal, less, at_most, greater, at_least };

  std::string path{};
  Relation relation = Relation::there;
  std::string value{};

  // The error says what was expected.
  [[nodiscard]] static Result<TextCondition, std::string> parse(std::string_view text);
  [[nodiscard]] bool holds(std::optional<std::string_view> met) const;
};

// Several conditions, joined with "&&": all must hold.
struct TextConditions {
  std::string text{};
  std::vector<TextCondition> all{};

  [[nodiscard]] static Result<TextConditions, std::string> parse(std::string_view text);
  [[nodiscard]] bool hold(const std::function<std::optional<std::string>(std::string_view path)>& member) const;
};

}  // namespace svc
