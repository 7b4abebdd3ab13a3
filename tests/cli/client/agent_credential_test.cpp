// An agent's key, which may only trade, in daily use.
#include <gtest/gtest.h>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

struct AgentSigning : ClientMachine {
  AgentSigning() {
    alice = add_trader("alice");
    const RunResult made = run("-n local --json agents new bot" + with_password);
    EXPECT_EQ(made.exit, 0) << made.out;
    agent = made.document().text_at("data.address");
    EXPECT_EQ(run("-n local --signer alice agents register bot --expires 7d" + with_password).exit, 0);
  }
  RunResult bot(const std::string& line) { return run("-n local --json --auth agent" + with_password + " " + line); }
  [[nodiscard]] std::string header(std::string_view name) const {
    const auto value = sent.back().headers.find(name);
    return value ? std::string(*value) : std::string();
  }

  Address alice;
  std::string agent;
};

TEST(AgentCredential, SignsReadsAndOrdersForItsAccount) {
  AgentSigning machine;
  // This needs no session.
  ASSERT_EQ(machine.run("-n local logout --all").exit, 0);
  const RunResult read = machine.bot("account show");
  EXPECT_EQ(read.exit, 0) << read.out;
  EXPECT_EQ(read.document().string_at("account"), to_string(machine.alice));
  EXPECT_EQ(read.document().string_at("data.balance"), "10000");
  EXPECT_EQ(machine.header("x-agent"), machine.agent);
  EXPECT_EQ(machine.header("X-API-Key"), "");
  const RunResult placed = machine.bot("buy 0.1 BTC-USDX-PERP @ 59000");
  EXPECT_EQ(placed.exit, 0) << placed.out;
  EXPECT_EQ(placed.document().string_at("data.order.account_id"), to_string(machine.alice));
  EXPECT_EQ(machine.header("x-acting-account"), "");  // the service knows the agent's account
  EXPECT_EQ(machine.header("x-nonce"), machine.header("x-action-nonce"));
  EXPECT_EQ(machine.bot("buy 0.1 BTC-USDX-PERP @ 59001 --action omit").exit, 0);  // only the request is signed
  EXPECT_EQ(machine.header("x-action-signature"), "");
  EXPECT_EQ(machine.bot("orders cancel-all").exit, 0);
  EXPECT_EQ(machine.bot("orders list").document().find("data")->dump(), "[]");
  EXPECT_EQ(machine.bot("markets list").exit, 0);  // public, so unsigned
}

// Agents may not read the margin mode, but the account's state has the leverage too.
TEST(AgentCredential, SetsTheLeverageAndShowsThePreviousOne) {
  AgentSigning machine;
  ASSERT_EQ(machine.run("-n local logout --all").exit, 0);
  const RunResult set = machine.run("-n local --auth agent" + machine.with_password +
                                    " margin leverage btc 5 --fields leverage,previous --no-header");
  EXPECT_EQ(set.exit, 0) << set.err;
  EXPECT_EQ(set.out, "5\t40\n");
  const std::string file = machine.write("desk.toml", "[markets.BTC-USDX-PERP]\nleverage = 6\n").string();
  EXPECT_EQ(machine.bot("diff -f " + file).rows().at(0).string_at("current"), "5");
}

TEST(AgentCredential, IsRefusedForOperationsThatAgentsMayNotCall) {
  AgentSigning machine;
  const auto sent = machine.sent.size();
  for (const std::string line : {"agents list", "keys list", "deposits submit --amount 5"}) {
    const RunResult ran = machine.bot(line);
    EXPECT_EQ(ran.exit, 2) << line << ran.out;
    EXPECT_TRUE(has(ran.out, "takes no agent's signature"));
  }
  // The password of the owner is not asked for what no agent may sign.
  for (const std::string& line :
       {"transfers send 5 --to " + machine.agent, std::string("transfers enroll"), std::string("transfers list"),
        std::string("transfers get 1"), std::string("withdrawals submit 5"), std::string("agents register bot")}) {
    const RunResult ran = machine.run("-n local --json --auth agent " + line);
    EXPECT_EQ(ran.exit, 2) << line << ran.out;
    EXPECT_TRUE(has(ran.out, "takes no agent's signature"));
  }
  EXPECT_EQ(machine.sent.size(), sent);
  EXPECT_EQ(machine.run("-n local --auth agent account show").exit, 3);  // the key is locked and there is no terminal
}

