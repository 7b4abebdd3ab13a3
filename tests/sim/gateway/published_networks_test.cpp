#include <gtest/gtest.h>

#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace SVC_FILE {

TEST(PublishedNetworks, HaveTheirHostNamesAndThePortOfTheRequest) {
  NetworkSettings local;
  local.hosts = {"localhost", "127.0.0.1"};
  NetworkSettings testnet;
  testnet.id = api::NetworkId::testnet;
  testnet.hosts = {"testnet.localhost"};
  testnet.faucet = true;
  const auto at_local = published_networks(local, {&local, &testnet}, {{"Host", "127.0.0.1:4711"}});
  EXPECT_EQ(at_local.networks.at("local").host, "127.0.0.1:4711");
  EXPECT_EQ(at_local.networks.at("testnet").rest_base, "http://testnet.localhost:4711/v1");
  const auto at_testnet = published_networks(testnet, {&local, &testnet}, {{"Host", "testnet.localhost"}});
  EXPECT_EQ(at_testnet.networks.at("local").rest_base, "http://localhost");
  EXPECT_EQ(at_testnet.networks.at("local").signing_domain.chain_id, 20056u);
  EXPECT_NE(at_testnet.networks.at("local").signing_domain.salt, at_testnet.networks.at("testnet").signing_domain.salt);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
