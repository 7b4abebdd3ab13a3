// The JSON Schema (2020-12) of a type, derived from its fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/type_info.h"

namespace svc::api {

// Requests are closed, and what may be left out is not required. Responses are open, because a newer
// server may say more, and every key that is always written is required.
enum class Direction : std::uint8_t { request, response };

struct SchemaOptions {
  Direction direction = Direction::response;
  std::string_view reference_prefix = {};  // "#/components/schemas/": nested records are references; empty: inlined
  bool described = true;                   // of a single field: with its description
};

// Of the body: for a record with a whole-body field that field's, otherwise its body fields.
[[nodiscard]] std::string schema_of(const TypeInfo& type, const SchemaOptions& options);
// Of one parameter or header.
[[nodiscard]] std::string schema_of(const FieldInfo& field, const TypeInfo& record, const SchemaOptions& options);

template <class T>
[[nodiscard]] std::string schema_of(const SchemaOptions& options = {}) {
  return schema_of(type_of<T>(), options);
}

}  // namespace svc::api
