#include "api/network.h"

#include <utility>

#include "api/operation_list.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "signing/domain.h"

namespace svc::api {
namespace {

constexpr NetworkFacts network_facts[] = {
    {NetworkId::testnet, "Testnet", FundsClass::play, true, versioned_prefix,
     "Play funds: synthetic USDX without real-world value"},
    {NetworkId::mainnet, "Mainnet", FundsClass::real, false, versioned_prefix,
     "Real funds: USDX bridged from Ethereum Mainnet"},
    {NetworkId::local, "Local", FundsClass::play, false, "", "A sandbox on this machine"},
};

}  // namespace

const NetworkFacts& facts_of(NetworkId id) {
  const NetworkFacts& entry = network_facts[static_cast<std::size_t>(id)];
  SVC_ASSERT(entry.id == id);
  return entry;
}

SigningDomainInfo registration_domain_info(NetworkId id, std::string domain_name,
                                           std::optional<std::uint64_t> chain_id) {
  return {.name = std::move(domain_name),
          .version = "1",
          .chain_id = chain_id,
          .salt = to_hex_0x(signing::network_salt(to_string(id)))};
}

NetworkTarget target_of(NetworkId id, const std::string& authority, bool faucet, SigningDomainInfo domain) {
  SVC_ASSERT(!(faucet && id == NetworkId::mainnet));  // mainnet never has one
  const NetworkFacts& known = facts_of(id);
  const std::string ws = "ws://" + authority + std::string(stream_prefix);
  return {.network = std::string(to_string(id)),
          .label = std::string(known.label),
          .funds = known.funds,
          .faucet = faucet,
          .host = authority,
          .rest_base = "http://" + authority + std::string(known.base_prefix),
          .ws_url = ws,
          .ws_market_data_url = ws + "/stream",
          .ws_authenticated_url = ws + "/ws",
          .signing_domain = std::move(domain),
          .description = std::string(known.description)};
}

}  // namespace svc::api
