// The rules for real funds about choosing, naming and trusting a network; docs/real_funds.md has the complete list.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

sim::SandboxOptions serving(api::NetworkId network) {
  sim::SandboxOptions options;
  options.network = network;
  return options;
}

// A service under the name of a network, with a wallet that is logged in.
struct Venue : ClientMachine {
  Venue(api::NetworkId id, std::string network) : ClientMachine(serving(id)), name(std::move(network)) {
    EXPECT_EQ(run("network add " + name + " --rest http://" + name + ".localhost:9090/v1").exit, 0);
    add_wallet(name, "alice");
    EXPECT_EQ(run(on() + "login --wallet alice" + with_password).exit, 0);
    EXPECT_EQ(run(on() + "--confirm " + name + " keys create").exit, 0);
    sent.clear();
    origins.clear();
  }
  [[nodiscard]] std::string on() const { return "-n " + name + " "; }
  [[nodiscard]] std::size_t writes() const { return static_cast<std::size_t>(std::ranges::count_if(sent, is_write)); }
  std::string name;
};

TEST(NoDefaultNetwork, StoredFilesDoNotImplyOne) {
  Venue machine(api::NetworkId::testnet, "testnet");
  for (const std::string line : {"account show", "buy 1 BTC-USDX-PERP", "markets list", "keystore unlock alice"}) {
    const RunResult ran = machine.run("--json " + line);
    EXPECT_EQ(ran.exit, 2) << line;
    EXPECT_EQ(ran.code(), "no_network") << line;
  }
  EXPECT_TRUE(machine.sent.empty());
}

// Everything that moves money, or allows somebody to.
TEST(RealFunds, EveryWriteNeedsAConfirmation) {
  Venue machine(api::NetworkId::mainnet, "mainnet");
  const std::string bob = "0x00000000000000000000000000000000000000b0";
  ASSERT_EQ(machine.run("-n mainnet addresses add bob " + bob).exit, 0);
  machine.clock.advance(2 * day_ms);
  ASSERT_EQ(machine.run("-n mainnet login --wallet alice" + machine.with_password).exit, 0);
  machine.sent.clear();
  for (const std::string& line :
       {std::string("buy 0.1 BTC-USDX-PERP @ 59000"), std::string("margin leverage BTC-USDX-PERP 5"),
        std::string("margin mode set BTC-USDX-PERP isolated"), std::string("margin add BTC-USDX-PERP 5"),
        std::string("bridge withdraw 5"), std::string("keys create"), "withdrawals submit 5" + machine.with_password,
        "transfers enroll" + machine.with_password, "transfers send 5 --to " + bob + machine.with_password,
        "agents register " + bob + machine.with_password}) {
    for (const std::string flags : {"", " --yes", " --confirm testnet"}) {
      const RunResult ran = machine.run("-n mainnet --json " + line + flags);
      EXPECT_EQ(ran.exit, 3) << line << flags << ran.out;
      EXPECT_EQ(ran.code(), "confirmation") << line << flags;
    }
    EXPECT_EQ(machine.writes(), 0u) << line;
  }
}

TEST(RealFunds, MainnetCannotBeConfiguredAsPlayFunds) {
  Venue machine(api::NetworkId::mainnet, "mainnet");
  ASSERT_EQ(machine.run("network remove mainnet").exit, 0);
  EXPECT_EQ(machine.run("network add toy --funds play --rest http://mainnet.localhost:9090/v1").exit, 14);
  machine.write(".config/svc/config.toml",
                "version = 1\n[networks.toy]\nrest = \"http://mainnet.localhost:9090/v1\"\nfunds = \"play\"\n");
  machine.add_wallet("toy", "alice");
  for (const std::string line : {"login --wallet alice", "withdrawals submit 5", "transfers enroll"}) {
    const RunResult ran = machine.run("-n toy --json " + line + machine.with_password);
    EXPECT_EQ(ran.exit, 14) << line << ran.out;
  }
  EXPECT_EQ(machine.writes(), 0u);
}

