#include "signing/typed_data.h"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/encoding.h"
#include "base/limits.h"
#include "base/text.h"
#include "signing/json_document.h"
#include "signing/key.h"
#include "signing/uint256.h"

namespace svc::signing {
namespace {

using nlohmann::json;

// "Order[2][]" has the base Order, with dimensions 2 and then an open one; the last is the outermost.
struct TypeName {
  std::string text;
  std::string base;
  std::vector<std::optional<std::size_t>> dimensions;
};

struct TypeMember {
  std::string name;
  TypeName type;
};

using StructType = std::vector<TypeMember>;

// How a value without dimensions is encoded.
enum class Atom { address, boolean, bytes, fixed_bytes, signed_integer, text, unsigned_integer };

struct AtomicType {
  Atom atom;
  int size = 0;  // bytes of fixed_bytes, bits of integers
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

// Digits without leading zeros.
std::optional<std::size_t> parse_count(std::string_view digits) {
  if (digits.size() > 1 && digits[0] == '0') return std::nullopt;
  return parse_integer<std::size_t>(digits);
}

// nullopt if it is not the name of an atomic type: those of EIP-712, always with sizes.
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

// The struct types that a document declares. Every member's type is atomic or declared here, with any dimensions.
class StructTypes {
 public:
  // The document's "types". The error names the place.
  static Result<StructTypes, std::string> parse(const json& types) {
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

  // nullptr if not declared.
  const StructType* find(std::string_view name) const {
    const auto at = types_.find(name);
    return at == types_.end() ? nullptr : &at->second;
  }

  // The name must not be taken.
  void declare(std::string name, StructType type) {
    SVC_ASSERT(types_.emplace(std::move(name), std::move(type)).second);
  }

  // The declared type as hashed: itself, then every type it refers to, by name.
  std::string type_string(const std::string& name) const {
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
      const auto typed = [](const TypeMember& member) { return member.type.text + " " + member.name; };
      text += type_name + "(" + joined(*find(type_name), typed, ",") + ")";
    };
    append(name);
    met.erase(name);
    for (const std::string& referred : met) append(referred);
    return text;
  }

  const Hash32& type_hash(const std::string& name) {
    const auto at = hashes_.find(name);
    if (at != hashes_.end()) return at->second;
    return hashes_.emplace(name, keccak256(type_string(name))).first->second;
  }

