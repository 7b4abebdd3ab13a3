#include "api/error_catalog.h"

#include "api/operation.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "base/find.h"
#include "base/json_text.h"

namespace svc::api {
namespace {

constexpr ErrorInfo catalog[] = {
#define ROW(is_of_frames, enumerator, spelling, status, category, retry, meaning) \
  {ErrorCode::enumerator, spelling, status, Category::category, Retry::retry, meaning, is_of_frames},
#define X(...) ROW(false, __VA_ARGS__)
#define F(...) ROW(true, __VA_ARGS__)
#include "api/error_codes.def"
#undef X
#undef ROW
};

// Equality without case and underscores.
bool same_code(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    while (i < a.size() && a[i] == '_') ++i;
    while (j < b.size() && b[j] == '_') ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (lower_letter(a[i++]) != lower_letter(b[j++])) return false;
  }
}

}  // namespace

const ErrorInfo& info(ErrorCode code) {
  const auto index = static_cast<std::size_t>(code);
  SVC_ASSERT(index < std::size(catalog) && catalog[index].code == code);
  return catalog[index];
}

std::span<const ErrorInfo> error_catalog() {
  return catalog;
}

std::optional<ErrorCode> find_error(std::string_view spelling) {
  const auto* entry = found_where(catalog, [&](const ErrorInfo& one) { return same_code(one.spelling, spelling); });
  return entry == nullptr ? std::nullopt : std::optional(entry->code);
}

Category category_of_status(int status) {
  using enum Category;
  using Known = std::pair<int, Category>;
  constexpr Known known[] = {{401, auth},        {403, forbidden},   {404, not_found},  {408, unavailable},
                             {409, conflict},    {410, version},     {426, version},    {429, rate_limited},
                             {502, unavailable}, {503, unavailable}, {504, unavailable}};
  if (const Known* one = found_in(known, status, &Known::first)) return one->second;
  return status < 400 ? unavailable : status < 500 ? invalid : internal;
}

std::string_view to_string(Retry retry) {
  static constexpr std::string_view texts[] = {"never", "after retry-after", "after a short pause",
                                               "when the state has changed"};
  static_assert(std::size(texts) == static_cast<std::size_t>(Retry::later) + 1);
  return texts[static_cast<std::size_t>(retry)];
}

ApiError& ApiError::with(std::string_view name, std::string_view text) {
  if (!members.empty()) members += ',';
  JsonWriter(members).key(name).text(text);
  return *this;
}

Envelope envelope_of(ErrorCode code, Envelope of_operation) {
  switch (code) {
    case ErrorCode::uri_too_long:
    case ErrorCode::header_too_large:
    case ErrorCode::body_too_large:
    case ErrorCode::api_version_unsupported:
    case ErrorCode::rate_limit_exceeded: return Envelope::flat;
    default: return of_operation;
  }
}

std::string render(const ApiError& error, Envelope of_operation) {
  if (error.code == ErrorCode::unauthorized) return R"({"code":"unauthorized"})";
  if (error.code == ErrorCode::authoritative_margin_unavailable)
    return R"({"code":"authoritative_margin_unavailable"})";
  const Envelope envelope = envelope_of(error.code, of_operation);
  const bool nested = envelope == Envelope::bridge;
  std::string body = nested ? "{\"error\":" : "";
  JsonWriter json(body);
  json.begin_object().key("code").text(spelling(error.code));
  if (envelope == Envelope::trading) json.key("error").text(spelling(error.code));
  json.key("message").text(error.message);
  if (!error.members.empty()) body += nested ? ",\"details\":{" + error.members + '}' : ',' + error.members;
  json.end_object();
  if (nested) body += '}';
  return body;
}

int status_of(const ApiError& error) {
  return error.status != 0 ? error.status : info(error.code).status;
}

int status_of(const ApiError& error, const Operation& operation) {
  if (error.status != 0) return error.status;
  for (const OperationError& declared : operation.errors) {
    if (declared.code == error.code && declared.status != 0) return declared.status;
  }
  return info(error.code).status;
}

}  // namespace svc::api
