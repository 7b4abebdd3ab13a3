// What the codec knows about a type at run time: enough to read it, write it and describe it. Built at
// compile time by describe.h; the code that walks it is compiled once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/record.h"

namespace svc::api {

class JsonReader;

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
  custom,       // a type with a form of its own
  optional,     // std::optional<element>
  list,         // std::vector<element>
  map,          // std::map<std::string, element>
  record,
};

// How to reach into an optional, a list or a map without knowing its element.
struct ContainerAccess {
  void* (*emplace)(void* container) = nullptr;  // optional: a value in place; list: one more at the end
  void (*clear)(void* container) = nullptr;
  std::size_t (*size)(const void* container) = nullptr;
  const void* (*at)(const void* container, std::size_t index) = nullptr;  // optional: index 0
  void* (*insert)(void* container, const std::string& key) = nullptr;     // map: nullptr if the key is there
  void (*each)(const void* container, void* context,
               void (*visit)(void* context, const std::string& key, const void* element)) = nullptr;  // map
};

// A type that is none of the others, CancellationReason say.
struct CustomForm {
  // Reads one value; false if it is none of the forms, with the reader unmoved or failed.
  bool (*read)(JsonReader& reader, void* value) = nullptr;
  void (*write)(std::string& out, const void* value) = nullptr;
  std::string_view expected = {};  // "null, a string or {\"Stp\": mode}"
  std::string_view schema = {};    // JSON Schema
};

struct TypeInfo {
  Kind kind{};
  std::string_view name = {};  // of a record, enumeration or custom type: "Order"
  const EnumNames* names = nullptr;
  const CustomForm* custom = nullptr;
  const TypeInfo& (*element)() = nullptr;
  const ContainerAccess* container = nullptr;
  std::span<const FieldInfo> fields = {};  // of a record
  bool as_array = false;                   // the record's fields are the elements of an array
  // Calls visit with a fresh instance of a record: its members are the defaults.
  void (*with_default)(void* context, void (*visit)(void* context, const void* record)) = nullptr;
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

}  // namespace svc::api
