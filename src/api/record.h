// A record is a struct with one list of fields. Strict decoding, encoding, JSON Schema, the place in path, query or
// header, and table columns derive from it. A row declares a member and its field in one stroke: type, name, initial
// value, description, and what else is to be said of the field.
//
//   SVC_RECORD(ActivityRequest,
//       (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(500))
//       (std::optional<std::string>, cursor, {}, "From X-Next-Cursor of the page before", .query()));
//
// Rows are in wire order. The list is an array of one erased type, not a tuple: tuples for a hundred and fifty records
// cost every including file six seconds (D-120).
//
// std::optional<T> means "may be absent or null" on input; on output an empty optional is written as
// null unless the field says omit_when_empty().
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/error_catalog.h"
#include "base/encoding.h"
#include "base/find.h"
#include "base/rows.h"
#include "trade/words.h"

namespace svc {
class JsonReader;
}

namespace svc::api {

// An object with arbitrary member names, in their order.
template <class T>
using Members = std::vector<std::pair<std::string, T>>;
// The same, sorted by name.
template <class T>
using MemberMap = std::map<std::string, T>;

// Where a field travels. In a request, path and query parameters are not in the body; in a response, headers are
// not. `whole_body` makes one field the body itself, for bodies that are bare arrays.
enum class In : std::uint8_t { body, whole_body, path, query, header };

// The texts of an enumeration, indexed by its values, which count from 0.
struct EnumNames {
  std::span<const std::string_view> texts;
  bool any_case = false;  // accepts any case on input

