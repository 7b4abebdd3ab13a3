// GET /asyncapi.json: what the streams say, for programs. Served like the interface description.
#pragma once

#include "api/version.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {

void serve_stream_description(NetworkInstance& network, const api::ApiVersion& version);

}  // namespace svc::sim
