#include "sim/streams/stream_description.h"

#include "api/async_api.h"
#include "sim/gateway/request_host.h"

namespace svc::sim {

void serve_stream_description(NetworkInstance& network, const api::ApiVersion& version) {
  const std::string title = network.settings.domain_name;
  network.serve_document("/asyncapi.json", [title, version](RequestContext& context) -> Result<void, api::ApiError> {
    context.response.body = api::async_api_document(
        {.title = title, .version = version, .host = request_authority(context.request.headers)});
    return {};
  });
}

}  // namespace svc::sim
