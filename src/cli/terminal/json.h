// A JSON document as received: members keep their order, numbers keep their digits.
//
// Commands read replies through it instead of a typed record, so that a field this program has
// never heard of is shown like any other and 0.10 does not become 0.1 on the way to the user.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace svc::cli {

// Integers beyond 2^53 lose digits in many JSON readers; the output contract writes them as text.
enum class LargeIntegers : std::uint8_t { as_is, as_text };

class Json {
 public:
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  Json() = default;
  Json(std::nullptr_t) {}
  Json(bool value) : kind_(Kind::boolean), truth_(value) {}
  template <std::integral Int>
  requires(!std::same_as<Int, bool> && !std::same_as<Int, char>) Json(Int value)
      : kind_(Kind::number), text_(std::to_string(value)) {}
  Json(std::string value) : kind_(Kind::string), text_(std::move(value)) {}
  Json(std::string_view value) : Json(std::string(value)) {}
  Json(const char* value) : Json(std::string(value)) {}
  template <class T>
  Json(const std::optional<T>& value) : Json() {
    if (value) *this = Json(*value);
  }

  [[nodiscard]] static Json array(std::vector<Json> items = {});
  [[nodiscard]] static Json object(std::initializer_list<std::pair<std::string_view, Json>> members = {});
  // `digits` must be a JSON number; it is kept as it stands.
  [[nodiscard]] static Json number(std::string digits);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is(Kind kind) const { return kind_ == kind; }
  // The text of a string, the digits of a number; empty otherwise.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool truth() const { return truth_; }
  // Elements of an array, or values of an object in the order of keys().
  [[nodiscard]] const std::vector<Json>& items() const { return items_; }
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }

  // The member of that name; null pointer if this is no object or has none.
  [[nodiscard]] const Json* find(std::string_view key) const;
  // As find, through nested objects: "order.id".
  [[nodiscard]] const Json* at(std::string_view dotted_path) const;
  // The text of a member that is a string; nullopt otherwise.
  [[nodiscard]] std::optional<std::string_view> string_at(std::string_view dotted_path) const;
  // The value of a member that is a whole number in 64 bits; nullopt otherwise.
  [[nodiscard]] std::optional<std::int64_t> integer_at(std::string_view dotted_path) const;

  // Sets a member, replacing one of the same name in place. Turns null into an object.
  Json& set(std::string_view key, Json value);
  // As set, for a name that is not there yet. A reply that repeats a name keeps both; find() sees the first.
  Json& append(std::string key, Json value);
  // Appends an element. Turns null into an array.
  Json& push(Json value);

  // Compact text; bytes that are not UTF-8 become U+FFFD.
  [[nodiscard]] std::string dump(LargeIntegers large = LargeIntegers::as_is) const;
  // A line for each member and element, for people.
  [[nodiscard]] std::string indented(LargeIntegers large = LargeIntegers::as_is) const;

 private:
  // Without a depth on one line.
  void write(std::string& out, LargeIntegers large, std::optional<std::size_t> depth) const;

  Kind kind_ = Kind::null;
  bool truth_ = false;
  std::string text_;
  std::vector<std::string> keys_;
  std::vector<Json> items_;
};

// The document, or what is wrong with the text. Nesting is bounded (limits::json_depth_max).
[[nodiscard]] Result<Json, std::string> parse_json(std::string_view text);

// A JSON string literal with its quotes.
[[nodiscard]] std::string quoted_json(std::string_view text);

}  // namespace svc::cli
