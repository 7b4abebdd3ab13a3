// The interface description: OpenAPI 3.1, derived from the operation table, the records and the error
// catalogue. The same terms give the same bytes.
//
// One description serves every network: it contains all operations and twins, those of older clients as deprecated,
// at addresses relative to its own. (D-144)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/network.h"
#include "api/record.h"
#include "api/version.h"

namespace svc::api {

// `title` is the display name of the exchange, here and below; the current version is that of the description.
[[nodiscard]] std::string openapi_document(const std::string& title, const VersionPolicy& versions);
// The document with these networks as `x-svc-networks`: nothing else in it depends on the host name.
[[nodiscard]] std::string with_networks(std::string document, const NetworkMap& networks);

// The same for a sandbox's control surface, from its own table.
[[nodiscard]] std::string control_document();

// The description of the streams: AsyncAPI 3.0, derived from the channel table and the records of frames. `host` is the
// one by which the client reached the server.
[[nodiscard]] std::string async_api_document(const std::string& title, const ApiVersion& version,
                                             std::string_view host);

struct PlainGuideTerms {
  std::string title;
  VersionPolicy versions = {};
  NetworkTarget target = {};    // the serving network
  std::string host_root;        // of paths that begin with /api/v1, with a trailing slash
  std::string description_url;  // the OpenAPI document
};

// The guide served as /llms.txt: what a program, or its author, needs to call the API, and every operation in one
// line. Derived from the operation table.
[[nodiscard]] std::string plain_guide(const PlainGuideTerms& terms);

// The JSON Schema (2020-12) of a type, derived from its fields.

// Requests are closed, and optional members are not required. Responses are open, because a newer server may send
// more, and every member that is always written is required.
enum class Direction : std::uint8_t { request, response };

struct SchemaOptions {
  Direction direction = Direction::response;
  std::string_view reference_prefix = {};  // "#/components/schemas/": nested records are references; empty: inlined
  bool described = true;                   // for a single field: with its description
  bool is_closed = true;                   // a request has no other members
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