// What the wallet itself signs is paid by the account that was named, or by nobody.
TEST(WalletSigned, OnlyTheNamedAccountActs) {
  ClientMachine machine;
  const std::string alice = to_string(machine.add_trader("alice"));
  const std::string bob = to_string(machine.add_trader("bob"));  // the last login
  const auto who = [&](const std::string& line) {
    const Json document = machine.run("-n local --json " + line + machine.with_password).document();
    return document.truth_at("ok") ? document.text_at("account") : document.text_at("error.code");
  };
  const std::string stranger = "0x1111111111111111111111111111111111111111";
  for (const std::string line : {"withdrawals submit 2", "transfers enroll", "keys list"}) {
    EXPECT_EQ(who(line), bob) << line;
    EXPECT_EQ(who("-a alice " + line), alice) << line;
    EXPECT_EQ(who("--signer alice -a bob " + line), line == "keys list" ? "no_session_for_account" : "wrong_account");
    EXPECT_EQ(who("-a " + stranger + " " + line),
              line == "keys list" ? "no_session_for_account" : "no_wallet_of_account");
  }
  machine.variables["SVC_API_KEY"] = "svc_0";
  machine.variables["SVC_API_SECRET"] = "00";
  for (const std::string line : {"withdrawals submit 3", "transfers list", "keys list"}) {
    EXPECT_EQ(who(line), "key_account_unknown") << line;
    machine.variables["SVC_ACCOUNT"] = alice;
    EXPECT_EQ(who(line), alice) << line << ": the key is alice's, whoever logged in last";
    EXPECT_EQ(who("-a bob " + line), "wrong_account") << line;
    machine.variables.erase("SVC_ACCOUNT");
  }
  machine.variables["SVC_ACCOUNT"] = alice;
  ASSERT_EQ(machine.run("config set signer bob").exit, 0);
  EXPECT_EQ(machine.run("-n local --json account show").document().text_at("account"), alice)
      << "a setting does not outweigh the environment";
  EXPECT_EQ(who("--signer bob withdrawals submit 4"), bob) << "a flag does";
}

// An older gateway serves no metadata, and the network map has no row either.
TEST(SigningDomain, IsNotGuessedIfUnknown) {
  Venue machine(api::NetworkId::testnet, "testnet");
  ASSERT_EQ(machine.run("network remove testnet").exit, 0);
  ASSERT_EQ(machine.run("network add other --funds play --rest http://testnet.localhost:9090/v1").exit, 0);
  machine.add_wallet("other", "alice");
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    if (!request.target.ends_with("/metadata") && !request.target.ends_with("/openapi.json")) return {};
    return answered(404, "{}");
  };
  for (const std::string line : {"login --wallet alice", "withdrawals submit 5", "transfers enroll",
                                 "agents register 0x00000000000000000000000000000000000000b0"}) {
    const RunResult ran = machine.run("-n other --confirm other --json " + line + machine.with_password);
    EXPECT_EQ(ran.exit, 14) << line << ran.out;
    const std::string code = ran.code();
    EXPECT_TRUE(code == "domain_unknown" || code == "deployment_unknown") << line << code;
  }
  machine.variables["SVC_API_KEY"] = "svc_0";
  machine.variables["SVC_API_SECRET"] = "00";
  const RunResult order =
      machine.run("-n other --json --signer alice buy 1 BTC-USDX-PERP --action sign" + machine.with_password);
  EXPECT_NE(order.exit, 0) << order.out;
  EXPECT_EQ(machine.writes(), 0u);
}

TEST(SigningDomain, IsShownByPrintCanonical) {
  Venue machine(api::NetworkId::testnet, "testnet");
  const std::string action = "EIP-712 under the action domain (no salt)";
  const std::string registration = "EIP-712 under the registration domain (salted)";
  struct Row {
    std::string line, domain, type;
  };
  for (const Row& row :
       {Row{"buy 0.1 BTC-USDX-PERP @ 59000", action, "action PlaceOrder, "},
        Row{"withdrawals submit 5", action, "WithdrawIntent, "},
        Row{"transfers enroll", action, "EnrollTransferAccount, "},
        Row{"agents register 0x00000000000000000000000000000000000000b0", registration, "RegisterAgent, "}}) {
    const RunResult ran = machine.run("-n testnet --print-canonical " + row.line + machine.with_password);
    EXPECT_TRUE(has(ran.err, row.type + row.domain)) << row.line << "\n" << ran.err;
  }
  const RunResult login = machine.run("-n testnet --print-canonical login --wallet alice" + machine.with_password);
  EXPECT_TRUE(has(login.err, "text, EIP-191 (personal_sign), signer 0x"));
  EXPECT_FALSE(has(machine.run("-n testnet --print-canonical markets list").err, "EIP-"));
}

