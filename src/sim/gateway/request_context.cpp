#include "sim/gateway/request_context.h"

#include <algorithm>
#include <utility>

#include "api/form_encoding.h"
#include "api/operation_list.h"
#include "api/type_info.h"
#include "base/assert.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {
namespace {

// A parameter's name as people choose one. Anything else may be a value, a secret even, and is not repeated.
bool is_plain_name(std::string_view text) {
  constexpr std::size_t chars_max = 32;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= chars_max && std::ranges::all_of(text, is_plain);
}

constexpr std::size_t unknown_parameters_listed_max = 8;

}  // namespace

std::vector<std::string_view> query_parameters(const api::Operation& operation) {
  std::vector<std::string_view> names;
  const api::OperationEntry* entry = api::find_operation(operation.name);
  if (entry == nullptr) return names;  // a document
  for (const api::FieldInfo& field : entry->request().fields)
    if (field.in == api::In::query) names.push_back(field.name);
  return names;
}

api::RequestParts RequestContext::parts() const {
  return {
      .path_parameters = path_parameters, .query = request.query(), .headers = &request.headers, .body = request.body};
}

void RequestContext::note_query() {
  std::string_view rest = request.query();
  if (rest.empty()) return;
  const std::vector<std::string_view> known = query_parameters(*operation);
  std::vector<std::string> seen;
  std::size_t listed = 0;
  while (!rest.empty()) {
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), parameter.size() + 1));
    if (parameter.empty()) continue;
    const std::string_view encoded = parameter.substr(0, parameter.find('='));
    const auto name = api::percent_decode(encoded, api::Plus::is_blank);
    const bool is_known = name && std::ranges::find(known, *name) != known.end();
    const bool is_repeated = is_known && std::ranges::find(seen, *name) != seen.end();
    if (is_known && !is_repeated) {
      seen.push_back(*name);
      continue;
    }
    if (!unknown_parameters.empty()) unknown_parameters += ", ";
    if (listed++ == unknown_parameters_listed_max) {
      unknown_parameters += "...";
      return;
    }
    unknown_parameters.append(is_plain_name(encoded) ? encoded : "?").append(is_repeated ? " (again)" : "");
  }
}

Result<void, api::ApiError> RequestContext::keep() {
  RecordBatch changes = std::exchange(records, {});
  const bool kept = !refuse_write && (network->keeper == nullptr || network->keeper->keep(std::move(changes)));
  if (!kept) return unexpected(api::ApiError(api::ErrorCode::service_unavailable));
  return {};
}

const Caller& RequestContext::caller() const {
  SVC_ASSERT(authentication.caller);
  return *authentication.caller;
}

const Address& RequestContext::account() const {
  return authentication.action ? authentication.action->account : caller().account;
}

api::ApiError RequestContext::refuse_credential(AuthFault fault, std::string note) {
  log.rule = to_string(fault);
  log.note = std::move(note);
  return api::ErrorCode::unauthorized;
}

api::ApiError RequestContext::refuse_shared_name() {
  const NetworkSettings& settings = network->settings;
  SVC_ASSERT(settings.domain_name_owner);
  return refuse_credential(AuthFault::other_networks_name,
                           "the name \"" + settings.domain_name + "\" is that of " +
                               std::string(api::to_string(*settings.domain_name_owner)));
}

void RequestContext::prove_signer(const Address& signer) {
  authentication.caller = Caller{.account = signer, .key = {}, .agent = {}};
}

}  // namespace svc::sim