  // The value with that text, as a number.
  [[nodiscard]] constexpr std::optional<std::size_t> find(std::string_view text) const {
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (any_case ? std::ranges::equal(texts[i], text, {}, lower_letter, lower_letter) : texts[i] == text) return i;
    return std::nullopt;
  }
};

// Words of trading have their spellings on the wire, too.
template <trade::Word E>
constexpr EnumNames enum_names(E word) {
  return {trade::Spellings::of(word)};
}
// Any other enumeration on the wire provides `constexpr EnumNames enum_names(E)` beside it. SVC_WIRE_NAMES defines it
// with a list of texts that exists, SVC_WIRE_TEXTS with its own: one text for each value, in the order of the values.
#define SVC_WIRE_NAMES(E, texts)                  \
  constexpr ::svc::api::EnumNames enum_names(E) { \
    return {texts};                               \
  }                                               \
  static_assert(std::size(texts) > 0)
#define SVC_WIRE_TEXTS(E, ...)                                   \
  inline constexpr std::string_view E##_texts[] = {__VA_ARGS__}; \
  SVC_WIRE_NAMES(E, E##_texts)

template <class E>
concept WireEnum = requires(E e) {
  { enum_names(e) } -> std::same_as<EnumNames>;
};

using trade::to_string;
template <WireEnum E>
requires(!trade::Word<E>) [[nodiscard]] constexpr std::string_view to_string(E value) {
  return enum_names(value).texts[static_cast<std::size_t>(value)];
}
template <WireEnum E>
[[nodiscard]] constexpr std::optional<E> parse(std::string_view text) {
  const auto number = enum_names(E{}).find(text);
  return number ? std::optional(static_cast<E>(*number)) : std::nullopt;
}

// What the codec knows about a type. Instantiated for each record in operation_table.cpp.
struct TypeInfo;
template <class T>
[[nodiscard]] const TypeInfo& type_of();

struct FieldInfo {
  std::string_view name;
  std::string_view doc;
  const TypeInfo& (*type)() = nullptr;
  void* (*member)(void* record) = nullptr;
  In in = In::body;
  bool may_be_absent = false;  // if absent the member keeps its default; not needed for optionals
  bool omitted_if_empty = false;
  std::uint32_t maximum = 0;                    // of a page size: larger values are clamped to it; 0: no limit
  std::uint32_t least = 0, most = 0;            // as within() says; 0: nothing is said
  const EnumNames* spelling = nullptr;          // texts that differ from the enumeration's own
  ErrorCode refusal = ErrorCode::invalid_json;  // code for a malformed value

  // Of a request: not a parameter of path, query or header.
  [[nodiscard]] constexpr bool is_of_body() const { return in == In::body || in == In::whole_body; }

  // A copy with one member set. Clang needs it before its users.
  template <class T>
  [[nodiscard]] constexpr FieldInfo with(T FieldInfo::*member, std::type_identity_t<T> value) const {
    FieldInfo f = *this;
    f.*member = value;
    return f;
  }
  [[nodiscard]] constexpr FieldInfo path() const { return with(&FieldInfo::in, In::path); }
  [[nodiscard]] constexpr FieldInfo query() const { return with(&FieldInfo::in, In::query); }
  [[nodiscard]] constexpr FieldInfo header() const { return with(&FieldInfo::in, In::header); }
  [[nodiscard]] constexpr FieldInfo whole_body() const { return with(&FieldInfo::in, In::whole_body); }
  // On the wire it has another name than the member.
  [[nodiscard]] constexpr FieldInfo named(std::string_view wire) const { return with(&FieldInfo::name, wire); }
  // May be absent; the member then keeps its default.
  [[nodiscard]] constexpr FieldInfo defaulted() const { return with(&FieldInfo::may_be_absent, true); }
  [[nodiscard]] constexpr FieldInfo omit_when_empty() const { return with(&FieldInfo::omitted_if_empty, true); }
  // A page size in the query: 1 or more, clamped to `rows`, the member's default when absent.
  [[nodiscard]] constexpr FieldInfo page_of_at_most(std::uint32_t rows) const {
    return query().defaulted().with(&FieldInfo::maximum, rows);
  }
  // Tells the bounds of a number, of the length of a text or of a list. Whoever uses the value checks them.
  [[nodiscard]] constexpr FieldInfo within(std::uint32_t lowest, std::uint32_t highest) const {
    return with(&FieldInfo::least, lowest).with(&FieldInfo::most, highest);
  }
  [[nodiscard]] constexpr FieldInfo spelled(const EnumNames& names) const { return with(&FieldInfo::spelling, &names); }
  [[nodiscard]] constexpr FieldInfo refused_as(ErrorCode code) const { return with(&FieldInfo::refusal, code); }
};

template <auto Member>
struct MemberAccess;
template <class R, class M, M R::*Member>
struct MemberAccess<Member> {
  using Type = M;
  static void* get(void* record) { return &(static_cast<R*>(record)->*Member); }
};

template <auto Member>
[[nodiscard]] constexpr FieldInfo field(std::string_view name, std::string_view doc) {
  FieldInfo f;
  f.name = name;
  f.doc = doc;
  f.type = &type_of<typename MemberAccess<Member>::Type>;
  f.member = &MemberAccess<Member>::get;
  return f;
}

// Two lists as one, in wire order.
template <std::size_t first_count, std::size_t second_count>
[[nodiscard]] constexpr auto joined_fields(std::span<const FieldInfo, first_count> first,
                                           std::span<const FieldInfo, second_count> second) {
  std::array<FieldInfo, first_count + second_count> all{};
  std::ranges::copy(second, std::ranges::copy(first, all.begin()).out);
  return all;
}

// A record of these rows; one that has the fields of another record first, or last; and, within a struct, the members
// of the rows with their fields as `list`.
#define SVC_RECORD(Name, rows)      \
  struct Name {                     \
    SVC_FIELDS(Name, fields, rows); \
  }
#define SVC_RECORD_AFTER(Base, Name, rows)                                                 \
  struct Name : Base {                                                                     \
    SVC_FIELDS(Name, own, rows);                                                           \
    static constexpr auto fields = joined_fields(std::span(Base::fields), std::span(own)); \
  }
#define SVC_RECORD_BEFORE(Base, Name, rows)                                                \
  struct Name : Base {                                                                     \
    SVC_FIELDS(Name, own, rows);                                                           \
    static constexpr auto fields = joined_fields(std::span(own), std::span(Base::fields)); \
  }
#define SVC_FIELDS(Name, list, rows) \
  using Self = Name;                 \
  SVC_ROWS(SVC_MEMBER rows)          \
  static constexpr FieldInfo list[] = {SVC_ROWS(SVC_FIELD rows)}

#define SVC_MEMBER(type, name, value, ...) \
  type name value;                         \
  SVC_NEXT_MEMBER
#define SVC_NEXT_MEMBER(type, name, value, ...) \
  type name value;                              \
  SVC_MEMBER
#define SVC_FIELD(type, name, value, doc, ...) field<&Self::name>(#name, doc) __VA_ARGS__, SVC_NEXT_FIELD
#define SVC_NEXT_FIELD(type, name, value, doc, ...) field<&Self::name>(#name, doc) __VA_ARGS__, SVC_FIELD
#define SVC_MEMBER_END
#define SVC_NEXT_MEMBER_END
#define SVC_FIELD_END
#define SVC_NEXT_FIELD_END

template <class T>
concept Record = requires {
  T::fields;
};

// A request or response without fields: an empty body; any object is accepted as input.
struct Empty {
  static constexpr std::span<const FieldInfo> fields{};
};

// What the codec knows about a type at run time: enough to read, write and describe it. Built at compile time; the
// code that uses it is compiled once.

enum class Kind : std::uint8_t {
  text,         // std::string
  secret,       // Secret
  boolean,      // bool
  int64,        // std::int64_t
  uint64,       // std::uint64_t
  uint32,       // std::uint32_t
  decimal,      // DecimalText
  number,       // NumberText
  json_object,  // JsonObjectText
  address,      // Address
  market_id,    // MarketId
  enumeration,  // a WireEnum of one byte
  custom,       // a type with a custom form
  optional,     // std::optional<element>
  list,         // std::vector<element>
  map,          // std::map<std::string, element>, or Members<element>
  record,
};

// Access to an optional, a list or a map without knowing its element type.
struct ContainerAccess {
  void* (*emplace)(void* container) = nullptr;  // optional: a value in place; list: a new element at the end
  void (*clear)(void* container) = nullptr;
  std::size_t (*size)(const void* container) = nullptr;
  const void* (*at)(const void* container, std::size_t index) = nullptr;  // optional: index 0
  void* (*insert)(void* container, const std::string& key) = nullptr;     // map: nullptr if the key exists
  void (*each)(const void* container, void* context,
               void (*visit)(void* context, const std::string& key, const void* element)) = nullptr;  // map
};

// A type of any other form, such as CancellationReason, has this as its member `form`.
struct CustomForm {
  // Reads one value; false if it has none of the forms, with the reader unmoved or failed.
  bool (*read)(JsonReader& reader, void* value) = nullptr;
  void (*write)(std::string& out, const void* value) = nullptr;
  std::string_view expected = {};  // "null, a string or {\"Stp\": mode}"
  std::string_view schema = {};    // JSON Schema
};

// A field of a record as it is written: what stands before its value, and where the value is.
struct WrittenField {
  static constexpr std::size_t lead_max = 48;

  std::array<char, lead_max> lead{};  // `,"price":`; copied whole, which is faster than by its size
  std::size_t lead_size = 0;
  std::size_t offset = 0;
  const TypeInfo* type = nullptr;
  const FieldInfo* field = nullptr;
};

struct TypeInfo {
  Kind kind{};
  std::string_view name = {};  // of a record or custom type: "Order"
  const EnumNames* names = nullptr;
  const CustomForm* custom = nullptr;
  const TypeInfo& (*element)() = nullptr;
  const ContainerAccess* container = nullptr;
  std::span<const FieldInfo> fields = {};                   // of a record
  bool as_array = false;                                    // the record's fields are the elements of an array
  const void* (*fresh)() = nullptr;                         // an instance of a record whose members are the defaults
  const std::vector<WrittenField>& (*written)() = nullptr;  // the fields of a record that are in the body, in order
};

[[nodiscard]] constexpr bool may_be_absent(const FieldInfo& field) {
  return field.may_be_absent || field.omitted_if_empty;
}

// The member of one record.
[[nodiscard]] inline void* member_of(const FieldInfo& field, void* record) {
  return field.member(record);
}
[[nodiscard]] inline const void* member_of(const FieldInfo& field, const void* record) {
  return field.member(const_cast<void*>(record));  // the accessor only computes an address
}

// The field that is the whole body, if there is one.
[[nodiscard]] const FieldInfo* whole_body_of(const TypeInfo& record);
[[nodiscard]] bool has_body_fields(const TypeInfo& record);
[[nodiscard]] std::vector<WrittenField> written_fields(const TypeInfo& record);

}  // namespace svc::api
