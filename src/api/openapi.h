// The interface description: OpenAPI 3.1, derived from the operation table, the records and the error
// catalogue. The same terms give the same bytes.
//
// One description serves every network: it contains all operations and twins, those of older clients as deprecated,
// at addresses relative to its own. (D-144)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/network.h"
#include "api/operation_list.h"
#include "api/record.h"
#include "api/version.h"

namespace svc::api {

struct OpenapiTerms {
  std::string title;            // display name of the exchange
  VersionPolicy versions = {};  // current is the version of the description
  NetworkMap networks = {};     // `x-svc-networks`
};

[[nodiscard]] std::string openapi_document(const OpenapiTerms& terms);

// The same for a sandbox's control surface, from its own table.
[[nodiscard]] std::string control_document();

// The JSON Schema (2020-12) of a type, derived from its fields.

// Requests are closed, and optional members are not required. Responses are open, because a newer server may send
// more, and every member that is always written is required.
enum class Direction : std::uint8_t { request, response };

struct SchemaOptions {
  Direction direction = Direction::response;
  std::string_view reference_prefix = {};  // "#/components/schemas/": nested records are references; empty: inlined
  bool described = true;                   // for a single field: with its description
};

// The schema of the body: of the whole-body field if the record has one, otherwise of its body fields.
[[nodiscard]] std::string schema_of(const TypeInfo& type, const SchemaOptions& options);
// The schema of one parameter or header.
[[nodiscard]] std::string schema_of(const FieldInfo& field, const TypeInfo& record, const SchemaOptions& options);

template <class T>
[[nodiscard]] std::string schema_of(const SchemaOptions& options = {}) {
  return schema_of(type_of<T>(), options);
}

}  // namespace svc::api
