// A shell on real funds: what one confirmation covers, and what a locked shell asks for.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

class ShellOnRealFunds : public ::testing::Test {
 protected:
  ShellOnRealFunds() : machine(mainnet_options()) {
    EXPECT_EQ(machine.run("network add mainnet --rest http://mainnet.localhost:9090/v1").exit, 0);
    const std::string password = " --password-file " + machine.write("secret", "of alice\n").string();
    machine.add_wallet("mainnet", "alice", "of alice");
    EXPECT_EQ(machine.run("-n mainnet login --wallet alice" + password).exit, 0);
    EXPECT_EQ(machine.run("-n mainnet keys create --confirm mainnet").exit, 0);
    machine.in_is_terminal = true;
  }
  // The paths of the writes of one shell, in order; the account is empty, so orders are refused.
  std::vector<std::string> written(const std::vector<std::string>& lines, std::vector<std::string> answers) {
    std::vector<std::string> words{"-n", "mainnet", "shell", "--keep-going"};
    for (const std::string& line : lines) words.insert(words.end(), {"-c", line});
    machine.answers = std::move(answers);
    machine.sent.clear();
    ran = machine.run(words);
    std::vector<std::string> paths;
    for (const api::HttpRequest& one : machine.sent) {
      if (one.method != "GET") paths.push_back(one.target.substr(0, one.target.find('?')));
    }
    return paths;
  }
  ClientMachine machine;
  RunResult ran;
};

using Paths = std::vector<std::string>;

TEST_F(ShellOnRealFunds, OneConfirmationCoversOrdersUpToTheConfiguredValue) {
  const Paths sent = written({"buy 0.01 BTC-USDX-PERP @ 59000", "buy 0.012 BTC-USDX-PERP @ 59000",
                              "buy 0.1 BTC-USDX-PERP @ 59000", "sell 0.1 BTC-USDX-PERP @ 60500"},
                             {"mainnet"});
  EXPECT_EQ(sent, (Paths{"/v1/orders", "/v1/orders"})) << "the larger ones wait for another answer";
  EXPECT_EQ(ran.exit, 3);
}

TEST_F(ShellOnRealFunds, EachPartOfABatchIsConfirmedForItself) {
  const std::string file = machine
                               .write("two.ndjson", R"({"market_id":"BTC-USDX-PERP","side":"Buy",)"
                                                    R"("order_type":"Limit","quantity":"0.01","price":"59000"})"
                                                    "\n"
                                                    R"({"market_id":"BTC-USDX-PERP","side":"Buy",)"
                                                    R"("order_type":"Limit","quantity":"0.1","price":"59000"})"
                                                    "\n")
                               .string();
  const Paths sent = written({"buy 0.01 BTC-USDX-PERP @ 59001", "orders batch --chunk 1 -f " + file}, {"mainnet"});
  EXPECT_EQ(std::ranges::count(sent, std::string("/v1/orders/batch")), 1) << "the second is worth more than allowed";
  EXPECT_EQ(ran.exit, 3);
}

TEST_F(ShellOnRealFunds, AConfirmationInAdvanceCoversSmallOrdersWhereNobodyCanBeAsked) {
  machine.in_is_terminal = false;
  machine.sent.clear();
  const RunResult shell = machine.run({"-n", "mainnet", "shell", "--confirm", "mainnet", "--keep-going", "-c",
                                       "buy 0.01 BTC-USDX-PERP @ 59000", "-c", "buy 0.1 BTC-USDX-PERP @ 59000"});
  EXPECT_EQ(std::ranges::count(machine.sent, std::string("/v1/orders"), &api::HttpRequest::target), 1) << shell.err;
  EXPECT_TRUE(has(shell.err, "needs a confirmation"));
}

TEST_F(ShellOnRealFunds, ASellFarBelowMarkIsValuedAtMark) {
  EXPECT_EQ(machine.run("config set guards.mainnet.price_band_bps off").exit, 0);
  const Paths sent = written({"buy 0.01 BTC-USDX-PERP @ 59000", "sell 0.1 BTC-USDX-PERP @ 100"}, {"mainnet"});
  EXPECT_EQ(sent, (Paths{"/v1/orders"}));
}

