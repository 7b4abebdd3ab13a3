// Which operations this venue answers: one function per area, named like the areas of api/ops.
// An operation that no area binds answers 501.
#pragma once

#include "sim/gateway/handlers/venue_access.h"
#include "sim/gateway/network_instance.h"
#include "sim/gateway/version_gate.h"

namespace svc::sim {

void bind_auth(NetworkInstance& network);
void bind_orders(NetworkInstance& network, const VenueAccess& venue);
void bind_positions(NetworkInstance& network, const VenueAccess& venue);
void bind_account(NetworkInstance& network, const VenueAccess& venue);
void bind_margin(NetworkInstance& network, const VenueAccess& venue);
void bind_funds(NetworkInstance& network, const VenueAccess& venue);
void bind_markets(NetworkInstance& network, const VenueAccess& venue);
void bind_venue(NetworkInstance& network, const VenueAccess& venue, const VersionTerms& versions);
void bind_admin(NetworkInstance& network);

}  // namespace svc::sim
