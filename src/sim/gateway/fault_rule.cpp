#include "sim/gateway/fault_rule.h"

#include <algorithm>
#include <array>

#include "api/operation_list.h"

namespace svc::sim {
namespace {

using api::ErrorCode;

constexpr std::array<std::string_view, 4> stream_fault_texts{"gap", "drop", "dup", "reorder"};

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
  if (rule.route.empty() || glob_fits(rule.route, subject.path)) return true;
  const bool twin = subject.operation.twin && subject.path.starts_with(api::twin_prefix);
  return twin && glob_fits(rule.route, subject.path.substr(api::twin_prefix.size()));
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
