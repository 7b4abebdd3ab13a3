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

#include "api/json_text.h"
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

}  // namespace svc::api

// The parts that openapi.cpp combines: each writes members into an object whose braces the caller writes.

namespace svc::api::openapi {

using Entries = std::span<const OperationEntry>;

// One operation at one of its paths.
void write_operation(JsonWriter& json, const OperationEntry& entry, bool is_twin);

// Under #/components: what the operations refer to.
void write_schemas(JsonWriter& json, Entries entries);
void write_request_bodies(JsonWriter& json, Entries entries);
void write_responses(JsonWriter& json, Entries entries);
void write_headers(JsonWriter& json);
void write_parameters(JsonWriter& json, const VersionPolicy& versions);
void write_security_schemes(JsonWriter& json);

// the place of nested records
inline constexpr const char* schema_prefix = "#/components/schemas/";

// The name of a component.
[[nodiscard]] std::string request_body_name(const Operation& operation);
[[nodiscard]] std::string success_name(const Operation& operation);
// Responses of one code are shared by all operations of an envelope.
[[nodiscard]] std::string refusal_name(const OperationEntry& entry, std::uint16_t status);

[[nodiscard]] bool has_request_body(const OperationEntry& entry);

}  // namespace svc::api::openapi

// The JSON Schema (2020-12) of a type, derived from its fields.

namespace svc::api {

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
