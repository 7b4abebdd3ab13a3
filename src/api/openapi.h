// The interface description: OpenAPI 3.1, derived from the operation table, the records and the error
// catalogue. The same terms give the same bytes.
//
// One description serves every network: all operations and twins are in it, those of older clients as
// deprecated, at addresses relative to its own. (D-144)
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

// The same of the control surface of a sandbox, from its own table.
[[nodiscard]] std::string control_document();

}  // namespace svc::api

// The parts that openapi.cpp puts together: each writes members into an object whose braces are the
// caller's.

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

// "#/components/schemas/", where nested records refer to.
inline constexpr const char* schema_prefix = "#/components/schemas/";

// The name of a component, wherever it is referred to.
[[nodiscard]] std::string request_body_name(const Operation& operation);
[[nodiscard]] std::string success_name(const Operation& operation);
// Responses of one code are shared by all operations of an envelope.
[[nodiscard]] std::string refusal_name(const OperationEntry& entry, std::uint16_t status);

[[nodiscard]] bool has_request_body(const OperationEntry& entry);

}  // namespace svc::api::openapi

// The JSON Schema (2020-12) of a type, derived from its fields.

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
