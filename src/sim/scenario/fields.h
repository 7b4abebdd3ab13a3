// Reads a record field by field, strictly: an unread field or a wrong type is an error. Also writes the same values as
// text.
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

  // nullptr if absent; may be null.
  const Said* raw(std::string_view name) {
    const auto found = std::ranges::find(fields_, name, &Record::Field::first);
    if (found == fields_.end()) return nullptr;
    asked_[static_cast<std::size_t>(found - fields_.begin())] = true;
    return &found->second;
  }
  // Optional fields: null counts as absent.
  bool given(std::string_view name) {
    const Said* value = raw(name);
    const auto* other = std::get_if<nlohmann::json>(value);
    return value != nullptr && (other == nullptr || !other->is_null());
  }

  const std::string& text(std::string_view name) { return said<std::string>(name, "a string"); }

  void take(std::string_view name, std::string& to) { to = text(name); }
  void take(std::string_view name, Decimal& to) { to = sound(name, parse_decimal(number_text(name))); }
  void take(std::string_view name, Usdx& to) { to = {sound(name, to_scaled(get<Decimal>(name), usdx_decimals))}; }
  void take(std::string_view name, engine::Rational& to);
  void take(std::string_view name, std::int64_t& to) { to = said<std::int64_t>(name, "an integer"); }
  void take(std::string_view name, std::int32_t& to);
  void take(std::string_view name, Ppm& to) { take(name, to.value); }
  void take(std::string_view name, Ppb& to);
  void take(std::string_view name, bool& to) { to = said<bool>(name, "true or false"); }
  void take(std::string_view name, std::vector<engine::MarginTier>& to);
  template <trade::Word E>
  void take(std::string_view name, E& to) {
    const auto value = trade::parse<E>(text(name));
    if (!value) fail("unknown word " + text(name));
    to = *value;
  }
  template <class T>
  T get(std::string_view name) {
    T value{};
    take(name, value);
    return value;
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
  const T& said(std::string_view name, const char* form) {
    const T* value = std::get_if<T>(raw(name));
    if (value == nullptr) fail(std::string(name) + " must be " + form);
    return *value;
  }
  // A whole number may be without quotes, as that loses nothing. A fractional one may not.
  std::string number_text(std::string_view name) {
    const Said* value = raw(name);
    if (const auto* whole = std::get_if<std::int64_t>(value)) return std::to_string(*whole);
    const auto* other = std::get_if<nlohmann::json>(value);
    return other != nullptr && other->is_number_integer() ? other->dump() : text(name);
  }
  template <class T>
  T sound(std::string_view name, const Result<T, DecimalError>& parsed) {
    if (!parsed) fail(std::string(name) + " " + to_string(parsed.error()) + ": " + number_text(name));
    return *parsed;
  }

  const std::vector<Record::Field>& fields_;
  std::string where_;
  std::vector<bool> asked_;
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
