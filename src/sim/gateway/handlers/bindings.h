// Which operations this venue answers: one function per area, named like the areas of api/ops.
// An operation that no area binds answers 501.
#pragma once

#include <vector>

#include "sim/gateway/handlers/venue_access.h"
#include "sim/gateway/network_instance.h"
#include "sim/gateway/version_gate.h"

namespace svc::sim {

void bind_auth(NetworkInstance& network);
void bind_orders(NetworkInstance& network, const VenueAccess& venue);
void bind_positions(NetworkInstance& network, const VenueAccess& venue);
void bind_account(NetworkInstance& network, const VenueAccess& venue);
void bind_account_history(NetworkInstance& network, const VenueAccess& venue);
void bind_account_settings(NetworkInstance& network, const VenueAccess& venue);
void bind_funding(NetworkInstance& network, const VenueAccess& venue);
void bind_margin(NetworkInstance& network, const VenueAccess& venue);
void bind_funds(NetworkInstance& network, const VenueAccess& venue);
void bind_withdrawals(NetworkInstance& network, const VenueAccess& venue);
void bind_transfers(NetworkInstance& network, const VenueAccess& venue);
void bind_bridge(NetworkInstance& network, const VenueAccess& venue);
void bind_bridge_legacy(NetworkInstance& network);  // called by bind_bridge
void bind_markets(NetworkInstance& network, const VenueAccess& venue);
void bind_venue(NetworkInstance& network, const VenueAccess& venue);
void bind_admin(NetworkInstance& network, const VenueAccess& venue);
void bind_agents(NetworkInstance& network);
void bind_stream_tokens(NetworkInstance& network);

// Metadata and the documents. `served` are all networks of this server, this one included; they outlive it.
void bind_discovery(NetworkInstance& network, const VersionTerms& versions,
                    const std::vector<const NetworkSettings*>& served);

}  // namespace svc::sim
