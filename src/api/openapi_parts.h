// The parts that openapi.cpp puts together: each writes members into an object whose braces are the
// caller's.
#pragma once

#include <cstdint>
#include <string>

#include "api/json_writer.h"
#include "api/operation_list.h"
#include "api/version.h"

namespace svc::api::openapi {

// One operation at one of its paths.
void write_operation(JsonWriter& json, const OperationEntry& entry, bool is_twin);

// Under #/components: what the operations refer to.
void write_schemas(JsonWriter& json);
void write_request_bodies(JsonWriter& json);
void write_responses(JsonWriter& json);
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

// The 84 in the order of the table, then the legacy ones.
template <class F>
void for_each_operation(F f) {
  for (const auto list : {all_operations(), legacy_operations()}) {
    for (const OperationEntry& entry : list) f(entry);
  }
}

}  // namespace svc::api::openapi
