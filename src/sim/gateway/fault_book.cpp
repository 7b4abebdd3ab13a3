#include "sim/gateway/fault_book.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "api/http/http_message.h"
#include "api/operation_list.h"
#include "base/assert.h"
#include "base/limits.h"
#include "base/text.h"
#include "signing/json_document.h"
#include "sim/gateway/request_context.h"

namespace svc::sim {

using api::ErrorCode;
using namespace std::string_view_literals;

bool declares(const api::Operation& operation, ErrorCode code) {
  return std::ranges::any_of(operation.errors, [&](const api::OperationError& error) { return error.code == code; });
}

namespace {

// Some refusals do not apply to some requests: a taken client id refuses no read, jurisdictions closed to writes refuse
// no cancel, and discovery is never blocked by its version. A rule that names a route or an operation may say
// otherwise. (D-247)
bool can_answer(const FaultRule& rule, const FaultSubject& subject) {
  if (rule.code == ErrorCode::api_version_unsupported) return !subject.version_exempt;
  if (rule.code == ErrorCode::us_restricted || rule.code == ErrorCode::geo_unresolved)
    return declares(subject.operation, rule.code);
  const bool may_be_of_a_proxy = api::info(rule.code).status >= 500;
  if (!rule.operation.empty() || !rule.route.empty() || may_be_of_a_proxy) return true;
  const api::OperationEntry* entry = api::find_operation(subject.operation.name);
  return entry == nullptr || std::ranges::any_of(api::declared_errors(*entry), [&](const api::OperationError& error) {
           return error.code == rule.code;
         });
}

// The body comes from anybody: it is read before its depth is checked for the operation.
std::optional<std::string> in_document(std::string_view body, std::string_view path) {
  const auto document = signing::parse_json_document(body);
  if (!document) return std::nullopt;
  const nlohmann::json* at = &*document;
  while (!path.empty()) {
    const std::string name(take_line(path, '.'));
    if (at->is_array()) {
      const auto place = parse_integer<std::uint64_t>(name);
      if (!place || *place >= at->size()) return std::nullopt;
      at = &(*at)[*place];
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
  const auto member = request_member(path);
  SVC_ASSERT(member);  // is_request_member()
  if (member->where == api::In::body) return in_document(subject.body, member->path);
  const auto value = api::find_parameter(subject.query, member->path);
  return value ? api::percent_decode(*value, api::Plus::is_blank) : std::nullopt;
}

bool route_fits(const FaultRule& rule, const FaultSubject& subject) {
  if (rule.route.empty() || glob_fits(rule.route, subject.path)) return true;
  const bool twin = subject.operation.twin && subject.path.starts_with(api::twin_prefix);
  return twin && glob_fits(rule.route, subject.path.substr(api::twin_prefix.size()));
}

}  // namespace

std::optional<SetFault> FaultBook::add(FaultRule rule) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= limits::fault_rules_max) return std::nullopt;
  const std::uint64_t id = ++last_id_;
  entries_.push_back(
      {.fault = {.id = id, .rule = std::move(rule)}, .chance = Prng(seed_, "fault/" + std::to_string(id))});
  count_.store(entries_.size(), std::memory_order_relaxed);
  return entries_.back().fault;
}

bool FaultBook::hits(Entry& entry, const FaultSubject& subject) {
  SetFault& fault = entry.fault;
  if (!fits(fault.rule, subject)) return false;
  if (fault.rule.count && fault.hits >= *fault.rule.count) return false;
  // A number is drawn for every matching request, so that the hits depend on the order of requests alone.
  if (entry.chance.below(fault_always_ppm) >= fault.rule.rate_ppm) return false;
  ++fault.hits;
  return true;
}

ArrivalFaults FaultBook::arriving(const FaultSubject& subject) {
  const std::lock_guard lock(mutex_);
  ArrivalFaults met;
  for (Entry& entry : entries_) {
    const SetFault& fault = entry.fault;
    if (fault.rule.effect == FaultEffect::skew && subject.bears_credential && hits(entry, subject)) {
      met.skew_ms += fault.rule.skew_ms;
      met.skewed_by = fault.id;
    }
    if (fault.rule.effect == FaultEffect::lost && met.lost_by == 0 && hits(entry, subject)) {
      met.lost_by = fault.id;
      met.latency_ms = fault.rule.latency_ms;
    }
  }
  return met;
}

std::optional<SetFault> FaultBook::erring(const FaultSubject& subject) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    const FaultRule& rule = entry.fault.rule;
    if (rule.effect == FaultEffect::error && can_answer(rule, subject) && hits(entry, subject)) return entry.fault;
  }
  return std::nullopt;
}

DepartureFaults FaultBook::leaving(const FaultSubject& subject) {
  const std::lock_guard lock(mutex_);
  DepartureFaults met;
  for (Entry& entry : entries_) {
    const SetFault& fault = entry.fault;
    const bool drops = fault.rule.effect == FaultEffect::unanswered && met.unanswered_by == 0;
    const bool delays = fault.rule.effect == FaultEffect::latency;
    if ((!drops && !delays) || !hits(entry, subject)) continue;
    if (drops) met.unanswered_by = fault.id;
    if (fault.rule.latency_ms > 0) met.delayed_by = fault.id;
    met.latency_ms += fault.rule.latency_ms;
  }
  return met;
}

bool fits(const FaultRule& rule, const FaultSubject& subject) {
  if (!rule.operation.empty() && rule.operation != subject.operation.name) return false;
  if (rule.method && *rule.method != subject.operation.method) return false;
  if (rule.account && rule.account != subject.account) return false;
  if (!route_fits(rule, subject)) return false;
  return !rule.when || rule.when->hold([&](std::string_view path) { return member_of(subject, path); });
}

std::optional<RequestMember> request_member(std::string_view path) {
  for (const auto& [where, prefix] : {std::pair(api::In::query, "query."sv), std::pair(api::In::body, "body."sv)})
    if (path.starts_with(prefix)) return RequestMember{where, path.substr(prefix.size())};
  return std::nullopt;
}

bool is_request_member(std::string_view path) {
  if (const auto member = request_member(path)) return !member->path.empty();
  return path == "method" || path == "path" || path == "operation" || path == "account";
}

std::optional<ErrorCode> usual_code(int status) {
  using enum ErrorCode;
  for (const ErrorCode code :
       {unauthorized, restricted_jurisdiction, not_found, gone, unprocessable, api_version_unsupported,
        rate_limit_exceeded, internal_error, bad_gateway, service_unavailable})
    if (api::info(code).status == status) return code;
  return std::nullopt;
}

bool refuses_write(ErrorCode code) {
  return code == ErrorCode::isolated_margin_not_recorded || code == ErrorCode::transfer_engine_unavailable;
}

bool happens_first(ErrorCode code, const api::Operation& operation) {
  const bool spends_token = code == ErrorCode::ws_conn_limit_exceeded && operation.opens_stream();
  return spends_token || api::info(code).category == api::Category::ambiguous;
}

}  // namespace svc::sim