 private:
  std::map<std::string, StructType, std::less<>> types_;
  std::map<std::string, Hash32, std::less<>> hashes_;  // computed on request
};

using Json = nlohmann::ordered_json;

template <class Value>
Json value_of(const Value& value) {
  if constexpr (SignedStruct<Value>) {
    Json object = Json::object();
    for_each_member<Value>([&](const auto& member) { object[std::string(member.name)] = value_of(value.*member.at); });
    return object;
  } else if constexpr (is_list<Value>) {
    Json items = Json::array();
    for (const auto& item : value) items.push_back(value_of(item));
    return items;
  } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
    return std::to_string(value);  // some JSON readers lose digits of 64-bit numbers
  } else if constexpr (std::is_same_v<Value, Address> || std::is_same_v<Value, Uint256>) {
    return to_string(value);
  } else {
    return value;
  }
}

constexpr const char* domain_type = "EIP712Domain";
// JavaScript tools misread larger JSON numbers, and would sign another message.
constexpr std::int64_t json_integer_max = (std::int64_t{1} << 53) - 1;

using Encoded = Result<Hash32, std::string>;

// One 32-byte word, or what was expected instead.
Encoded encode_address(const json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  const auto address = text ? parse_address(*text) : std::nullopt;
  if (!address) return unexpected("expected an address: 0x and 40 hex digits");
  if (!checksum_holds(*text)) return unexpected("the letter case of the address is not its checksum");
  Hash32 word{};
  std::copy(address->bytes.begin(), address->bytes.end(), word.begin() + 12);
  return word;
}

std::optional<Bytes> hex_bytes(const json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  if (!text || !text->starts_with("0x")) return std::nullopt;
  return from_hex(strip_0x(*text));
}

Encoded encode_bytes(const json& value) {
  const auto bytes = hex_bytes(value);
  if (!bytes) return unexpected("expected bytes: 0x and pairs of hex digits");
  return keccak256(*bytes);
}

Encoded encode_fixed_bytes(const json& value, int size) {
  const auto bytes = hex_bytes(value);
  if (!bytes || bytes->size() != static_cast<std::size_t>(size))
    return unexpected("expected 0x and exactly " + std::to_string(2 * size) + " hex digits");
  Hash32 word{};
  std::copy(bytes->begin(), bytes->end(), word.begin());
  return word;
}

struct Integer {
  bool negative = false;
  Uint256 magnitude;
};

std::optional<Integer> read_integer(const json& value) {
  if (value.is_number_integer()) {
    const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{json_integer_max};
    const std::int64_t number = too_large ? 0 : value.get<std::int64_t>();
    if (too_large || number < -json_integer_max) return std::nullopt;
    return Integer{number < 0, static_cast<std::uint64_t>(number < 0 ? -number : number)};
  }
  const auto* text = value.get_ptr<const std::string*>();
  if (!text) return std::nullopt;
  const bool negative = text->starts_with('-');
  const std::string_view digits = std::string_view(*text).substr(negative ? 1 : 0);
  if (negative && digits.starts_with("0x")) return std::nullopt;
  const auto magnitude = parse_uint256(digits);
  if (!magnitude) return std::nullopt;
  return Integer{negative && *magnitude != Uint256{}, *magnitude};
}

Encoded encode_integer(const json& value, const AtomicType& type) {
  const bool is_signed = type.atom == Atom::signed_integer;
  const std::string name = (is_signed ? "int" : "uint") + std::to_string(type.size);
  const auto integer = read_integer(value);
  if (!integer)
    return unexpected("expected " + name + ": a JSON integer up to 2^53 - 1, or decimal or 0x hex digits as text");
  if (integer->negative && !is_signed) return unexpected(name + " is not negative");
  Uint256 number = integer->magnitude;
  Hash32& word = number.big_endian;
  // Two's complement: -n has the bits of n - 1, inverted.
  for (auto byte = word.rbegin(); integer->negative && byte != word.rend(); ++byte)
    if ((*byte)-- != 0) break;
  if (bit_width(number) > type.size - (is_signed ? 1 : 0)) return unexpected("does not fit " + name);
  if (integer->negative) std::ranges::transform(word, word.begin(), std::bit_not<std::uint8_t>());
  return word;
}

Encoded encode_atom(const AtomicType& type, const json& value) {
  switch (type.atom) {
    case Atom::address: return encode_address(value);
    case Atom::bytes: return encode_bytes(value);
    case Atom::fixed_bytes: return encode_fixed_bytes(value, type.size);
    case Atom::signed_integer:
    case Atom::unsigned_integer: return encode_integer(value, type);
    case Atom::boolean:
      if (!value.is_boolean()) return unexpected("expected true or false");
      return Uint256{value.get<bool>() ? 1u : 0u}.big_endian;
    case Atom::text:
      if (!value.is_string()) return unexpected("expected a string");
      return keccak256(value.get_ref<const std::string&>());
  }
  return unexpected("");
}

// Hashes values and tracks their place in the document.
class Encoder {
 public:
  Encoder(StructTypes& types, std::string place) : types_(types), place_(std::move(place)) {}

  Encoded struct_hash(const std::string& name, const json& value) {
    if (!value.is_object()) return fail("expected an object of type " + name);
    Keccak256 hash;
    hash.update(types_.type_hash(name));
    for (const TypeMember& member : *types_.find(name)) {
      const std::size_t mark = place_.size();
      place_ += "." + member.name;
      const auto at = value.find(member.name);
      if (at == value.end()) return fail("is missing; expected " + member.type.text);
      hash.update(SVC_TRY(encode(member.type, member.type.dimensions.size(), *at)));
      place_.resize(mark);
    }
    return hash.finish();
  }

 private:
  // A value of the type with only its first `dimensions` dimensions.
  Encoded encode(const TypeName& type, std::size_t dimensions, const json& value) {
    if (dimensions > 0) return array_hash(type, dimensions - 1, value);
    const auto atomic = atomic_type(type.base);
    if (!atomic) return struct_hash(type.base, value);
    auto word = encode_atom(*atomic, value);
    return word ? word : fail(word.error());
  }

