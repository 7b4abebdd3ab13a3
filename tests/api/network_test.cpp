#include "api/network.h"

#include <gtest/gtest.h>

#include "api/codec.h"
#include "base/encoding.h"
#include "signing/hash.h"

namespace svc::api {
namespace SVC_FILE {

TEST(Network, HasNoDefaultAndNoOtherNames) {
  EXPECT_EQ(parse<NetworkId>("testnet"), NetworkId::testnet);
  EXPECT_EQ(parse<NetworkId>("mainnet"), NetworkId::mainnet);
  EXPECT_EQ(parse<NetworkId>("local"), NetworkId::local);
  for (const char* text : {"", "Testnet", "main", "prod", "localhost", "testnet "})
    EXPECT_FALSE(parse<NetworkId>(text)) << text;
}

TEST(Network, TargetsFollowFromTheHostAlone) {
  const NetworkTarget testnet = target_of(NetworkId::testnet, "t.example", true, "N", 20056);
  EXPECT_EQ(testnet.rest_base, "http://t.example/v1");
  EXPECT_EQ(testnet.ws_url, "ws://t.example/v1");
  EXPECT_EQ(testnet.ws_market_data_url, "ws://t.example/v1/stream");
  EXPECT_EQ(testnet.ws_authenticated_url, "ws://t.example/v1/ws");
  EXPECT_EQ(testnet.funds, FundsClass::play);

  const NetworkTarget mainnet = target_of(NetworkId::mainnet, "bare.example", false, "N", 20056);
  EXPECT_EQ(mainnet.host, "bare.example") << "the network's name is no part of the host";
  EXPECT_EQ(mainnet.rest_base, "http://bare.example/v1");
  EXPECT_EQ(mainnet.funds, FundsClass::real);
  EXPECT_FALSE(mainnet.faucet);

  const NetworkTarget local = target_of(NetworkId::local, std::string(local_authority), false, "N", 20056);
  EXPECT_EQ(local.rest_base, "http://localhost:9090") << "local has no /v1";
  EXPECT_EQ(local.ws_market_data_url, "ws://localhost:9090/v1/stream");
  EXPECT_EQ(local.ws_authenticated_url, "ws://localhost:9090/v1/ws");
}

TEST(Network, RegistrationDomainIsSaltedByTheNetworksName) {
  const SigningDomainInfo domain = target_of(NetworkId::mainnet, "h", false, "N", std::nullopt).signing_domain;
  EXPECT_EQ(domain.salt, to_hex_0x(signing::keccak256("mainnet")));
  EXPECT_EQ(to_json(domain), R"({"name":"N","version":"1","chain_id":null,"salt":")" + *domain.salt + "\"}")
      << "an unknown chain id is null: refuse to sign";
}

TEST(NetworkMap, HasTheKeysOfTheInterfaceDescription) {
  NetworkMap map{.description = "d", .networks = {}, .signing_domain_note = "n"};
  map.networks.emplace("local", target_of(NetworkId::local, "h", true, "N", 20056));
  EXPECT_EQ(
      to_json(map),
      R"({"description":"d","networks":{"local":{"network":"local","label":"Local","funds":"play","faucet":true,"host":"h",)"
      R"("rest_base":"http://h","ws_url":"ws://h/v1","ws_market_data_url":"ws://h/v1/stream","ws_authenticated_url":"ws://h/v1/ws",)"
      R"("signing_domain":{"name":"N","version":"1","chain_id":20056,"salt":")" +
          to_hex_0x(signing::keccak256("local")) +
          R"("},"description":"A sandbox on this machine"}},)"
          R"("signing_domain_note":"n"})");
}

TEST(Metadata, OnlyTheTwoVersionsAreNeeded) {
  const auto old = decode_json<Metadata>(R"({"current_api_version":"v0.9.0","min_api_version":"v0.8.0"})");
  ASSERT_TRUE(old) << to_string(old.error());
  EXPECT_FALSE(old->signing_domain || old->networks || old->network || old->api_version);
  EXPECT_FALSE(decode_json<Metadata>(R"({"current_api_version":"v0.9.0"})"));
}

}  // namespace SVC_FILE
}  // namespace svc::api
