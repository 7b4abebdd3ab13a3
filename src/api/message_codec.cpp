#include "api/message_codec.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"

namespace svc::api {
namespace {

Unexpected<ApiError> refused_parameter(ErrorCode code, const FieldInfo& field, const char* problem) {
  std::string message = field.in == In::header ? "header "
                        : field.in == In::path ? "path parameter "
                                               : "query parameter ";
  message += field.name;
  message += problem;
  message += expected_of(field.type(), field);
  return refused(code, std::move(message));
}

// The decoded text of a parameter, nullopt if it is absent; or what is wrong with it.
Result<std::optional<std::string>, const char*> find_parameter_of(const FieldInfo& field, const RequestParts& parts) {
  if (field.in == In::path) {
    for (const auto& [name, value] : parts.path_parameters)
      if (name == field.name) return std::optional(value);
  }
  if (field.in == In::query) {
    const auto encoded = find_parameter(parts.query, field.name);
    if (!encoded) return std::optional<std::string>();
    auto text = percent_decode(*encoded, Plus::is_blank);
    // A cursor that cannot be read stands for the first page, however it is broken.
    if (!text && field.name == "cursor") text = "";
    if (!text) return unexpected(" is not encoded properly: expected ");
    return text;
  }
  if (field.in == In::header && parts.headers != nullptr) {
    const auto count = std::ranges::count_if(
        *parts.headers, [&](const Header& header) { return same_header_name(header.name, field.name); });
    // Which of two values counts must not depend on the reader. (D-227)
    if (count > 1) return unexpected(" is given more than once: expected ");
    if (const auto value = parts.headers->find(field.name)) return std::optional<std::string>(*value);
  }
  return std::optional<std::string>();
}

Result<void, ApiError> decode_parameter(const FieldInfo& field, void* request, const RequestParts& parts) {
  const auto text = find_parameter_of(field, parts);
  if (!text) return refused_parameter(parameter_refusal(field), field, text.error());
  if (!*text && is_optional(field)) return {};
  if (!*text) return refused_parameter(ErrorCode::invalid_parameter, field, " is missing: expected ");
  if (!read_text(field.type(), field, **text, member_of(field, request)))
    return refused_parameter(parameter_refusal(field), field, ": expected ");
  return {};
}

ApiError refused_body(const Operation& operation, const DecodeError& error) {
  if (error.failure == DecodeFailure::not_json) return {operation.broken_body, to_string(error)};
  return {error.code == ErrorCode::invalid_json ? operation.refused_body : error.code, to_string(error)};
}

// A query parameter equal to its default is omitted.
bool is_default_parameter(const FieldInfo& field, const void* request, const TypeInfo& record) {
  const TypeInfo& type = field.type();
  if (type.kind == Kind::optional) return type.container->size(member_of(field, request)) == 0;
  if (!field.may_be_absent) return false;
  return default_text(field, record) == write_text(type, field, member_of(field, request));
}

std::string fill_path(const Operation& operation, const TypeInfo& type, const void* request) {
  std::string path(operation.path);
  for (const FieldInfo& field : type.fields) {
    if (field.in != In::path) continue;
    const std::string place = '{' + std::string(field.name) + '}';
    const std::string value = write_text(field.type(), field, member_of(field, request));
    const auto at = path.find(place);
    SVC_ASSERT(at != std::string::npos);
    path.replace(at, place.size(), percent_encode(value, Plus::is_itself));  // encoded, it has no braces
  }
  SVC_ASSERT(path.find('{') == std::string::npos);
  return path;
}

}  // namespace

bool has_request_body(const Operation& operation, const TypeInfo& request) {
  return operation.reads_body() && std::ranges::any_of(request.fields, &FieldInfo::is_of_body);
}

ErrorCode parameter_refusal(const FieldInfo& field) {
  if (field.refusal != ErrorCode::invalid_json) return field.refusal;
  const TypeInfo& type = field.type();
  const TypeInfo& inner = type.kind == Kind::optional ? type.element() : type;
  return inner.kind == Kind::market_id ? ErrorCode::invalid_market_id : ErrorCode::invalid_parameter;
}

Result<void, ApiError> decode_request(const Operation& operation, const TypeInfo& type, void* request,
                                      const RequestParts& parts, const DecodeOptions& options, DecodeReport* report) {
  for (const FieldInfo& field : type.fields) {
    if (field.is_of_body()) continue;
    if (auto done = decode_parameter(field, request, parts); !done) return done;
  }
  if (!operation.reads_body()) return {};
  // A missing body counts as an object without members, unless the body is an array.
  const bool absent = is_blank_text(parts.body) && whole_body_of(type) == nullptr;
  auto decoded = decode_json(type, request, absent ? std::string_view("{}") : parts.body, options, report);
  if (decoded) return {};
  if (absent) return refused(ErrorCode::invalid_json, "the body is empty: expected a JSON object");
  return unexpected(refused_body(operation, decoded.error()));
}

HttpRequest encode_request(const Operation& operation, const TypeInfo& type, const void* request) {
  HttpRequest message;
  message.method = to_string(operation.method);
  message.target = fill_path(operation, type, request);
  char separator = '?';
  for (const FieldInfo& field : type.fields) {
    if (field.in != In::query && field.in != In::header) continue;
    if (is_default_parameter(field, request, type)) continue;
    std::string text = write_text(field.type(), field, member_of(field, request));
    if (field.in == In::header) {
      message.headers.add(field.name, text);
      continue;
    }
    message.target += separator;
    message.target += percent_encode(field.name, Plus::is_blank) + '=' + percent_encode(text, Plus::is_blank);
    separator = '&';
  }
  if (has_request_body(operation, type)) {
    encode_json(message.body, type, request);
    message.headers.add("Content-Type", "application/json");
  }
  return message;
}

void encode_response(HttpResponse& response, const TypeInfo& type, const void* record) {
  response.body.clear();
  encode_json(response.body, type, record);
  for (const FieldInfo& field : type.fields) {
    if (field.in != In::header) continue;
    const void* const member = member_of(field, record);
    if (field.type().kind == Kind::optional && field.type().container->size(member) == 0) continue;
    response.headers.set(field.name, write_text(field.type(), field, member));
  }
}

}  // namespace svc::api