TEST(AgentCredential, MustBeUnambiguousRegisteredAndUnexpired) {
  AgentSigning machine;
  EXPECT_EQ(machine.run("-n local --signer alice agents register second --register-new" + machine.with_password).exit,
            0);
  const RunResult either = machine.bot("account show");
  EXPECT_EQ(either.exit, 4);
  EXPECT_EQ(either.code(), "several_agents");
  EXPECT_EQ(machine.bot("--signer second account show").exit, 0);
  const RunResult listed = machine.run("-n local --signer alice --no-header --fields name,here agents list");
  EXPECT_EQ(listed.out, "second\tsecond\nbot\tbot\n") << listed.err;
  EXPECT_EQ(machine.run("-n local --signer alice agents revoke second --forget").exit, 3);
  EXPECT_EQ(machine.run("-n local --signer alice agents revoke second --forget --yes").exit, 0);
  EXPECT_EQ(machine.run("-n local keystore show second").exit, 5);
  ASSERT_EQ(machine.run("-n local --signer alice agents register third --register-new" + machine.with_password).exit,
            0);
  const RunResult third = machine.run("-n local --json keystore show third");
  const std::string address(third.document().string_at("data.address").value_or("?"));
  ASSERT_EQ(machine.run("-n local --signer alice api DELETE /agents/" + address).exit, 0) << address;
  EXPECT_EQ(machine.bot("account show").code(), "several_agents");
  EXPECT_EQ(machine.run("-n local --signer alice agents revoke third --forget --yes").exit, 5) << "it is gone already";
  EXPECT_EQ(machine.run("-n local keystore show third").exit, 5);
  EXPECT_EQ(machine.bot("account show").exit, 0);
  machine.clock.advance(8 * day_ms);
  EXPECT_EQ(machine.bot("account show").code(), "no_agent");
}

// What `doctor` and `whoami` say of an agent holds for the requests that it signs.
TEST(AgentCredential, DoctorAndWhoamiJudgeItsExpiryByTheServersClock) {
  AgentSigning machine;
  const auto agent_state = [&] {
    const Json doctor = machine.bot("doctor").document();
    for (const Json& row : doctor.items_at("data"))
      if (row.string_at("check") == "agent") return row.text_at("state");
    return std::string();
  };
  EXPECT_EQ(agent_state(), "ok");
  machine.server_ahead_ms = 7 * day_ms - minute_ms;
  EXPECT_EQ(agent_state(), "warn");
  machine.server_ahead_ms = 8 * day_ms;
  EXPECT_EQ(agent_state(), "fail");
  for (const std::string line : {"whoami", "account show"}) EXPECT_EQ(machine.bot(line).code(), "no_agent") << line;
  // Our clock is as far ahead of it as it was behind.
  machine.server_ahead_ms = -8 * day_ms;
  machine.clock.advance(8 * day_ms);
  EXPECT_EQ(agent_state(), "ok");
  EXPECT_EQ(machine.bot("whoami").document().string_at("data.agent"), machine.agent);
}

// The wallet of an agent may own money.
TEST(AgentCredential, TheKeyOfAWalletThatIsLoggedInIsNotForgotten) {
  AgentSigning machine;
  ASSERT_EQ(machine.run("-n local login --wallet bot" + machine.with_password).exit, 0);
  const RunResult refused = machine.run("-n local --json --signer alice agents revoke bot --forget --yes");
  EXPECT_EQ(refused.code(), "wallet_in_use");
  EXPECT_EQ(machine.run("-n local keystore show bot").exit, 0);
  EXPECT_EQ(machine.run("-n local --signer alice --fields name --no-header agents list").out, "bot\n");
}

