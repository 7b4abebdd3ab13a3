// Reads a record field by field, strictly: an unread field or a wrong type is an error.
#pragma once

#include "base/decimal.h"
#include "sim/engine/market_spec.h"
#include "sim/engine/terms.h"
#include "sim/scenario/text_lines.h"

namespace svc::sim::scenario {

// A step or a market as its file has it, in either form: the values of its few fields, by their names in JSON.
class Record {
 public:
  using Field = std::pair<std::string, Said>;

  Record() { fields_.reserve(fields_expected); }
  explicit Record(std::vector<Field> fields) : fields_(std::move(fields)) {}

  // nullptr if absent.
  [[nodiscard]] const Said* find(std::string_view name) const {
    const auto found = std::ranges::find(fields_, name, &Field::first);
    return found == fields_.end() ? nullptr : &found->second;
  }
  // That type of value; nullptr if the field is absent, or another.
  template <class T>
  [[nodiscard]] const T* find(std::string_view name) const {
    return std::get_if<T>(find(name));
  }
  void set(std::string_view name, Said value) {
    const auto found = std::ranges::find(fields_, name, &Field::first);
    if (found == fields_.end())
      fields_.emplace_back(name, std::move(value));
    else
      found->second = std::move(value);
  }
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }

 private:
  static constexpr std::size_t fields_expected = 8;  // more are rare

  std::vector<Field> fields_;
};

// nullopt: it is no object.
[[nodiscard]] std::optional<Record> record_of(const nlohmann::json& object);

class Fields {
 public:
  // `where` names the record in errors.
  Fields(const Record& record, std::string where)
      : fields_(record.fields()), where_(std::move(where)), asked_(fields_.size()) {}

  // A field that is asked for by its name; `value` is nullptr if it is absent, and may be null.
  struct Told {
    std::string_view name;
    const Said* value = nullptr;
  };
  Told at(std::string_view name) {
    const auto found = std::ranges::find(fields_, name, &Record::Field::first);
    if (found == fields_.end()) return {.name = name};
    asked_[static_cast<std::size_t>(found - fields_.begin())] = true;
    return {.name = name, .value = &found->second};
  }
  // Optional fields: null counts as absent.
  [[nodiscard]] static bool is_given(const Told& field) {
    const auto* other = std::get_if<nlohmann::json>(field.value);
    return field.value != nullptr && (other == nullptr || !other->is_null());
  }

  const std::string& text(const Told& field) { return said<std::string>(field, "a string"); }

  void take(const Told& field, std::string& to) { to = text(field); }
  void take(const Told& field, Decimal& to) { to = sound(field, parse_decimal(number_text(field))); }
  void take(const Told& field, Usdx& to) { to = {sound(field, to_scaled(get<Decimal>(field), usdx_decimals))}; }
  void take(const Told& field, engine::Rational& to);
  void take(const Told& field, std::int64_t& to) { to = said<std::int64_t>(field, "an integer"); }
  void take(const Told& field, std::int32_t& to);
  void take(const Told& field, Ppm& to) { take(field, to.value); }
  void take(const Told& field, Ppb& to);
  void take(const Told& field, bool& to) { to = said<bool>(field, "true or false"); }
  void take(const Told& field, std::vector<engine::MarginTier>& to);
  template <trade::Word E>
  void take(const Told& field, E& to) {
    const auto value = trade::parse<E>(text(field));
    if (!value) fail("unknown word " + text(field));
    to = *value;
  }
  template <class T>
  T get(const Told& field) {
    T value{};
    take(field, value);
    return value;
  }
  template <class T>
  T get(std::string_view name) {
    return get<T>(at(name));
  }

  // Throws if a field was not read.
  void finish() const {
    for (std::size_t i = 0; i < asked_.size(); ++i)
      if (!asked_[i]) fail("unknown field " + fields_[i].first);
  }
  [[noreturn]] void fail(const std::string& what) const { throw Unreadable{where_ + ": " + what}; }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  template <class T>
  const T& said(const Told& field, const char* form) {
    const T* value = std::get_if<T>(field.value);
    if (value == nullptr) fail(std::string(field.name) + " must be " + form);
    return *value;
  }
  // A whole number may be without quotes, as that loses nothing. A fractional one may not.
  std::string number_text(const Told& field) {
    if (const auto* whole = std::get_if<std::int64_t>(field.value)) return std::to_string(*whole);
    const auto* other = std::get_if<nlohmann::json>(field.value);
    return other != nullptr && other->is_number_integer() ? other->dump() : text(field);
  }
  template <class T>
  T sound(const Told& field, const Result<T, DecimalError>& parsed) {
    if (!parsed) fail(std::string(field.name) + " " + to_string(parsed.error()) + ": " + number_text(field));
    return *parsed;
  }

  const std::vector<Record::Field>& fields_;
  std::string where_;
  std::vector<bool> asked_;
};

// Values that JSON writes without quotes.
template <class T>
inline constexpr bool is_whole_number =
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, Ppm>;

}  // namespace svc::sim::scenario
