#include "contract/sample_request.h"

#include "base/assert.h"
#include "base/json_text.h"

namespace svc::contract {
namespace {

using api::FieldInfo;
using api::In;
using api::Kind;
using api::TypeInfo;

bool is_required(const FieldInfo& field) {
  return !api::may_be_absent(field) && field.type().kind != Kind::optional;
}

// The value as plain text, for paths and queries.
std::string sample_text(const FieldInfo& field) {
  const TypeInfo& type = field.type();
  switch (type.kind) {
    case Kind::text:
    case Kind::secret: return "sample";
    case Kind::boolean: return "true";
    case Kind::int64:
    case Kind::uint64:
    case Kind::uint32:
    case Kind::decimal:
    case Kind::number:
    case Kind::custom: return "1";
    case Kind::address: return "0x71c7656ec7ab88b098defb751b7401b5f6d8976f";
    case Kind::market_id: return "BTC-USDX-PERP";
    case Kind::enumeration: return std::string((field.spelling != nullptr ? field.spelling : type.names)->texts[0]);
    default: SVC_ASSERT(false);
  }
}

void write_object(JsonWriter& json, const TypeInfo& type);

void write_value(JsonWriter& json, const FieldInfo& field, const TypeInfo& type) {
  switch (type.kind) {
    case Kind::boolean:
    case Kind::int64:
    case Kind::uint64:
    case Kind::uint32:
    case Kind::number: json.raw(sample_text(field)); return;
    case Kind::record: write_object(json, type); return;
    case Kind::list:
      json.begin_array();
      write_value(json, field, type.element());
      json.end_array();
      return;
    default: json.text(sample_text(field)); return;
  }
}

void write_object(JsonWriter& json, const TypeInfo& type) {
  json.begin_object();
  for (const FieldInfo& field : type.fields) {
    if (field.in != In::body || !is_required(field)) continue;
    json.key(field.name);
    write_value(json, field, field.type());
  }
  json.end_object();
}

}  // namespace

bool takes_object(const api::OperationEntry& entry) {
  using enum api::Method;
  const api::Method method = entry.operation->method;
  return method != get && method != del && api::whole_body_of(entry.request()) == nullptr;
}

api::HttpRequest sample_request(const api::OperationEntry& entry, bool twin) {
  const api::Operation& operation = *entry.operation;
  const TypeInfo& type = entry.request();
  api::HttpRequest request;
  request.method = api::to_string(operation.method);
  request.target = std::string(twin ? api::twin_prefix : "") + std::string(operation.path);
  std::string query;
  for (const FieldInfo& field : type.fields) {
    if (field.in == In::path) {
      const std::string name = '{' + std::string(field.name) + '}';
      request.target.replace(request.target.find(name), name.size(), sample_text(field));
    }
    if (field.in == In::query && is_required(field))
      query.append(query.empty() ? "?" : "&").append(field.name).append("=").append(sample_text(field));
    if (field.in == In::header && is_required(field)) request.headers.add(std::string(field.name), sample_text(field));
  }
  request.target += query;
  if (const FieldInfo* whole = api::whole_body_of(type)) {
    JsonWriter json(request.body);
    write_value(json, *whole, whole->type());
  } else if (takes_object(entry) && api::has_body_fields(type)) {
    JsonWriter json(request.body);
    write_object(json, type);
  }
  return request;
}

}  // namespace svc::contract
