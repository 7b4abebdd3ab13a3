// A JSON document as received: members keep their order and numbers their digits.
//
// Commands read replies through it, so that unknown fields are shown like any other and 0.10 does not become 0.1.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/decimal.h"
#include "base/result.h"

namespace svc::cli {

// Integers beyond 2^53 lose digits in many JSON readers; the output contract writes them as strings.
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
  Json(const Address& value) : Json(to_string(value)) {}
  template <class T>
  Json(const std::optional<T>& value) : Json() {
    if (value) *this = Json(*value);
  }

  [[nodiscard]] static Json array(std::vector<Json> items = {});
  // Of each element what `of` makes of it.
  template <class Range, class Of = std::identity>
  [[nodiscard]] static Json list(Range&& range, Of of = {}) {
    Json rows = array();
    for (const auto& one : range) rows.push(std::invoke(of, one));
    return rows;
  }
  [[nodiscard]] static Json object(std::initializer_list<std::pair<std::string_view, Json>> members = {});
  // `digits` must be a JSON number; it is kept unchanged.
  [[nodiscard]] static Json number(std::string digits);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is(Kind kind) const { return kind_ == kind; }
  // The text of a string, the digits of a number; empty otherwise.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool truth() const { return truth_; }
  // Elements of an array, or values of an object in the order of keys().
  [[nodiscard]] const std::vector<Json>& items() const { return items_; }
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }

  // The member of that name; null pointer if there is none or this is not an object.
  [[nodiscard]] const Json* find(std::string_view key) const;
  // The value of the member, which is null from then on; null if there is none.
  [[nodiscard]] Json take(std::string_view key);
  // As find, through nested objects: "order.id".
  [[nodiscard]] const Json* at(std::string_view dotted_path) const;
  // The same, and a null pointer for null as well.
  [[nodiscard]] const Json* find_value(std::string_view dotted_path) const {
    const Json* value = at(dotted_path);
    return value == nullptr || value->is(Kind::null) ? nullptr : value;
  }
  // A copy; null if there is no such member.
  [[nodiscard]] Json value_at(std::string_view dotted_path) const {
    const Json* value = at(dotted_path);
    return value == nullptr ? Json() : *value;
  }
  // The items() of a member; empty if there is no such member.
  [[nodiscard]] const std::vector<Json>& items_at(std::string_view dotted_path) const {
    static const Json none;
    const Json* value = at(dotted_path);
    return value == nullptr ? none.items_ : value->items_;
  }
  // Name and value of each member, in their order; empty if this is no object.
  [[nodiscard]] std::vector<std::pair<std::string_view, const Json&>> members() const {
    std::vector<std::pair<std::string_view, const Json&>> all;
    for (std::size_t i = 0; i < keys_.size(); ++i) all.emplace_back(keys_[i], items_[i]);
    return all;
  }
  // The value of a string member; nullopt otherwise.
  [[nodiscard]] std::optional<std::string_view> string_at(std::string_view dotted_path) const;
  // The same; empty if there is no such string.
  [[nodiscard]] std::string text_at(std::string_view dotted_path) const {
    return std::string(string_at(dotted_path).value_or(""));
  }
  [[nodiscard]] std::optional<Address> address_at(std::string_view dotted_path) const {
    return parse_address(string_at(dotted_path).value_or(""));
  }
  // The texts of a list; empty if there is no such list.
  [[nodiscard]] std::vector<std::string> texts_at(std::string_view dotted_path) const {
    std::vector<std::string> texts;
    for (const Json& item : items_at(dotted_path)) texts.push_back(item.text());
    return texts;
  }
  // Whether the member is there and true.
  [[nodiscard]] bool truth_at(std::string_view dotted_path) const {
    const Json* value = at(dotted_path);
    return value != nullptr && value->truth();
  }
  // The value of a member that is a 64-bit integer; nullopt otherwise.
  [[nodiscard]] std::optional<std::int64_t> integer_at(std::string_view dotted_path) const;

  // The value of a string member that is a decimal; nullopt otherwise.
  [[nodiscard]] std::optional<Decimal> decimal_at(std::string_view dotted_path) const;

  // Sets a member, replacing one of the same name in place. Null becomes an object.
  Json& set(std::string_view key, Json value);
  // Like set, for a new name. A reply that repeats a name keeps both members; find() returns the first.
  Json& append(std::string key, Json value);
  // Sets all members of an object.
  Json& set_all(const Json& members);
  // Appends an element. Null becomes an array.
  Json& push(Json value);
  // A new member or element that is null, to be filled in its place.
  [[nodiscard]] Json& add(std::string key);
  [[nodiscard]] Json& add();

  // Compact text; bytes that are not UTF-8 become U+FFFD.
  [[nodiscard]] std::string dump(LargeIntegers large = LargeIntegers::as_is) const;
  // With a line for each member and element, for people.
  [[nodiscard]] std::string indented(LargeIntegers large = LargeIntegers::as_is) const;

 private:
  // Without a depth everything is on one line.
  void write(std::string& out, LargeIntegers large, std::optional<std::size_t> depth) const;

  Kind kind_ = Kind::null;
  bool truth_ = false;
  std::string text_;
  std::vector<std::string> keys_;
  std::vector<Json> items_;
};

// The document, or the error of the text. Nesting and the number of values are limited (limits::json_depth_max,
// json_values_max).
Result<Json, std::string> parse_json(std::string_view text);
// The same; null, or the text itself, if the text is no document.
[[nodiscard]] Json json_or_null(std::string_view text);
[[nodiscard]] Json json_or_text(std::string_view text);

// The value of a text or a number that is a decimal; nullopt otherwise.
[[nodiscard]] std::optional<Decimal> decimal_of(const Json* value);

// A JSON string literal with its quotes.
[[nodiscard]] std::string quoted_json(std::string_view text);

}  // namespace svc::cli
