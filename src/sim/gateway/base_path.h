// Base paths: which prefix of a received path belongs to the transport, and which rest is signed and routed (API:
// Base paths and the signed path).
//
//   received               local            testnet          mainnet
//   /x                     /x               -                -          (edge documents: /x everywhere)
//   /v1/x                  /x               /x               /x
//   /api/v1/x              /api/v1/x        /api/v1/x        /api/v1/x
//   /v1/api/v1/x           /api/v1/x        /api/v1/x        -
//   /indexer/x             -                /x               -
//
// Nothing is decoded, collapsed or resolved: the logical path is a suffix of the received bytes, so it is what the
// client signed. (D-221)
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/contract/venue.h"
#include "api/http/http_message.h"
#include "api/network.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {

struct BaseRules {
  bool bare_root;     // /x
  bool doubled_base;  // /v1/api/v1/x
  bool indexer;       // /indexer/x
};

inline constexpr BaseRules local_bases{.bare_root = true, .doubled_base = true, .indexer = false};
inline constexpr BaseRules testnet_bases{.bare_root = false, .doubled_base = true, .indexer = true};
inline constexpr BaseRules mainnet_bases{.bare_root = false, .doubled_base = false, .indexer = false};

[[nodiscard]] constexpr const BaseRules& bases_of(api::NetworkId network) {
  switch (network) {
    case api::NetworkId::local: return local_bases;
    case api::NetworkId::testnet: return testnet_bases;
    case api::NetworkId::mainnet: break;
  }
  return mainnet_bases;
}

// The signed logical path; nullopt if nothing is served under that base. Borrows from `path`.
[[nodiscard]] std::optional<std::string_view> logical_path(std::string_view path, const BaseRules& rules);

// True if `path` lies below `folder`: "/v1" contains "/v1/orders" but neither "/v1" nor "/v10/orders".
[[nodiscard]] bool lies_under(std::string_view path, std::string_view folder);

// /metadata, /openapi.json, /asyncapi.json, /llms.txt and everything under /.well-known/: served at the host root
// of every network, never blocked by the version check.
[[nodiscard]] bool is_discovery(std::string_view logical_path);

// The network map that a server publishes: in GET /metadata and as `x-svc-networks` of the interface description.
// Names that nobody configured are not invented. (API: What the service does, rules 2 and 7)

// `serving` is listed under the host by which the request reached it, the others under their own host names and the
// same port. Local is always in the map: where it is not served, at its default address and with an unknown chain
// id, so that nobody signs for it by this map. (D-145)
[[nodiscard]] api::NetworkMap published_networks(const NetworkSettings& serving,
                                                 const std::vector<const NetworkSettings*>& served,
                                                 const api::Headers& headers);

}  // namespace svc::sim
