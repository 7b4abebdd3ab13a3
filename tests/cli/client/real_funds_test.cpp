// On real funds, a write needs the network on the command line and a confirmation; the way out needs only the network.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

class Mainnet : public ::testing::Test {
 protected:
  Mainnet() : machine(mainnet_options()) {
    EXPECT_EQ(machine.run("network add mainnet --rest http://mainnet.localhost:9090/v1").exit, 0);
    machine.add_wallet("mainnet", "alice");
    const RunResult login = machine.run("-n mainnet login --wallet alice" + machine.with_password);
    EXPECT_EQ(login.exit, 0) << login.err;
    const RunResult key = machine.run("-n mainnet keys create --confirm mainnet");
    EXPECT_EQ(key.exit, 0) << key.err;
    machine.sent.clear();
  }
  std::size_t writes() const { return static_cast<std::size_t>(std::ranges::count_if(machine.sent, is_write)); }
  ClientMachine machine;
};

constexpr std::string_view buy = " buy 0.1 BTC-USDX-PERP @ 59000";

TEST_F(Mainnet, WritesNeedAConfirmation) {
  const std::string order(buy);
  EXPECT_EQ(machine.run("-n mainnet" + order).exit, 3);
  EXPECT_EQ(machine.run("-n mainnet --yes" + order).exit, 3) << "--yes is not enough";
  EXPECT_EQ(machine.run("-n mainnet --confirm testnet" + order).exit, 3);
  machine.in_is_terminal = true;
  machine.answers = {"yes"};
  EXPECT_EQ(machine.run("-n mainnet" + order).exit, 3) << "the name has to be typed";
  EXPECT_EQ(writes(), 0u);
  machine.answers = {"mainnet"};
  EXPECT_EQ(machine.run("-n mainnet" + order).exit, 12) << "sent, and refused for want of margin";
  EXPECT_TRUE(machine.asked.starts_with("POST ")) << machine.asked;
  EXPECT_TRUE(has(machine.asked, R"("quantity":"0.1","time_in_force":"GTC","price":"59000")"));
  EXPECT_EQ(machine.run("-n mainnet --confirm mainnet" + order).exit, 12);
  EXPECT_EQ(writes(), 2u);
}

// Whoever has the key, or the only copy of it, has what it owns.
TEST_F(Mainnet, YesIsNotEnoughToExportAKeyInPlainOrToDeleteIt) {
  machine.add_wallet("mainnet", "carol");
  const auto plain = machine.home() / "carol.key";
  const std::string out = "keystore export carol --allow-plain-export --to " + plain.string() + machine.with_password;
  for (const std::string& line : {out, std::string("keystore delete carol")}) {
    EXPECT_EQ(machine.run("-n mainnet --yes " + line).exit, 3) << line;
    EXPECT_EQ(machine.run("-n mainnet --confirm testnet " + line).exit, 3) << line;
    machine.in_is_terminal = true;
    machine.answers = {"yes"};
    EXPECT_EQ(machine.run("-n mainnet --yes " + line).exit, 3) << line;
    EXPECT_FALSE(std::filesystem::exists(plain)) << line;
    machine.answers = {"carol"};
    EXPECT_EQ(machine.run("-n mainnet " + line).exit, 0) << line;
    machine.in_is_terminal = false;
    std::filesystem::remove(plain);
  }
  machine.add_wallet("mainnet", "dave");
  EXPECT_EQ(machine.run("-n mainnet --confirm mainnet keystore delete dave").exit, 0);
}

