// Values as plain text: what stands between the quotes of a string, in a query, a path or a header.
#include <algorithm>
#include <charconv>
#include <limits>

#include "api/codec.h"
#include "api/market_id.h"
#include "api/values.h"
#include "base/address.h"
#include "base/assert.h"
#include "base/decimal.h"
#include "base/secret.h"

namespace svc::api {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Plain digits, without sign or leading zeros: the one spelling a JSON integer has.
template <class T>
bool read_integer(std::string_view text, T& value) {
  const std::string_view digits = std::is_signed_v<T> && text.starts_with('-') ? text.substr(1) : text;
  if (!is_digits(digits) || (digits.size() > 1 && digits.front() == '0')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// A page size: what is above the maximum, however large, is the maximum.
bool read_page_size(std::string_view text, std::uint32_t maximum, std::uint32_t& value) {
  std::uint64_t wide = 0;
  if (!is_digits(text)) return false;
  if (!read_integer(text, wide)) {
    if (text.front() == '0') return false;
    wide = maximum;
  }
  if (wide == 0) return false;
  value = static_cast<std::uint32_t>(std::min<std::uint64_t>(wide, maximum));
  return true;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

const EnumNames& names_of(const TypeInfo& type, const FieldInfo& field) {
  return field.spelling != nullptr ? *field.spelling : *type.names;
}

bool read_enumeration(const EnumNames& names, std::string_view text, void* value) {
  for (std::size_t i = 0; i < names.texts.size(); ++i) {
    if (names.any_case ? !equal_ignoring_case(names.texts[i], text) : names.texts[i] != text) continue;
    *static_cast<std::uint8_t*>(value) = static_cast<std::uint8_t>(i);
    return true;
  }
  return false;
}

std::string one_of(const EnumNames& names) {
  std::string list = names.texts.size() == 1 ? "" : "one of ";
  for (std::size_t i = 0; i < names.texts.size(); ++i) {
    if (i != 0) list += ", ";
    list += names.texts[i];
  }
  return list;
}

}  // namespace

bool read_text(const TypeInfo& type, const FieldInfo& field, std::string_view text, void* value) {
  switch (type.kind) {
    case Kind::text: *static_cast<std::string*>(value) = text; return true;
    case Kind::secret: *static_cast<Secret*>(value) = Secret(std::string(text)); return true;
    case Kind::boolean:
      if (text != "true" && text != "false") return false;
      *static_cast<bool*>(value) = text == "true";
      return true;
    case Kind::int64: return read_integer(text, *static_cast<std::int64_t*>(value));
    case Kind::uint64: return read_integer(text, *static_cast<std::uint64_t*>(value));
    case Kind::uint32:
      return field.maximum != 0 ? read_page_size(text, field.maximum, *static_cast<std::uint32_t*>(value))
                                : read_integer(text, *static_cast<std::uint32_t*>(value));
    case Kind::number: *static_cast<NumberText*>(value) = NumberText(std::string(text)); return true;
    case Kind::decimal:
      if (!parse_decimal(text)) return false;
      static_cast<DecimalText*>(value)->text = text;
      return true;
    case Kind::address: {
      const auto address = parse_address(text);
      if (address) *static_cast<Address*>(value) = *address;
      return address.has_value();
    }
    case Kind::market_id:
      if (!is_market_id(text)) return false;
      static_cast<MarketId*>(value)->text = text;
      return true;
    case Kind::enumeration: return read_enumeration(names_of(type, field), text, value);
    case Kind::optional: return read_text(type.element(), field, text, type.container->emplace(value));
    case Kind::json_object:
    case Kind::custom:
    case Kind::list:
    case Kind::map:
    case Kind::record: break;
  }
  SVC_ASSERT(false);  // such fields travel in bodies only
}

std::string write_text(const TypeInfo& type, const FieldInfo& field, const void* value) {
  switch (type.kind) {
    case Kind::text: return *static_cast<const std::string*>(value);
    case Kind::secret: return std::string(static_cast<const Secret*>(value)->reveal());
    case Kind::boolean: return *static_cast<const bool*>(value) ? "true" : "false";
    case Kind::int64: return std::to_string(*static_cast<const std::int64_t*>(value));
    case Kind::uint64: return std::to_string(*static_cast<const std::uint64_t*>(value));
    case Kind::uint32: return std::to_string(*static_cast<const std::uint32_t*>(value));
    case Kind::number: return static_cast<const NumberText*>(value)->text;
    case Kind::decimal: return static_cast<const DecimalText*>(value)->text;
    case Kind::address: return to_string(*static_cast<const Address*>(value));
    case Kind::market_id: return static_cast<const MarketId*>(value)->text;
    case Kind::enumeration: {
      const std::size_t index = *static_cast<const std::uint8_t*>(value);
      const EnumNames& names = names_of(type, field);
      SVC_ASSERT(index < names.texts.size());
      return std::string(names.texts[index]);
    }
    case Kind::optional:
      SVC_ASSERT(type.container->size(value) == 1);
      return write_text(type.element(), field, type.container->at(value, 0));
    case Kind::json_object:
    case Kind::custom:
    case Kind::list:
    case Kind::map:
    case Kind::record: break;
  }
  SVC_ASSERT(false);
}

std::string expected_of(const TypeInfo& type, const FieldInfo& field) {
  switch (type.kind) {
    case Kind::text:
    case Kind::secret: return "a string";
    case Kind::boolean: return "true or false";
    case Kind::int64: return "an integer";
    case Kind::uint64: return "an integer from 0 to " + std::to_string(std::numeric_limits<std::uint64_t>::max());
    case Kind::uint32:
      return field.maximum != 0 ? "an integer from 1 to " + std::to_string(field.maximum)
                                : "an integer from 0 to " + std::to_string(std::numeric_limits<std::uint32_t>::max());
    case Kind::number: return "a number";
    case Kind::decimal: return "a decimal as a string, such as \"0.5\"";
    case Kind::address: return "an address: 0x and 40 hex digits";
    case Kind::market_id: return "a market id: upper-case segments joined by single hyphens, at most 64 characters";
    case Kind::enumeration: return one_of(names_of(type, field));
    case Kind::optional: return expected_of(type.element(), field);
    case Kind::json_object: return "an object";
    case Kind::custom: return std::string(type.custom->expected);
    case Kind::list: return "an array";
    case Kind::map: return "an object";
    case Kind::record: return type.as_array ? "an array of " + std::to_string(type.fields.size()) : "an object";
  }
  SVC_ASSERT(false);
}

}  // namespace svc::api
