#include "sim/gateway/base_path.h"

#include <string>
#include <string_view>

#include "api/network.h"
#include "signing/domain.h"
#include "sim/gateway/request_context.h"

namespace svc::sim {
namespace {

constexpr std::string_view versioned_base = "/v1";
constexpr std::string_view twin_base = "/api/v1";
constexpr std::string_view indexer_base = "/indexer";

}  // namespace

bool lies_under(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

bool is_discovery(std::string_view path) {
  return path == "/metadata" || path == "/openapi.json" || path == "/asyncapi.json" || path == "/llms.txt" ||
         lies_under(path, "/.well-known");
}

std::optional<std::string_view> logical_path(std::string_view path, const BaseRules& rules) {
  if (lies_under(path, versioned_base)) {
    const std::string_view rest = path.substr(versioned_base.size());
    if (lies_under(rest, twin_base) && !rules.doubled_base) return std::nullopt;
    return rest;
  }
  if (lies_under(path, twin_base)) return path;
  if (lies_under(path, indexer_base)) {
    if (!rules.indexer) return std::nullopt;
    return path.substr(indexer_base.size());
  }
  if (rules.bare_root || is_discovery(path)) return path;
  return std::nullopt;
}

namespace {

// ":9090"; empty if the authority has none.
std::string_view port_of(std::string_view authority) {
  const auto colon = authority.rfind(':');
  const auto bracket = authority.rfind(']');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) return {};
  return authority.substr(colon);
}

std::string authority_of(const NetworkSettings& network, const NetworkSettings& serving, const std::string& reached) {
  if (&network == &serving || network.hosts.empty()) return reached;
  return network.hosts.front() + std::string(port_of(reached));
}

}  // namespace

api::NetworkMap published_networks(const NetworkSettings& serving, const std::vector<const NetworkSettings*>& served,
                                   const api::Headers& headers) {
  const std::string reached = request_authority(headers);
  api::NetworkMap map;
  map.description = "Networks by name: the host selects the network, and nothing is shared between two of them.";
  map.signing_domain_note =
      "signing_domain is the domain of POST /agents/register. Actions, withdrawals and transfers are signed under the "
      "domain with chain id 20056 and without salt. Where chain_id is null, sign nothing.";
  if (serving.domain_name_owner)
    map.signing_domain_note += " The networks here share one domain name: it is that of " +
                               std::string(api::to_string(*serving.domain_name_owner)) +
                               ", and the others take no login, withdrawal or unsalted registration.";
  const auto add = [&map](api::NetworkTarget target) { map.networks.emplace(target.network, std::move(target)); };
  for (const NetworkSettings* network : served) {
    add(target_of(network->id, {.tls = false, .authority = authority_of(*network, serving, reached)}, network->faucet,
                  api::registration_domain_info(network->id, network->domain_name, signing::action_chain_id)));
  }
  add(target_of(api::NetworkId::local, {.tls = false, .authority = std::string(api::local_authority)}, false,
                api::registration_domain_info(api::NetworkId::local, NetworkSettings{}.domain_name, std::nullopt)));
  return map;
}

}  // namespace svc::sim
