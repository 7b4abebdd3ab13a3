// The state of the venue's parts.
#pragma once

#include "api/contract/venue.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {

struct VenueParts {
  api::ServiceState engine = api::ServiceState::ok;   // degraded while a market is halted
  api::ServiceState indexer = api::ServiceState::ok;  // down if the views miss something that the engine did
  api::ServiceState oracle = api::ServiceState::ok;   // starting, or as stale as its prices

  [[nodiscard]] api::ServiceState worst() const;
};

[[nodiscard]] VenueParts parts_of(const VenueAccess& venue);

}  // namespace svc::sim
