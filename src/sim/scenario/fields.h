// Reads a JSON object field by field, strictly: an unread field or a wrong type is an error. Also writes the same
// values as text.
#pragma once

#include <nlohmann/json.hpp>

#include "base/decimal.h"
#include "sim/engine/market_spec.h"
#include "sim/engine/terms.h"

namespace svc::sim::scenario {

// Thrown for an invalid field; caught where reading a file, or one of its stories, began.
struct FieldError {
  std::string text;
};

class Fields {
 public:
  // `where` names the object in errors.
  Fields(const nlohmann::json& object, std::string where);

  // nullptr if absent; may be null.
  const nlohmann::json* raw(const char* name) {
    asked_.push_back(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  // Optional fields: null counts as absent.
  bool given(const char* name) {
    const nlohmann::json* value = raw(name);
    return value != nullptr && !value->is_null();
  }

  void take(const char* name, std::string& to) {
    to = plain<std::string>(name, &nlohmann::json::is_string, "a string");
  }
  void take(const char* name, Decimal& to) { to = sound(name, parse_decimal(number_text(name))); }
  void take(const char* name, Usdx& to) { to = {sound(name, to_scaled(get<Decimal>(name), usdx_decimals))}; }
  void take(const char* name, engine::Rational& to);
  void take(const char* name, std::int64_t& to) {
    to = plain<std::int64_t>(name, &nlohmann::json::is_number_integer, "an integer");
  }
  void take(const char* name, std::int32_t& to);
  void take(const char* name, Ppm& to) { take(name, to.value); }
  void take(const char* name, Ppb& to);
  void take(const char* name, bool& to) { to = plain<bool>(name, &nlohmann::json::is_boolean, "true or false"); }
  void take(const char* name, std::vector<engine::MarginTier>& to);
  template <trade::Word E>
  void take(const char* name, E& to) {
    const auto value = trade::parse<E>(get<std::string>(name));
    if (!value) fail("unknown word " + get<std::string>(name));
    to = *value;
  }
  template <class T>
  T get(const char* name) {
    T value{};
    take(name, value);
    return value;
  }

  // Throws if a field was not read.
  void finish() const {
    for (const auto& [name, value] : object_.items())
      if (std::ranges::find(asked_, name) == asked_.end()) fail("unknown field " + name);
  }
  [[noreturn]] void fail(const std::string& what) const { throw FieldError{where_ + ": " + what}; }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  // A value that JSON writes in this form.
  template <class T>
  T plain(const char* name, bool (nlohmann::json::*has_form)() const noexcept, const char* form) {
    const nlohmann::json* value = raw(name);
    if (value == nullptr || !(value->*has_form)()) fail(std::string(name) + " must be " + form);
    return value->get<T>();
  }
  // A whole number may be without quotes, as that loses nothing. A fractional one may not.
  std::string number_text(const char* name) {
    const nlohmann::json* value = raw(name);
    return value != nullptr && value->is_number_integer() ? value->dump() : get<std::string>(name);
  }
  template <class T>
  T sound(const char* name, const Result<T, DecimalError>& parsed) const {
    if (!parsed) fail(std::string(name) + " " + to_string(parsed.error()));
    return *parsed;
  }

  const nlohmann::json& object_;
  std::string where_;
  std::vector<std::string_view> asked_;
};

// Values as texts, in the form that Fields reads.
struct Spelling {
  static std::string of(const std::string& text) { return text; }
  static std::string of(const Decimal& value) { return format_decimal(value); }
  static std::string of(Usdx value) { return format_usdx(value); }
  static std::string of(std::int64_t value) { return format_scaled(value, 0); }
  static std::string of(Ppm value) { return of(value.value); }
  static std::string of(Ppb value) { return format_scaled(value.value, 9); }
  static std::string of(const engine::Rational& value);  // a decimal if that is exact
  static std::string of(const std::vector<engine::MarginTier>& tiers);
  template <trade::Word E>
  static std::string of(E value) {
    return std::string(to_string(value));
  }
};

// Values that JSON writes without quotes.
template <class T>
inline constexpr bool is_whole_number =
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, Ppm>;

}  // namespace svc::sim::scenario
