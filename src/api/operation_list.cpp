#include "api/operation_list.h"

#include <algorithm>
#include <tuple>

#include "api/message_codec.h"

namespace svc::api {
namespace {

// Plain text is never malformed.
bool can_be_malformed(const FieldInfo& field) {
  const TypeInfo& type = field.type();
  return (type.kind == Kind::optional ? type.element() : type).kind != Kind::text;
}

// The codes for malformed members, at any nesting.
void add_body_refusals(const TypeInfo& type, std::vector<ErrorCode>& codes) {
  if (type.kind == Kind::market_id) codes.push_back(ErrorCode::invalid_market_id);
  if (type.element != nullptr) add_body_refusals(type.element(), codes);
  for (const FieldInfo& field : type.fields) {
    if (field.in != In::body && field.in != In::whole_body) continue;
    if (field.refusal != ErrorCode::invalid_json) codes.push_back(field.refusal);
    add_body_refusals(field.type(), codes);
  }
}

std::vector<ErrorCode> codes_of_request(const Operation& operation, const TypeInfo& request) {
  std::vector<ErrorCode> codes;
  for (const FieldInfo& field : request.fields) {
    if (field.in == In::body || field.in == In::whole_body) continue;
    if (can_be_malformed(field)) codes.push_back(parameter_refusal(field));
    if (field.in != In::path && !is_optional(field)) codes.push_back(ErrorCode::invalid_parameter);
  }
  if (!operation.reads_body()) return codes;
  codes.push_back(ErrorCode::body_too_large);
  codes.push_back(operation.broken_body);
  codes.push_back(operation.refused_body);
  add_body_refusals(request, codes);
  return codes;
}

std::vector<ErrorCode> codes_of_call(const Operation& operation) {
  if (operation.base == PathBase::control)
    return {ErrorCode::internal_error, ErrorCode::service_unavailable, ErrorCode::forbidden};
  // invalid_parameter: an unknown query parameter, where the deployment refuses these.
  std::vector<ErrorCode> codes{ErrorCode::internal_error, ErrorCode::service_unavailable, ErrorCode::invalid_parameter};
  if (!operation.auth.is_public() && !operation.auth.has(Auth::admin)) codes.push_back(ErrorCode::unauthorized);
  if (operation.auth.has(Auth::admin)) codes.push_back(ErrorCode::forbidden);
  if (operation.is_versioned()) codes.push_back(ErrorCode::api_version_unsupported);
  for (const ErrorCode code :
       {ErrorCode::uri_too_long, ErrorCode::header_too_large, ErrorCode::restricted_jurisdiction})
    codes.push_back(code);
  // A refused credential costs its sender a token of every operation.
  if (operation.weight.base != 0 || !operation.auth.is_public()) codes.push_back(ErrorCode::rate_limit_exceeded);
  if (operation.opens_stream()) codes.push_back(ErrorCode::bad_request);
  if (operation.networks != NetworkSet::all) codes.push_back(ErrorCode::not_found);
  return codes;
}

}  // namespace

std::vector<DeclaredError> declared_errors(const OperationEntry& entry) {
  const Operation& operation = *entry.operation;
  std::vector<DeclaredError> errors;
  const auto add = [&](ErrorCode code) {
    errors.push_back({code, static_cast<std::uint16_t>(status_of(ApiError(code), operation))});
  };
  for (const OperationError& own : operation.errors) add(own.code);
  for (const ErrorCode code : codes_of_request(operation, entry.request())) add(code);
  for (const ErrorCode code : codes_of_call(operation)) add(code);
  const auto order = [](const DeclaredError& error) { return std::tuple(error.status, error.code); };
  std::ranges::sort(errors, {}, order);
  const auto repeated = std::ranges::unique(errors, {}, order);
  errors.erase(repeated.begin(), repeated.end());
  return errors;
}

}  // namespace svc::api
