#include "signing/typed_data_types.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/assert.h"
#include "base/limits.h"

namespace svc::signing {
namespace {

using nlohmann::json;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_identifier(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return false;
  for (const char c : text)
    if (!is_letter(c) && !is_digit(c)) return false;
  return true;
}

// Digits without leading zeros.
std::optional<std::size_t> parse_count(std::string_view digits) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (digits.size() > 1 && digits[0] == '0') return std::nullopt;
  return value;
}

std::optional<TypeName> parse_type_name(const std::string& text) {
  TypeName type{text, text.substr(0, text.find('[')), {}};
  if (!is_identifier(type.base)) return std::nullopt;
  std::string_view rest = std::string_view(text).substr(type.base.size());
  while (!rest.empty()) {
    const std::size_t close = rest.find(']');
    if (rest[0] != '[' || close == std::string_view::npos) return std::nullopt;
    const std::string_view digits = rest.substr(1, close - 1);
    const auto count = parse_count(digits);
    if (!digits.empty() && !count) return std::nullopt;
    type.dimensions.push_back(count);
    rest.remove_prefix(close + 1);
  }
  return type;
}

Result<StructType, std::string> parse_struct(const std::string& name, const json& members) {
  const std::string place = "types." + name;
  if (!members.is_array()) return unexpected(place + ": expected an array of members");
  StructType type;
  std::set<std::string> names;
  for (const json& member : members) {
    const std::string here = place + "[" + std::to_string(type.size()) + "]";
    if (!member.is_object() || !member.contains("name") || !member["name"].is_string() || !member.contains("type") ||
        !member["type"].is_string()) {
      return unexpected(here + ": expected {\"name\": string, \"type\": string}");
    }
    const auto& member_name = member["name"].get_ref<const std::string&>();
    const auto& type_text = member["type"].get_ref<const std::string&>();
    if (!is_identifier(member_name)) return unexpected(here + ": `" + member_name + "` is not an identifier");
    if (!names.insert(member_name).second) return unexpected(here + ": member `" + member_name + "` occurs twice");
    auto member_type = parse_type_name(type_text);
    if (!member_type) return unexpected(here + ": `" + type_text + "` is not a type");
    type.push_back({member_name, std::move(*member_type)});
  }
  return type;
}

}  // namespace

std::optional<AtomicType> atomic_type(std::string_view name) {
  if (name == "address") return AtomicType{Atom::address};
  if (name == "bool") return AtomicType{Atom::boolean};
  if (name == "bytes") return AtomicType{Atom::bytes};
  if (name == "string") return AtomicType{Atom::text};
  const auto sized = [name](std::string_view prefix) {
    return name.starts_with(prefix) ? parse_count(name.substr(prefix.size())).value_or(0) : 0;
  };
  if (const std::size_t size = sized("bytes"); size >= 1 && size <= 32)
    return AtomicType{Atom::fixed_bytes, static_cast<int>(size)};
  if (const std::size_t bits = sized("uint"); bits >= 8 && bits <= 256 && bits % 8 == 0)
    return AtomicType{Atom::unsigned_integer, static_cast<int>(bits)};
  if (const std::size_t bits = sized("int"); bits >= 8 && bits <= 256 && bits % 8 == 0)
    return AtomicType{Atom::signed_integer, static_cast<int>(bits)};
  return std::nullopt;
}

Result<StructTypes, std::string> StructTypes::parse(const json& types) {
  if (!types.is_object()) return unexpected("types: expected an object of struct types");
  if (types.size() > limits::typed_data_types_max)
    return unexpected("types: more than " + std::to_string(limits::typed_data_types_max) + " struct types");
  StructTypes result;
  for (const auto& [name, members] : types.items()) {
    if (!is_identifier(name)) return unexpected("types: `" + name + "` is not an identifier");
    if (atomic_type(name)) return unexpected("types: `" + name + "` is an atomic type");
    auto type = SVC_TRY(parse_struct(name, members));
    result.declare(name, std::move(type));
  }
  for (const auto& [name, type] : result.types_)
    for (const TypeMember& member : type)
      if (!atomic_type(member.type.base) && !result.find(member.type.base))
        return unexpected("types." + name + "." + member.name + ": type `" + member.type.base + "` is not declared");
  return result;
}

const StructType* StructTypes::find(std::string_view name) const {
  const auto at = types_.find(name);
  return at == types_.end() ? nullptr : &at->second;
}

void StructTypes::declare(std::string name, StructType type) {
  SVC_ASSERT(types_.emplace(std::move(name), std::move(type)).second);
}

std::string StructTypes::type_string(const std::string& name) const {
  std::set<std::string> met{name};
  std::vector<std::string> unread{name};
  while (!unread.empty()) {
    const StructType* type = find(unread.back());
    SVC_ASSERT(type != nullptr);
    unread.pop_back();
    for (const TypeMember& member : *type)
      if (find(member.type.base) && met.insert(member.type.base).second) unread.push_back(member.type.base);
  }
  std::string text;
  const auto append = [&](const std::string& type_name) {
    text += type_name + "(";
    for (const TypeMember& member : *find(type_name)) {
      if (text.back() != '(') text += ',';
      text += member.type.text + " " + member.name;
    }
    text += ')';
  };
  append(name);
  met.erase(name);
  for (const std::string& referred : met) append(referred);
  return text;
}

const Hash32& StructTypes::type_hash(const std::string& name) {
  const auto at = hashes_.find(name);
  if (at != hashes_.end()) return at->second;
  return hashes_.emplace(name, keccak256(type_string(name))).first->second;
}

}  // namespace svc::signing
