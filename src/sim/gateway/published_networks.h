// The network map as a server publishes it: in GET /metadata and as `x-svc-networks` of the interface
// description. A name that nobody configured is not made up. (API: What the service does, rules 2 and 7)
#pragma once

#include <vector>

#include "api/http_message.h"
#include "api/records/metadata.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {

// `serving` is told under the name by which the request reached it, the others under their own host names
// and the same port. Local is always in the map: where it is not served, at its usual place and with an
// unknown chain id, so that nobody signs for it by this map. (D-145)
[[nodiscard]] api::NetworkMap published_networks(const NetworkSettings& serving,
                                                 const std::vector<const NetworkSettings*>& served,
                                                 const api::Headers& headers);

}  // namespace svc::sim
