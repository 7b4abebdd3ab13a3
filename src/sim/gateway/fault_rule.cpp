#include "sim/gateway/fault_rule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "api/form_encoding.h"
#include "api/operation_list.h"

namespace svc::sim {
namespace {

using api::ErrorCode;

constexpr std::array<std::string_view, 4> stream_fault_texts{"gap", "drop", "dup", "reorder"};
constexpr std::string_view in_query = "query.";
constexpr std::string_view in_body = "body.";

std::optional<std::string> in_document(std::string_view body, std::string_view path) {
  const auto document = nlohmann::json::parse(body, nullptr, false);
  const nlohmann::json* at = &document;
  while (!path.empty()) {
    const std::string name(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    if (at->is_array()) {
      std::size_t place = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
      if (error != std::errc{} || end != name.data() + name.size() || place >= at->size()) return std::nullopt;
      at = &(*at)[place];
    } else if (at->is_object() && at->contains(name)) {
      at = &(*at)[name];
    } else {
      return std::nullopt;
    }
  }
  return at->is_string() ? at->get<std::string>() : at->dump();
}

std::optional<std::string> member_of(const FaultSubject& subject, std::string_view path) {
  if (path == "method") return std::string(api::to_string(subject.operation.method));
  if (path == "path") return std::string(subject.path);
  if (path == "operation") return std::string(subject.operation.name);
  if (path == "account") return subject.account ? std::optional(to_string(*subject.account)) : std::nullopt;
  if (path.starts_with(in_query)) {
    const auto value = api::find_parameter(subject.query, path.substr(in_query.size()));
    return value ? api::percent_decode(*value, api::Plus::is_blank) : std::nullopt;
  }
  return in_document(subject.body, path.substr(in_body.size()));
}

bool route_fits(const FaultRule& rule, const FaultSubject& subject) {
  if (rule.route.empty() || glob_fits(rule.route, subject.path)) return true;
  const bool twin = subject.operation.twin && subject.path.starts_with(api::twin_prefix);
  return twin && glob_fits(rule.route, subject.path.substr(api::twin_prefix.size()));
}

}  // namespace

bool declares(const api::Operation& operation, ErrorCode code) {
  return std::ranges::any_of(operation.errors, [&](const api::OperationError& error) { return error.code == code; });
}

std::string_view to_string(StreamFault fault) {
  return stream_fault_texts[static_cast<std::size_t>(fault)];
}

std::optional<StreamFault> parse_stream_fault(std::string_view text) {
  const auto found = std::ranges::find(stream_fault_texts, text);
  if (found == stream_fault_texts.end()) return std::nullopt;
  return static_cast<StreamFault>(found - stream_fault_texts.begin());
}

// Two pointers and the last star: linear in practice, and no recursion for a hostile pattern.
bool glob_fits(std::string_view glob, std::string_view text) {
  std::size_t at = 0;
  std::size_t seen = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (seen < text.size()) {
    if (at < glob.size() && glob[at] == '*') {
      star = at++;
      resume = seen;
    } else if (at < glob.size() && glob[at] == text[seen]) {
      ++at;
      ++seen;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      seen = ++resume;
    } else {
      return false;
    }
  }
  return glob.substr(at).find_first_not_of('*') == std::string_view::npos;
}

bool fits(const FaultRule& rule, const FaultSubject& subject) {
  if (!rule.operation.empty() && rule.operation != subject.operation.name) return false;
  if (rule.method && *rule.method != subject.operation.method) return false;
  if (rule.account && rule.account != subject.account) return false;
  if (!route_fits(rule, subject)) return false;
  return !rule.when || rule.when->hold([&](std::string_view path) { return member_of(subject, path); });
}

bool is_request_member(std::string_view path) {
  constexpr std::array<std::string_view, 4> names{"method", "path", "operation", "account"};
  const bool named = std::ranges::find(names, path) != names.end();
  return named || (path.starts_with(in_query) && path.size() > in_query.size()) ||
         (path.starts_with(in_body) && path.size() > in_body.size());
}

std::optional<ErrorCode> usual_code(int status) {
  switch (status) {
    case 401: return ErrorCode::unauthorized;
    case 403: return ErrorCode::restricted_jurisdiction;
    case 404: return ErrorCode::not_found;
    case 410: return ErrorCode::gone;
    case 422: return ErrorCode::unprocessable;
    case 426: return ErrorCode::api_version_unsupported;
    case 429: return ErrorCode::rate_limit_exceeded;
    case 500: return ErrorCode::internal_error;
    case 502: return ErrorCode::bad_gateway;
    case 503: return ErrorCode::service_unavailable;
    default: return std::nullopt;
  }
}

bool refuses_write(ErrorCode code) {
  return code == ErrorCode::isolated_margin_not_recorded || code == ErrorCode::transfer_engine_unavailable;
}

bool happens_first(ErrorCode code) {
  return api::info(code).category == api::Category::ambiguous;
}

bool can_answer(const api::Operation& operation, ErrorCode code) {
  const bool writes_only = code == ErrorCode::us_restricted || code == ErrorCode::geo_unresolved;
  return !writes_only || declares(operation, code);
}

}  // namespace svc::sim
