#include "api/network.h"

#include <utility>

#include "api/operation_list.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "signing/domain.h"

namespace svc::api {
namespace {

struct NetworkFacts {
  NetworkId id{};
  std::string_view label;
  FundsClass funds{};
  std::string_view base_prefix;  // between the host and an unversioned path: "/v1", or nothing
  std::string_view description;
};

constexpr NetworkFacts network_facts[] = {
    {NetworkId::testnet, "Testnet", FundsClass::play, versioned_prefix,
     "Play funds: synthetic USDX without real-world value"},
    {NetworkId::mainnet, "Mainnet", FundsClass::real, versioned_prefix,
     "Real funds: USDX bridged from Ethereum Mainnet"},
    {NetworkId::local, "Local", FundsClass::play, "", "A sandbox on this machine"},
};
static_assert(std::size(network_facts) == std::size(network_texts));

const NetworkFacts& facts_of(NetworkId id) {
  const NetworkFacts& entry = network_facts[static_cast<std::size_t>(id)];
  SVC_ASSERT(entry.id == id);
  return entry;
}

}  // namespace

std::string_view label_of(NetworkId id) {
  return facts_of(id).label;
}

NetworkTarget target_of(NetworkId id, const std::string& authority, bool faucet, std::string domain_name,
                        std::optional<std::uint64_t> chain_id) {
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
          .signing_domain = {.name = std::move(domain_name),
                             .version = "1",
                             .chain_id = chain_id,
                             .salt = to_hex_0x(signing::network_salt(to_string(id)))},
          .description = std::string(known.description)};
}

}  // namespace svc::api