// What an agent signs names no network.
TEST_F(Mainnet, AnAgentOfAnotherNetworkIsNotRegistered) {
  const std::string agent = "0x00000000000000000000000000000000000000b0";
  const auto folder = machine.home() / ".local/share/svc/keys/testnet/agents";
  std::filesystem::create_directories(folder);
  std::filesystem::permissions(folder.parent_path(), std::filesystem::perms::owner_all);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  const auto file = folder / (agent + ".json");
  std::ofstream(file) << R"({"version":1,"address":")" << agent << R"(","wallet":"bot"})";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const std::string line = "-n mainnet --confirm mainnet --json agents register " + agent + machine.with_password;
  const RunResult refused = machine.run(line);
  EXPECT_EQ(refused.exit, 14) << refused.out;
  EXPECT_EQ(refused.code(), "agent_of_two_networks");
  EXPECT_EQ(writes(), 0u);
  std::filesystem::remove(file);
  EXPECT_EQ(machine.run(line).exit, 0);
}

// The key's file says whose it is.
TEST_F(Mainnet, AKeyOfTheEnvironmentActsForNobodyElse) {
  const std::string id = machine.run("-n mainnet --json keys list").rows().front().text_at("key_id");
  machine.variables["SVC_API_KEY"] = id;
  machine.variables["SVC_API_SECRET"] = std::string(64, 'a');
  machine.variables["SVC_API_KEY_NETWORK"] = "mainnet";
  machine.variables["SVC_ACCOUNT"] = "0x00000000000000000000000000000000000000b0";
  machine.sent.clear();
  const RunResult ran = machine.run("-n mainnet --json --confirm mainnet bridge withdraw 5");
  EXPECT_EQ(ran.exit, 14) << ran.out;
  EXPECT_EQ(ran.code(), "wrong_account") << ran.out;
  EXPECT_EQ(writes(), 0u);
  EXPECT_NE(machine.run("-n mainnet --confirm mainnet orders cancel-all").exit, 14) << "the way out is not blocked";
}

TEST_F(Mainnet, TheRepeatThatALostAnswerAdvisesIsConfirmedLikeTheFirst) {
  machine.intercept = when(is_write, unanswered(api::Delivery::unknown));
  const RunResult lost =
      machine.run("-n mainnet --confirm mainnet bridge withdraw 5 --idempotency-key k --no-reconcile");
  EXPECT_EQ(lost.exit, 11) << lost.err;
  EXPECT_TRUE(has(lost.err, "svc -n mainnet bridge withdraw 5 --idempotency-key k --confirm mainnet"));
}

TEST_F(Mainnet, WhatTheWalletSignsIsAnnouncedWithItsAccount) {
  const std::string account(machine.run("-n mainnet --json whoami").document().string_at("data.owner").value_or("?"));
  const RunResult ran = machine.run("-n mainnet --confirm mainnet withdrawals submit 5" + machine.with_password);
  EXPECT_TRUE(has(ran.err, "account " + account + ", signed by its wallet"));
}

TEST_F(Mainnet, WritesNeedTheNetworkOnTheCommandLine) {
  machine.variables["SVC_NETWORK"] = "mainnet";
  EXPECT_EQ(machine.run("account show").exit, 0) << "the environment is enough for a read";
  EXPECT_EQ(machine.run("--confirm mainnet" + std::string(buy)).exit, 14);
  EXPECT_EQ(machine.run("orders cancel-all").exit, 14);
  EXPECT_EQ(machine.run("flatten").exit, 14) << "not 15, which would say that a part of it was done";
  EXPECT_EQ(writes(), 0u);
}

TEST_F(Mainnet, TheWayOutIsNeverBlocked) {
  EXPECT_EQ(machine.run("-n mainnet orders cancel-all").exit, 0);
  EXPECT_EQ(machine.run("-n mainnet orders cancel 00010000-0000-4000-8000-000000000001").exit, 5);
  EXPECT_EQ(machine.run("-n mainnet sell 0.1 BTC-USDX-PERP --reduce-only").exit, 7) << "there is no position to reduce";
}

TEST_F(Mainnet, DryRunsNeedNoConfirmation) {
  EXPECT_EQ(machine.run("-n mainnet --dry-run" + std::string(buy)).exit, 0);
}

