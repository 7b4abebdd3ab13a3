// The networks of the service and their published data: the content of `x-svc-networks` and of GET /metadata (API:
// What the service does).
//
// There is no default network, and no host is ever derived from a network's name: an origin is known or it is not.
// The mainnet host follows no pattern.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/contract/venue.h"
#include "api/record.h"

namespace svc::api {

enum class NetworkId : std::uint8_t { testnet, mainnet, local };
inline constexpr std::string_view network_texts[] = {"testnet", "mainnet", "local"};
SVC_WIRE_NAMES(NetworkId, network_texts);

[[nodiscard]] std::string_view label_of(NetworkId id);  // "Testnet"

// The default address of local.
inline constexpr std::string_view local_authority = "localhost:9090";

// One row of the map, for the host and port by which the caller serves or knows the network. Its domain is that for
// registering agents: the action domain, salted with the network's name. The chain id is null while it is unknown, and
// then nothing may be signed.
[[nodiscard]] NetworkTarget target_of(NetworkId id, const std::string& authority, bool faucet, std::string domain_name,
                                      std::optional<std::uint64_t> chain_id);

}  // namespace svc::api