  Encoded array_hash(const TypeName& type, std::size_t outermost, const json& value) {
    if (!value.is_array()) return fail("expected an array");
    const auto count = type.dimensions[outermost];
    if (count && value.size() != *count)
      return fail("expected an array of " + std::to_string(*count) + ", not " + std::to_string(value.size()));
    Keccak256 hash;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::size_t mark = place_.size();
      place_ += "[" + std::to_string(i) + "]";
      hash.update(SVC_TRY(encode(type, outermost, value[i])));
      place_.resize(mark);
    }
    return hash.finish();
  }

  Encoded fail(const std::string& expected) const { return unexpected(place_ + ": " + expected); }

  StructTypes& types_;
  std::string place_;
};

// The domain type of a document that does not declare EIP712Domain.
Result<StructType, std::string> infer_domain_type(const json& domain) {
  constexpr std::pair<const char*, const char*> members[] = {{"name", "string"},
                                                             {"version", "string"},
                                                             {"chainId", "uint256"},
                                                             {"verifyingContract", "address"},
                                                             {"salt", "bytes32"}};
  StructType type;
  for (const auto& [name, type_name] : members)
    if (domain.contains(name)) type.push_back({name, {type_name, type_name, {}}});
  if (type.size() != domain.size())
    return unexpected("domain: expected no members but name, version, chainId, verifyingContract and salt");
  return type;
}

}  // namespace

template <SignedStruct Struct>
std::string typed_data_text(const Domain& domain, const Struct& one) {
  Json types = Json::object();
  const auto declare = [&](std::string_view type, std::string_view name, std::string_view member) {
    types[std::string(type)].push_back({{"name", member}, {"type", name}});
  };
  for (const auto& [name, type] : members_of(domain)) declare("EIP712Domain", type, name);
  for_each_struct<Struct>([&]<class One>() {
    for_each_member<One>(
        [&]<class Value>(const Member<One, Value>& member) { declare(One::name, member_type<Value>(), member.name); });
  });
  Json shown = {{"name", domain.name}, {"version", domain.version}, {"chainId", domain.chain_id}};
  if (domain.salt) shown["salt"] = to_hex_0x(*domain.salt);
  const Json whole = {{"types", std::move(types)},
                      {"primaryType", Struct::name},
                      {"domain", std::move(shown)},
                      {"message", value_of(one)}};
  return whole.dump();
}

[[gnu::used]] constexpr auto owner_texts =
    of_every_struct(std::type_identity<OwnerStructs>(), []<class Struct>() { return &typed_data_text<Struct>; });

std::string typed_data_text(const Domain& domain, const ActionStruct& action) {
  return std::visit([&](const auto& one) { return typed_data_text(domain, one); }, action);
}

Result<TypedDataHashes, std::string> hash_typed_data(std::string_view text) {
  if (text.size() > limits::typed_data_bytes_max)
    return unexpected("larger than " + std::to_string(limits::typed_data_bytes_max) + " bytes");
  const auto document = SVC_TRY(parse_json_document(text));
  if (!document.is_object()) return unexpected("expected an object with types, primaryType, domain and message");
  for (const char* member : {"types", "primaryType", "domain", "message"})
    if (!document.contains(member)) return unexpected(std::string(member) + ": is missing");
  const json& domain = document["domain"];
  if (!domain.is_object()) return unexpected("domain: expected an object");

  auto types = SVC_TRY(StructTypes::parse(document["types"]));
  if (!types.find(domain_type)) {
    auto inferred = SVC_TRY(infer_domain_type(domain));
    types.declare(domain_type, std::move(inferred));
  }
  const json& primary = document["primaryType"];
  if (!primary.is_string() || !types.find(primary.get_ref<const std::string&>()))
    return unexpected("primaryType: expected the name of a declared type");
  const auto& primary_type = primary.get_ref<const std::string&>();

  TypedDataHashes hashes;
  hashes.type = types.type_string(primary_type);
  hashes.domain_separator = SVC_TRY(Encoder(types, "domain").struct_hash(domain_type, domain));
  if (primary_type != domain_type)
    hashes.struct_hash = SVC_TRY(Encoder(types, "message").struct_hash(primary_type, document["message"]));
  hashes.digest = typed_data_digest(hashes.domain_separator, hashes.struct_hash);
  return hashes;
}

}  // namespace svc::signing