TEST_F(Mainnet, PathsAreSentWithTheBaseAndSignedWithoutIt) {
  ASSERT_EQ(machine.run("-n mainnet account show").exit, 0);
  EXPECT_EQ(machine.sent.back().target, "/v1/account");
  ASSERT_EQ(machine.run("-n mainnet --surface direct account show").exit, 0);
  EXPECT_EQ(machine.sent.back().target, "/api/v1/account");
}

TEST(PlayFunds, AConfirmationOfAnotherNetworkStopsAWriteButNotTheWayOut) {
  TraderMachine machine;
  machine.sent.clear();
  const RunResult refused = machine.run("-n local --confirm mainnet buy 0.1 BTC-USDX-PERP @ 59000");
  EXPECT_EQ(refused.exit, 3) << refused.err;
  EXPECT_TRUE(has(refused.err, "names mainnet, but the network is local"));
  EXPECT_TRUE(std::ranges::none_of(machine.sent, to("POST")));
  EXPECT_EQ(machine.run("-n local --confirm local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  EXPECT_EQ(machine.run("-n local --confirm mainnet orders cancel-all").exit, 0);
}

TEST(UnknownFunds, CountAsReal) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("network add desk --rest http://localhost:9090").exit, 0);
  EXPECT_EQ(machine.run("--json network show desk").document().string_at("data.funds"), "unknown");
  machine.variables["SVC_API_KEY"] = "svc_0";
  machine.variables["SVC_API_SECRET"] = "00";
  machine.variables["SVC_API_KEY_NETWORK"] = "desk";
  EXPECT_EQ(machine.run("-n desk buy 1 BTC-USDX-PERP").exit, 3);
  ASSERT_EQ(machine.run("network add desk --funds play").exit, 0);
  EXPECT_EQ(machine.run("-n desk buy 1 BTC-USDX-PERP").exit, 4) << "sent, and the key is nobody's";
}

// Anyone on the path can read plain http: refused when configured, and when written into the file by hand.
TEST(PlainHttp, IsRefusedForRealFundsOnOtherMachines) {
  ClientMachine machine;
  for (const char* line :
       {"network add mainnet --rest http://exchange.example/v1", "network add desk --rest http://10.0.0.7",
        "network add desk --rest http://10.0.0.7 --funds real",
        "network add desk --rest https://h/v1 --ws ws://h/v1"}) {
    const RunResult ran = machine.run(line);
    EXPECT_EQ(ran.exit, 14) << line;
    EXPECT_TRUE(has(ran.err, "is not encrypted"));
    EXPECT_EQ(machine.run(std::string("--dry-run ") + line).exit, 14) << line;
  }
  EXPECT_EQ(machine.read(".config/svc/config.toml"), "");
  EXPECT_EQ(machine.run("network add desk --rest http://10.0.0.7 --funds play").exit, 0);
  EXPECT_EQ(machine.run("network add desk --funds real").exit, 14) << "what was said before no longer fits";
  EXPECT_EQ(machine.run("network add near --rest http://127.0.0.1:7 --ws ws://[::1]:7 --funds real").exit, 0);
}

TEST_F(Mainnet, OverPlainHttpAllowsOnlyTheWayOut) {
  machine.write(".config/svc/config.toml", "version = 1\n[networks.mainnet]\nrest = \"http://exchange.example/v1\"\n");
  for (const std::string line : {"account show", "login --wallet alice", "keys list", "keys delete x", "watch orders",
                                 "buy 0.1 BTC-USDX-PERP @ 59000 --confirm mainnet"}) {
    const RunResult ran = machine.run("-n mainnet " + line + machine.with_password);
    EXPECT_EQ(ran.exit, 14) << line << ran.err;
    EXPECT_TRUE(has(ran.out + ran.err, "is not encrypted")) << line << ran.err;
  }
  for (const api::HttpRequest& request : machine.sent) EXPECT_TRUE(request.target.ends_with("/metadata"));
  // A signature does not reveal the key, and the way out must stay open.
  const RunResult cancel = machine.run("-n mainnet orders cancel-all");
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_TRUE(
      has(cancel.err, "note: network mainnet holds real funds, and http://exchange.example/v1 is not encrypted"));
}