TEST_F(ShellOnRealFunds, EverythingButOrdersIsConfirmedEachTime) {
  const Paths sent = written({"buy 0.01 BTC-USDX-PERP @ 59000", "margin leverage BTC-USDX-PERP 5",
                              "margin leverage BTC-USDX-PERP 6", "withdrawals submit 1"},
                             {"mainnet", "mainnet"});
  EXPECT_EQ(sent, (Paths{"/v1/orders", "/v1/leverage"}));
}

TEST_F(ShellOnRealFunds, ClosingPartOfAPositionNeedsNoConfirmation) {
  machine.intercept =
      when(to("", "/v1/positions"), answered(200, R"([{"market_id":"BTC-USDX-PERP","side":"Long","size":"0.2"}])"));
  EXPECT_EQ(written({"sell 50% BTC-USDX-PERP @ 60500"}, {}), (Paths{"/v1/orders"})) << ran.err;
  EXPECT_EQ(written({"sell 0.1 BTC-USDX-PERP @ 60500"}, {}), Paths{});
}

TEST_F(ShellOnRealFunds, TheValueIsConfigurable) {
  EXPECT_EQ(machine.run("config set guards.mainnet.shell_notional_max 5000").exit, 0);
  const Paths within{"buy 0.01 BTC-USDX-PERP @ 59000", "buy 0.08 BTC-USDX-PERP @ 59000"};
  EXPECT_EQ(written(within, {"mainnet"}).size(), 2U);
  EXPECT_EQ(machine.run("config set guards.mainnet.shell_notional_max 0").exit, 0);
  EXPECT_EQ(written({"buy 0.01 BTC-USDX-PERP @ 58000", "buy 0.01 BTC-USDX-PERP @ 58500"}, {"mainnet"}).size(), 1U);
  EXPECT_EQ(machine.run("config set guards.mainnet.shell_notional_max plenty").exit, 2);
  EXPECT_EQ(machine.run("config set guards.mainnet.no_such 1").exit, 2);
}

TEST(ShellLock, WritesNeedThePasswordAgainButTheWayOutDoesNot) {
  TraderMachine machine;
  machine.in_is_terminal = true;
  const auto in_shell = [&](std::vector<std::string> answers, const std::string& line) {
    machine.answers = std::move(answers);
    return machine.run({"-n", "local", "shell", "-c", "\\lock", "-c", line}).exit;
  };
  EXPECT_EQ(in_shell({"not it"}, "buy 0.1 BTC-USDX-PERP @ 59000"), 4);
  EXPECT_EQ(in_shell({}, "buy 0.1 BTC-USDX-PERP @ 59000"), 3);
  EXPECT_EQ(in_shell({"correct horse"}, "buy 0.1 BTC-USDX-PERP @ 59000"), 0);
  EXPECT_EQ(in_shell({}, "orders cancel-all"), 0);
  EXPECT_EQ(in_shell({}, "orders list"), 0);
}

// The wallet signs them in the body; the request has no other credential.
TEST(ShellLock, PaymentsNeedThePasswordAgainWhateverSignsThem) {
  TraderMachine machine;
  machine.in_is_terminal = true;
  const std::string file = (machine.home() / "password").string();
  const auto in_shell = [&](std::vector<std::string> answers, const std::string& line) {
    machine.answers = std::move(answers);
    return machine.run({"-n", "local", "shell", "-c", "\\lock", "-c", line + " --password-file " + file}).exit;
  };
  EXPECT_EQ(in_shell({}, "withdrawals submit 2"), 3);
  EXPECT_EQ(in_shell({"not it"}, "withdrawals submit 2"), 4);
  EXPECT_EQ(in_shell({"correct horse"}, "withdrawals submit 2"), 0);
  EXPECT_EQ(in_shell({}, "keystore export alice --to " + file + ".out --allow-plain-export --yes"), 3);
}

TEST(ShellLock, AConfiguredPasswordFileDoesNotOpenItForWhoeverSitsThere) {
  TraderMachine machine;
  machine.in_is_terminal = true;
  machine.write("password", "correct horse\n");
  machine.run({"-n", "local", "config", "set", "password_file", (machine.home() / "password").string()});
  const auto in_shell = [&](std::vector<std::string> answers) {
    machine.answers = std::move(answers);
    return machine.run({"-n", "local", "shell", "-c", "\\lock", "-c", "buy 0.1 BTC-USDX-PERP @ 59000"}).exit;
  };
  EXPECT_EQ(in_shell({}), 3);
  EXPECT_EQ(in_shell({"correct horse"}), 0);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
