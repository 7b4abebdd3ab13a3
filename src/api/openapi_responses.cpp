// Responses: the record of the success, and the refusals with their codes in the body of their envelope.
#include <map>
#include <set>
#include <vector>

#include "api/declared_errors.h"
#include "api/json_schema.h"
#include "api/openapi_parts.h"
#include "api/operation_examples.h"

namespace svc::api::openapi {
namespace {

// The body a code travels in, by the name of its schema; codes of one body share a list of codes.
std::string_view body_schema(ErrorCode code, Envelope envelope) {
  switch (code) {
    case ErrorCode::unauthorized: return "Unauthorized";
    case ErrorCode::authoritative_margin_unavailable: return "FailClosed";
    case ErrorCode::rate_limit_exceeded: return "RateLimited";
    case ErrorCode::api_version_unsupported: return "VersionRefused";
    default: break;
  }
  switch (envelope) {
    case Envelope::flat: return "Error";
    case Envelope::trading: return "TradingError";
    case Envelope::bridge: return "BridgeError";
  }
  return {};
}

// Of one code only.
bool is_fixed(std::string_view body) {
  return !body.ends_with("Error");
}

std::vector<ErrorCode> codes_at(const OperationEntry& entry, std::uint16_t status) {
  std::vector<ErrorCode> codes;
  for (const DeclaredError& error : declared_errors(entry)) {
    if (error.status == status) codes.push_back(error.code);
  }
  return codes;
}

// "Not enough free margin. Retry: never."
std::string explain(ErrorCode code) {
  const ErrorInfo& known = info(code);
  return std::string(known.meaning) + ". Retry: " + std::string(to_string(known.retry)) + '.';
}

std::string description_of(const std::vector<ErrorCode>& codes) {
  if (codes.size() == 1) return '`' + std::string(spelling(codes.front())) + "`: " + explain(codes.front());
  std::string text = "One of these codes:\n";
  for (const ErrorCode code : codes) text += "\n- `" + std::string(spelling(code)) + "`: " + explain(code);
  return text;
}

// The body schema, narrowed to the codes.
void write_body(JsonWriter& json, std::string_view schema, const std::vector<ErrorCode>& codes) {
  const std::string reference = std::string(schema_prefix) + std::string(schema);
  if (is_fixed(schema)) {
    json.begin_object().key("$ref").text(reference).end_object();
    return;
  }
  json.begin_object().key("allOf").begin_array();
  json.begin_object().key("$ref").text(reference).end_object();
  json.begin_object().key("type").text("object").key("properties").begin_object();
  if (schema == "BridgeError")
    json.key("error").begin_object().key("type").text("object").key("properties").begin_object();
  json.key("code").begin_object().key("type").text("string").key("enum").begin_array();
  for (const ErrorCode code : codes) json.text(spelling(code));
  json.end_array().end_object().end_object();
  if (schema == "BridgeError") json.end_object().end_object();
  json.end_object().end_array().end_object();
}

void write_header_references(JsonWriter& json, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    json.key(name).begin_object().key("$ref").text("#/components/headers/" + std::string(name)).end_object();
}

void write_refusal(JsonWriter& json, const OperationEntry& entry, std::uint16_t status) {
  const std::vector<ErrorCode> codes = codes_at(entry, status);
  std::map<std::string_view, std::vector<ErrorCode>> bodies;
  std::set<ErrorCode> present(codes.begin(), codes.end());
  for (const ErrorCode code : codes) bodies[body_schema(code, entry.operation->envelope)].push_back(code);

  json.key(refusal_name(entry, status)).begin_object().key("description").text(description_of(codes));
  if (present.contains(ErrorCode::rate_limit_exceeded) || present.contains(ErrorCode::api_version_unsupported) ||
      present.contains(ErrorCode::restricted_jurisdiction)) {
    json.key("headers").begin_object();
    if (present.contains(ErrorCode::rate_limit_exceeded))
      write_header_references(json, {"Retry-After", "X-RateLimit-Bucket", "X-RateLimit-Limit", "X-RateLimit-Remaining",
                                     "X-RateLimit-Reset"});
    if (present.contains(ErrorCode::api_version_unsupported)) write_header_references(json, {"X-Svc-Api-Min-Version"});
    if (present.contains(ErrorCode::restricted_jurisdiction)) write_header_references(json, {"X-Svc-Block-Reason"});
    json.end_object();
  }
  json.key("content").begin_object().key("application/json").begin_object().key("schema");
  if (bodies.size() > 1) json.begin_object().key("anyOf").begin_array();
  for (const auto& [schema, of_body] : bodies) write_body(json, schema, of_body);
  if (bodies.size() > 1) json.end_array().end_object();
  json.end_object().end_object().end_object();
}

bool reports_budget(const Operation& operation) {
  using enum Auth;
  return operation.auth.has(hmac) || operation.auth.has(agent) || operation.auth.has(bearer) ||
         operation.auth.has(admin);
}

void write_success(JsonWriter& json, const OperationEntry& entry) {
  const Operation& operation = *entry.operation;
  const TypeInfo& response = entry.response();
  const bool upgrade = operation.success == 101;
  json.key(success_name(operation)).begin_object();
  json.key("description").text(upgrade ? "Switching protocols: the connection is a WebSocket from here on" : "Success");
  json.key("headers").begin_object();
  for (const FieldInfo& field : response.fields) {
    if (field.in != In::header) continue;
    json.key(field.name).begin_object().key("description").text(field.doc);
    json.key("schema").raw(schema_of(field, response, {.described = false})).end_object();
  }
  if (reports_budget(operation)) write_header_references(json, {"X-RateLimit-Limit", "X-RateLimit-Remaining"});
  if (operation.base != PathBase::edge) write_header_references(json, {"Deprecation", "Sunset", "Link"});
  write_header_references(json, {"X-Svc-Unknown-Query"});
  json.end_object();
  if (!upgrade) {
    json.key("content").begin_object().key("application/json").begin_object().key("schema");
    if (whole_body_of(response) != nullptr)
      json.raw(schema_of(response, {.reference_prefix = schema_prefix}));
    else
      json.begin_object().key("$ref").text(std::string(schema_prefix) + std::string(response.name)).end_object();
    if (const OperationExample* example = example_of(operation)) json.key("example").raw(example->answer);
    json.end_object().end_object();
  }
  json.end_object();
}

struct HeaderText {
  std::string_view name;
  std::string_view schema;
  std::string_view description;
};

constexpr std::string_view whole_number = R"({"type":"integer","minimum":0})";
constexpr std::string_view plain_text = R"({"type":"string"})";

constexpr HeaderText headers[] = {
    {"X-RateLimit-Limit", whole_number, "Tokens per second of the bucket that was charged, and its capacity"},
    {"X-RateLimit-Remaining", whole_number, "Whole tokens left in it; a request may cost several"},
    {"X-RateLimit-Reset", whole_number, "When it is full again, Unix seconds"},
    {"X-RateLimit-Bucket", R"({"type":"string","enum":["key","owner","order","cancel","ip","login"]})",
     "The bucket that refused"},
    {"Retry-After", R"({"type":"integer","minimum":1})", "Seconds until the same request can pass"},
    {"X-Svc-Api-Min-Version", plain_text, "The oldest version that is served"},
    {"X-Svc-Block-Reason", plain_text, "The code of a refusal for jurisdiction, equal to the body's"},
    {"Deprecation", plain_text, "Since when the version named by the request is deprecated (RFC 9745)"},
    {"Sunset", plain_text, "From when on it is refused with 426 (RFC 8594)"},
    {"Link", plain_text, "With rel=deprecation: where to read about it"},
    {"X-Svc-Unknown-Query", plain_text,
     "Names of query parameters that the operation does not take: they were ignored"},
};

}  // namespace

std::string success_name(const Operation& operation) {
  return std::string(operation.name) + '_' + std::to_string(operation.success);
}

std::string refusal_name(const OperationEntry& entry, std::uint16_t status) {
  const std::vector<ErrorCode> codes = codes_at(entry, status);
  if (codes.size() != 1) return std::string(entry.operation->name) + '_' + std::to_string(status);
  const std::string_view body = body_schema(codes.front(), entry.operation->envelope);
  if (is_fixed(body)) return std::string(body);
  const std::string_view envelope = body.substr(0, body.size() - std::string_view("Error").size());
  return std::string(spelling(codes.front())) + (envelope.empty() ? "" : '_' + std::string(envelope));
}

void write_responses(JsonWriter& json) {
  std::set<std::string> written;
  for_each_operation([&](const OperationEntry& entry) {
    write_success(json, entry);
    for (const DeclaredError& error : declared_errors(entry)) {
      if (written.insert(refusal_name(entry, error.status)).second) write_refusal(json, entry, error.status);
    }
  });
}

void write_headers(JsonWriter& json) {
  for (const HeaderText& header : headers) {
    json.key(header.name).begin_object().key("description").text(header.description);
    json.key("schema").raw(header.schema).end_object();
  }
}

}  // namespace svc::api::openapi