TEST(Identity, OfTheServerMustBeTheNamedNetwork) {
  ClientMachine machine(mainnet_options());
  machine.variables["SVC_API_KEY"] = "svc_0";
  machine.variables["SVC_API_SECRET"] = "00";
  const RunResult ran = machine.run("-n local account show");
  EXPECT_EQ(ran.exit, 14);
  EXPECT_TRUE(has(ran.err, "serves network mainnet, not local"));
  const RunResult labelled = machine.run("network add play --funds play --rest http://mainnet.localhost:9090/v1");
  EXPECT_EQ(labelled.exit, 14);
  EXPECT_TRUE(has(labelled.err, "whose funds are real"));
  EXPECT_EQ(machine.run("network show play").exit, 5) << "nothing was added";
  ASSERT_EQ(machine.run("network add play --rest http://mainnet.localhost:9090/v1").exit, 0);
  machine.write(".config/svc/config.toml",
                "version = 1\n[networks.play]\nrest = \"http://mainnet.localhost:9090/v1\"\nfunds = \"play\"\n");
  const RunResult played = machine.run("-n play account show");
  EXPECT_EQ(played.exit, 14) << "mainnet under the name of play money: " << played.err;
}

// Else the other programs of the wallet would be refused until that time.
TEST_F(Mainnet, ANonceIsOfTheServersTime) {
  machine.server_ahead_ms = -10 * day_ms;
  machine.clock.advance(11 * minute_ms);  // what is known of the server's clock is too old
  // Only what the answers say of the time is wrong here, so the request is refused.
  static_cast<void>(machine.run("-n mainnet orders cancel-all" + machine.with_password));
  const Json nonces = *parse_json(file_text(machine.state() / "nonces/mainnet"));
  ASSERT_EQ(nonces.at("last")->items().size(), 1u);
  const std::string last = nonces.at("last")->items().front().text();
  EXPECT_LE(std::stoll(last), machine.clock.now_ms() - 9 * day_ms) << last;
}

TEST(Clock, SkewIsCorrectedUpToALimit) {
  ClientMachine machine(mainnet_options());
  ASSERT_EQ(machine.run("network add mainnet --rest http://mainnet.localhost:9090/v1").exit, 0);
  machine.variables["SVC_API_KEY"] = "svc_0";
  machine.variables["SVC_API_SECRET"] = "00";
  machine.variables["SVC_API_KEY_NETWORK"] = "mainnet";
  const auto signed_at = [&] {
    for (auto it = machine.sent.rbegin(); it != machine.sent.rend(); ++it) {
      if (const auto header = it->headers.find("X-Timestamp")) return std::stoll(std::string(*header));
    }
    return 0LL;
  };
  machine.server_ahead_ms = 10'000;
  const RunResult corrected = machine.run("-n mainnet --json account show");
  EXPECT_EQ(corrected.exit, 4) << "nobody's key, but it was asked";
  // The Date header counts whole seconds.
  EXPECT_GE(signed_at() - machine.clock.now_ms(), 9'000);
  EXPECT_LE(signed_at() - machine.clock.now_ms(), 11'000);
  EXPECT_EQ(corrected.document().at("warnings")->items().at(0).string_at("code"), "clock_corrected");

  machine.server_ahead_ms = 40'000;
  machine.clock.advance(11 * minute_ms);  // the cached skew is too old
  machine.sent.clear();
  const RunResult refused = machine.run("-n mainnet account show");
  EXPECT_EQ(refused.exit, 14);
  EXPECT_EQ(signed_at(), 0);
  EXPECT_TRUE(has(refused.err, "timedatectl set-ntp true"));
}

}  // namespace SVC_FILE
}  // namespace svc::cli