// Neither after a refusal, nor because a server redirects.
TEST(Credentials, AreSentToOneHostOnce) {
  Venue machine(api::NetworkId::testnet, "testnet");
  ASSERT_EQ(machine.run("-n testnet account show").exit, 0);
  for (const int status : {401, 302, 307, 308}) {
    machine.sent.clear();
    machine.origins.clear();
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (!request.target.ends_with("/account") && !request.target.ends_with("/orders")) return {};
      return answered(status, R"({"error":{"code":"Unauthorized","message":"no"}})",
                      {{"Location", "https://elsewhere.example/v1/account"}});
    };
    EXPECT_NE(machine.run("-n testnet account show").exit, 0) << status;
    EXPECT_EQ(machine.sent.size(), 1u) << status;
    EXPECT_NE(machine.run("-n testnet buy 0.1 BTC-USDX-PERP @ 59000").exit, 0) << status;
    EXPECT_LE(machine.writes(), 1u) << status;
    for (const std::string& origin : machine.origins) EXPECT_EQ(origin, "http://testnet.localhost:9090") << status;
  }
}

TEST(DevKeys, GetMoneyOnlyOnLocal) {
  Venue machine(api::NetworkId::testnet, "testnet");
  const RunResult ran = machine.run(
      "-n testnet --json transfers send 5 --to 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266" + machine.with_password);
  EXPECT_EQ(ran.exit, 14) << ran.out;
  EXPECT_EQ(ran.code(), "dev_target");
  EXPECT_EQ(machine.writes(), 0u);
}

TEST(RealFunds, HaveNoFaucet) {
  Venue machine(api::NetworkId::mainnet, "mainnet");
  for (const char* line : {"faucet claim", "faucet credit"}) {
    const RunResult ran = machine.run("-n mainnet --confirm mainnet " + std::string(line));
    EXPECT_EQ(ran.exit, 14) << ran.err;
  }
  EXPECT_TRUE(machine.sent.empty()) << "before any network call";
}

TEST(AdminSecret, IsOnlyForAdminCommands) {
  Venue machine(api::NetworkId::testnet, "testnet");
  machine.write("admin", "operator-secret\n");
  machine.variables["SVC_ADMIN_SECRET_FILE"] = (machine.home() / "admin").string();
  EXPECT_EQ(machine.run("-n testnet --auth admin account show").exit, 2);
  EXPECT_EQ(machine.run("-n testnet account show --admin-secret-file " + (machine.home() / "admin").string()).exit, 2);
  ASSERT_EQ(machine.run("-n testnet account show").exit, 0);
  for (const api::HttpRequest& request : machine.sent) {
    const auto authorization = request.headers.find("Authorization");
    EXPECT_TRUE(!authorization || authorization->find("operator-secret") == std::string::npos) << request.target;
  }
}

TEST(AccountVariable, AloneIsLikeTheFlag) {
  ClientMachine machine;
  const Address alice = machine.add_trader("alice");
  const Address bob = machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local login --wallet bob" + machine.with_password).exit, 0);
  machine.variables["SVC_ACCOUNT"] = to_string(alice);
  const auto account_of = [&](const std::string& line) {
    const RunResult ran = machine.run("-n local --json " + line + machine.with_password);
    EXPECT_EQ(ran.exit, 0) << ran.out;
    return ran.document().text_at("account");
  };
  EXPECT_EQ(account_of("withdrawals submit 5"), to_string(alice));
  EXPECT_EQ(account_of("buy 0.1 BTC-USDX-PERP @ 59000"), to_string(alice));
  EXPECT_EQ(account_of("-a " + to_string(bob) + " orders list"), to_string(bob));
  EXPECT_EQ(account_of("--signer bob orders list"), to_string(bob));
  machine.variables["SVC_ACCOUNT"] = "alice";
  EXPECT_EQ(account_of("orders list"), to_string(alice));
  // Nobody knows which account is meant, so none is touched, on the way out either.
  machine.variables["SVC_ACCOUNT"] = to_string(alice).substr(0, 8);
  EXPECT_EQ(machine.run("-n local orders list").exit, 2);
  EXPECT_EQ(machine.run("-n local flatten --yes").exit, 2);
  EXPECT_EQ(machine.run("config list").exit, 0);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
