#include "sim/gateway/request_context.h"

#include <utility>

#include "base/assert.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {

api::RequestParts RequestContext::parts() const {
  return {
      .path_parameters = path_parameters, .query = request.query(), .headers = &request.headers, .body = request.body};
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
