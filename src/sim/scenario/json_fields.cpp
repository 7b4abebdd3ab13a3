#include "sim/scenario/json_fields.h"

#include <limits>

namespace svc::sim::scenario {

Fields::Fields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object.is_object()) fail("is not an object");
}

void Fields::fail(const std::string& what) const {
  throw FieldError{where_ + ": " + what};
}

const nlohmann::json* Fields::raw(const char* name) {
  asked_.insert(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

const nlohmann::json* Fields::find(const char* name) {
  const auto* value = raw(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

// A whole number may stand without quotes: nothing is lost by it. A fractional one may not.
std::string Fields::number_text(const char* name) {
  const auto* value = find(name);
  if (value != nullptr && value->is_number_integer()) return value->dump();
  return text(name);
}

std::string Fields::text(const char* name) {
  const auto* value = find(name);
  if (value == nullptr || !value->is_string()) fail(std::string(name) + " must be a string");
  return value->get<std::string>();
}

std::string Fields::text(const char* name, const std::string& otherwise) {
  return find(name) == nullptr ? otherwise : text(name);
}

std::optional<std::string> Fields::text_or_null(const char* name, std::optional<std::string> otherwise) {
  const auto* value = raw(name);
  if (value == nullptr) return otherwise;
  if (value->is_null()) return std::nullopt;
  return text(name);
}

Decimal Fields::decimal(const char* name) {
  const auto parsed = parse_decimal(number_text(name));
  if (!parsed) fail(std::string(name) + " " + to_string(parsed.error()));
  return *parsed;
}

std::optional<Decimal> Fields::decimal_if_given(const char* name) {
  if (find(name) == nullptr) return std::nullopt;
  return decimal(name);
}

Usdx Fields::amount(const char* name) {
  const auto scaled = to_scaled(decimal(name), usdx_decimals);
  if (!scaled) fail(std::string(name) + " " + to_string(scaled.error()));
  return {*scaled};
}

Usdx Fields::amount(const char* name, Usdx otherwise) {
  return find(name) == nullptr ? otherwise : amount(name);
}

engine::Rational Fields::rational(const char* name) {
  const auto parsed = engine::parse_rational(number_text(name));
  if (!parsed) fail(std::string(name) + " must be a decimal or a fraction such as 1/3");
  return *parsed;
}

engine::Rational Fields::rational(const char* name, engine::Rational otherwise) {
  return find(name) == nullptr ? otherwise : rational(name);
}

std::int64_t Fields::integer(const char* name) {
  const auto* value = find(name);
  if (value == nullptr || !value->is_number_integer()) fail(std::string(name) + " must be an integer");
  return value->get<std::int64_t>();
}

std::int64_t Fields::integer(const char* name, std::int64_t otherwise) {
  return find(name) == nullptr ? otherwise : integer(name);
}

std::optional<std::int32_t> Fields::small_integer_if_given(const char* name) {
  if (find(name) == nullptr) return std::nullopt;
  const std::int64_t wide = integer(name);
  if (wide < std::numeric_limits<std::int32_t>::min() || wide > std::numeric_limits<std::int32_t>::max()) {
    fail(std::string(name) + " does not fit 32 bits");
  }
  return static_cast<std::int32_t>(wide);
}

bool Fields::flag(const char* name) {
  const auto* value = find(name);
  if (value == nullptr) return false;
  if (!value->is_boolean()) fail(std::string(name) + " must be true or false");
  return value->get<bool>();
}

void Fields::finish() const {
  for (const auto& [name, value] : object_.items()) {
    if (!asked_.contains(name)) fail("unknown field " + name);
  }
}

}  // namespace svc::sim::scenario