TEST(AgentCredential, FollowsARenameAndEndsWithItsKey) {
  AgentSigning machine;
  ASSERT_EQ(machine.run("-n local keystore rename bot robot").exit, 0);
  EXPECT_EQ(machine.bot("account show").exit, 0);
  EXPECT_EQ(machine.bot("buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  ASSERT_EQ(machine.run("-n local keystore delete robot --yes").exit, 0);
  EXPECT_EQ(machine.bot("account show").code(), "no_agent");
}

TEST(AgentCredential, ANewKeyOfTheSameNameSignsItself) {
  AgentSigning machine;
  ASSERT_EQ(machine.run("-n local keystore unlock bot" + machine.with_password).exit, 0);
  ASSERT_EQ(machine.run("-n local --signer alice agents revoke bot --forget --yes").exit, 0);
  EXPECT_EQ(machine.run("-n local --json keystore unlocked").document().at("data")->items().size(), 0u);
  ASSERT_EQ(machine.run("-n local --signer alice agents register bot --register-new" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.bot("account show").exit, 0);
}

// As after it was revoked elsewhere.
TEST(AgentCredential, TheWayOutGoesOnWithAnApiKeyIfTheServiceRefusesTheAgent) {
  AgentSigning machine;
  ASSERT_EQ(machine.bot("buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  ASSERT_EQ(machine.run("-n local --signer alice api DELETE /agents/" + machine.agent).exit, 0);
  EXPECT_EQ(machine.bot("orders list").exit, 4);
  for (const std::string line : {"orders cancel-all", "--signer bot orders cancel-all"}) {
    ASSERT_EQ(machine.run("-n local --signer alice buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
    const RunResult cancelled = machine.bot(line);
    EXPECT_EQ(cancelled.exit, 0) << cancelled.out;
    EXPECT_TRUE(has(cancelled.out, "the service refused agent bot"));
    EXPECT_EQ(machine.run("-n local --json --signer alice orders list").document().at("data")->items().size(), 0u);
  }
}

// After a lost answer, the list of another account does not show the agent. That proves nothing.
TEST(AgentCredential, IsRevokedByItsOwnAccountAlone) {
  AgentSigning machine;
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local login --wallet bob" + machine.with_password).exit, 0);
  const RunResult refused = machine.run("-n local --json agents revoke bot");
  EXPECT_EQ(refused.exit, 4);
  EXPECT_EQ(refused.code(), "another_account");
  machine.intercept = after(machine, to("DELETE"), unanswered(api::Delivery::unknown));
  const RunResult lost = machine.run("-n local --json --signer bob agents revoke bot --forget --yes");
  machine.intercept = {};
  EXPECT_EQ(lost.exit, 4) << lost.out;
  EXPECT_EQ(lost.code(), "another_account");
  EXPECT_EQ(machine.run("-n local keystore show bot").exit, 0);
  EXPECT_EQ(machine.run("-n local --signer alice --fields name,here --no-header agents list").out, "bot\tbot\n");
  EXPECT_EQ(machine.run("-n local --json --auth agent --signer bot account show" + machine.with_password).exit, 0);
}

TEST(AgentCredential, StatusFailsBeforeItEndsAndNeedsNoSession) {
  AgentSigning machine;
  const std::string line = "status --exit-code --expires-within ";
  EXPECT_EQ(machine.bot(line + "1h").exit, 0);
  EXPECT_EQ(machine.run("-n local logout --all").exit, 0);
  EXPECT_EQ(machine.bot("--signer bot " + line + "1h").exit, 0) << machine.bot("--signer bot " + line + "1h").out;
  EXPECT_EQ(machine.bot("--signer bot " + line + "80d").exit, 4);
}

TEST(ActingAccount, IsSentWheneverTheUserNamesIt) {
  ClientMachine machine;
  const Address alice = machine.add_trader("alice");
  const RunResult ran =
      machine.run("-n local -a " + to_string(alice) + machine.with_password + " buy 0.1 BTC-USDX-PERP @ 59000");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(machine.sent.back().headers.find("x-acting-account").value_or(""), to_string(alice));
}

TEST(NoField, FlagsWithoutAFieldInTheApiAreRefusedWithThatReason) {
  ClientMachine machine;
  for (const std::string line :
       {"keys create --limit 5", "transfers send 5 --to 0x0000000000000000000000000000000000000001 --memo x",
        "bridge withdraw 5 --chain ethereum"}) {
    const RunResult ran = machine.run("-n local " + line);
    EXPECT_EQ(ran.exit, 2) << line;
    EXPECT_TRUE(has(ran.err, "the service has no field for it"));
  }
}

// As a setting it applies to every command whose operation accepts an agent.
TEST(AgentCredential, CanBeTheConfiguredDefault) {
  AgentSigning machine;
  ASSERT_EQ(machine.run("config set auth agent").exit, 0);
  const auto run = [&](const std::string& line) {
    return machine.run("-n local --json" + machine.with_password + " " + line);
  };
  EXPECT_EQ(run("buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  EXPECT_EQ(machine.header("x-agent"), machine.agent);
  EXPECT_EQ(run("keys list").exit, 0) << "takes no agent, and goes with the session";
  const RunResult who = run("whoami");
  EXPECT_EQ(who.document().string_at("data.auth"), "agent");
  EXPECT_EQ(who.document().string_at("data.agent"), machine.agent);
  EXPECT_EQ(who.document().string_at("data.acting_account"), to_string(machine.alice));
  EXPECT_TRUE(has(run("status").out, "\"agent\""));
  EXPECT_EQ(run("--auth hmac account show").exit, 0);
  EXPECT_EQ(machine.header("x-agent"), "");
  ASSERT_EQ(machine.run("config set auth --unset").exit, 0);
  ASSERT_EQ(machine.run("profile add day --auth agent").exit, 0);
  EXPECT_EQ(run("-P day account show").exit, 0);
  EXPECT_EQ(machine.header("x-agent"), machine.agent);
  machine.variables["SVC_AUTH"] = "agent";
  EXPECT_EQ(run("account show").exit, 0);
  EXPECT_EQ(machine.header("x-agent"), machine.agent);
  machine.variables.erase("SVC_AUTH");
  EXPECT_EQ(machine.run("-n local --auth agent --json whoami").document().string_at("data.auth"), "agent");
  for (const std::string flag : {"--allow-duplicate", "-q", "-v", "--no-input"})
    EXPECT_EQ(machine.run("profile add day " + flag).exit, 2) << "what a profile cannot hold is not dropped: " << flag;
}

TEST(Accounts, AnAccountLoggedInWithAnotherWalletIsReported) {
  ClientMachine machine;
  const Address bob = machine.add_trader("bob");
  machine.add_trader("alice");
  const RunResult ran = machine.run("-n local --signer alice -a " + to_string(bob) + " orders list");
  EXPECT_EQ(ran.exit, 4);
  EXPECT_TRUE(has(ran.err, "which is logged in as bob"));
  EXPECT_TRUE(has(ran.err, "add --signer bob"));
}

TEST(Accounts, WithoutAnAgentTheFailureTellsHowToCreateOne) {
  TraderMachine machine;
  const RunResult ran = machine.run("-n local --auth agent orders list");
  EXPECT_EQ(ran.exit, 4);
  EXPECT_LT(ran.err.find("agents new NAME"), ran.err.find("agents register NAME")) << ran.err;
}

}  // namespace SVC_FILE
}  // namespace svc::cli
