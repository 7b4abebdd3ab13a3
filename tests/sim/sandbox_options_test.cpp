#include "sim/sandbox_options.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace svc::sim {
namespace {

TEST(SandboxOptions, TheDefaultsAreAccepted) {
  EXPECT_EQ(refusal(SandboxOptions{}), std::nullopt);
}

TEST(SandboxOptions, WhatIsNotAvailableYetSaysSo) {
  SandboxOptions bots;
  bots.flow = Flow::bots;
  EXPECT_EQ(refusal(bots), "--flow bots is not available yet in this version; use --flow none");
}

TEST(SandboxOptions, OneNetworkHasEveryNameAndSeveralHaveTheirOwn) {
  using enum api::NetworkId;
  SandboxOptions one;
  one.network = testnet;
  EXPECT_EQ(served_networks(one), std::vector{testnet});
  EXPECT_TRUE(hosts_of(one, testnet).empty());
  EXPECT_EQ(deployment_of(one, testnet), "svc-local");
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

TEST(LimitScale, IsOnOffOrAFactor) {
  EXPECT_EQ(parse_limit_scale("on")->multiplier, 1u);
  EXPECT_EQ(parse_limit_scale("off")->multiplier, 0u);
  EXPECT_EQ(parse_limit_scale("x25")->multiplier, 25u);
  EXPECT_EQ(parse_limit_scale("x1000000")->multiplier, limits::limit_scale_max);
  for (const char* text : {"", "x", "x0", "x1000001", "x-1", "x1.5", "25", "x 1"})
    EXPECT_FALSE(parse_limit_scale(text).has_value()) << text;
}

}  // namespace
}  // namespace svc::sim
