#include "sim/sandbox_options.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "base/limits.h"
#include "signing/mnemonic.h"

namespace svc::sim {
namespace SVC_FILE {

TEST(SandboxOptions, TheDefaultsAreAccepted) {
  EXPECT_EQ(refusal(SandboxOptions{}), std::nullopt);
}

TEST(SandboxOptions, ATapeNeedsAFileAndARecordOneNetwork) {
  SandboxOptions tape;
  tape.flow = FlowKind::tape;
  EXPECT_EQ(refusal(tape), "--flow tape: needs a file, as in tape:FILE");
  SandboxOptions record;
  record.record_file = "run.tape";
  record.networks = {api::NetworkId::local, api::NetworkId::testnet};
  EXPECT_EQ(refusal(record), "--record keeps the tape of one network: name one with --as, not several with --networks");
  SandboxOptions loaded = record;
  loaded.networks.clear();
  loaded.load_file = "dump";
  EXPECT_EQ(refusal(loaded), "--record begins with a new exchange, and --load with another state");
}

TEST(SandboxOptions, ALatencyIsABaseAndAJitterNoLargerThanIt) {
  const auto read = [](std::string_view text) {
    const auto latency = parse_latency(text);
    return latency ? std::to_string(latency->base_ms) + " " + std::to_string(latency->jitter_ms) : "refused";
  };
  EXPECT_EQ(read("5ms"), "5 0");
  EXPECT_EQ(read("5ms\u00b12"), "5 2");
  EXPECT_EQ(read("20+-20ms"), "20 20");
  for (const char* wrong : {"", "ms", "-1ms", "5ms\u00b16", "5ms\u00b1", "600001ms", "1.5ms"})
    EXPECT_EQ(read(wrong), "refused") << wrong;
}

TEST(SandboxOptions, OneNetworkHasEveryNameAndSeveralHaveTheirOwn) {
  using enum api::NetworkId;
  SandboxOptions one;
  one.network = testnet;
  EXPECT_EQ(served_networks(one), std::vector{testnet});
  EXPECT_TRUE(hosts_of(one, testnet).empty());
  EXPECT_EQ(deployment_of(one, testnet), "svc-testnet");
  SandboxOptions several;
  several.networks = {local, mainnet};
  EXPECT_EQ(served_networks(several), (std::vector{local, mainnet}));
  EXPECT_EQ(hosts_of(several, mainnet), std::vector<std::string>{"mainnet.localhost"});
  EXPECT_EQ(deployment_of(several, local), "svc-local");
  EXPECT_EQ(deployment_of(several, mainnet), "svc-mainnet");
  several.deployment = "desk";
  EXPECT_EQ(deployment_of(several, mainnet), "desk-mainnet");
  several.networks = {local, mainnet, local};
  EXPECT_EQ(refusal(several), "--networks names local twice");
  several.networks = {api::NetworkId::local, api::NetworkId::testnet};
  EXPECT_EQ(refusal(several), std::nullopt);
  several.etcd = EtcdAddress{};
  EXPECT_EQ(refusal(several), "--state etcd://... keeps one network: name it with --as, not several with --networks");
}

TEST(SandboxOptions, ANodeTellsOthersAnAddressTheyCanReach) {
  SandboxOptions node;
  node.etcd = parse_etcd_address("etcd://127.0.0.1").value();
  node.host = "0.0.0.0";
  node.allow_remote = true;
  EXPECT_EQ(refusal(node), "--host 0.0.0.0 tells other nodes no address of this one: name it with --advertise");
  node.advertise = "node-a:9091";
  EXPECT_EQ(refusal(node), std::nullopt);
  node.advertise = "[::]:9091";
  EXPECT_EQ(refusal(node), "--advertise :: is no address at which others find this node");
  node.advertise = "node-a:none";
  EXPECT_NE(refusal(node), std::nullopt);
  node = {};
  node.advertise = "node-a";
  EXPECT_EQ(refusal(node), "--advertise is told to the other nodes of a cluster: it goes with --state etcd://...");
}

TEST(SandboxOptions, SignedNamesAreTheNetworksUnlessConfigured) {
  using enum api::NetworkId;
  SandboxOptions options;
  EXPECT_EQ(deployment_of(options, local), "svc-local");
  EXPECT_EQ(deployment_of(options, mainnet), "svc-mainnet");
  EXPECT_EQ(domain_name_of(options, local), "Svc Exchange");
  EXPECT_EQ(domain_name_of(options, testnet), "Svc Exchange Testnet");
  EXPECT_EQ(domain_name_of(options, mainnet), "Svc Exchange Mainnet");
  EXPECT_EQ(owner_of_shared_name(options), std::nullopt);
  options.deployment = "desk";
  options.domain_name = "Desk";
  EXPECT_EQ(deployment_of(options, testnet), "desk");
  EXPECT_EQ(domain_name_of(options, testnet), "Desk");
  EXPECT_EQ(owner_of_shared_name(options), std::nullopt) << "one network alone";
  options.networks = {testnet, mainnet};
  EXPECT_EQ(owner_of_shared_name(options), testnet);
  options.domain_name = "";
  EXPECT_EQ(refusal(options), "--domain-name must not be empty");
}

TEST(SandboxOptions, AccountsAreBounded) {
  SandboxOptions options;
  options.accounts = limits::dev_accounts_max;
  EXPECT_EQ(refusal(options), std::nullopt);
  options.accounts = limits::dev_accounts_max + 1;
  EXPECT_EQ(refusal(options), "--accounts is at most 1000");
}

TEST(SandboxOptions, StartingFundsAreBounded) {
  SandboxOptions options;
  options.accounts = 1;
  options.balance = Usdx{limits::dev_funds_max};
  EXPECT_EQ(refusal(options), std::nullopt);
  options.balance += Usdx{1};
  EXPECT_EQ(refusal(options), "--balance: the accounts together start with at most 1000000000 USDX");
  options.accounts = 1'000;
  options.balance = Usdx{limits::dev_funds_max / 1'000 + 1};
  EXPECT_TRUE(refusal(options).has_value());
}

TEST(SandboxOptions, MainnetHasNoFaucet) {
  SandboxOptions options;
  options.faucet = true;
  EXPECT_EQ(refusal(options), std::nullopt);
  options.network = api::NetworkId::mainnet;
  EXPECT_EQ(refusal(options), "--faucet: mainnet has no faucet");
}

TEST(SandboxOptions, TheNameIsOnePlainWord) {
  for (const char* name : {"", "../x", "a b", "a\"b"}) {
    SandboxOptions options;
    options.name = name;
    EXPECT_TRUE(refusal(options).has_value()) << name;
  }
}

TEST(DevAccounts, AreThoseOfTheirPhrase) {
  const auto seed = signing::mnemonic_seed("test test test test test test test test test test test junk");
  ASSERT_TRUE(seed);
  EXPECT_EQ(to_hex(as_bytes(seed->reveal())), dev_seed_hex);
  const auto accounts = dev_accounts(3, Usdx{});
  for (std::uint32_t index = 0; index < accounts.size(); ++index)
    EXPECT_EQ(accounts[index].private_key, signing::derive_account(*seed, index)->to_hex().reveal());
}

TEST(LimitScale, IsOnOffOrAFactor) {
  EXPECT_EQ(parse_limit_scale("on")->multiplier, 1u);
  EXPECT_EQ(parse_limit_scale("off")->multiplier, 0u);
  EXPECT_EQ(parse_limit_scale("x25")->multiplier, 25u);
  EXPECT_EQ(parse_limit_scale("x1000000")->multiplier, limits::limit_scale_max);
  for (const char* text : {"", "x", "x0", "x1000001", "x-1", "x1.5", "25", "x 1"})
    EXPECT_FALSE(parse_limit_scale(text).has_value()) << text;
}

}  // namespace SVC_FILE
}  // namespace svc::sim
