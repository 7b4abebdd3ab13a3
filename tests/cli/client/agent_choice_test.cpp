// Which account acts and which agent key signs: the whole table.
#include "cli/client/credentials.h"

#include <gtest/gtest.h>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

constexpr TimestampMs now_ms = 1'000;

Address address_of(std::uint8_t last) {
  Address address{};
  address.bytes.back() = last;
  return address;
}

const Address alice = address_of(1);
const Address bob = address_of(2);
const Address stray = address_of(3);

AgentRecord agent_of(const Address& account, const std::string& wallet, TimestampMs expires_at_ms = 2 * now_ms) {
  return {.address = address_of(static_cast<std::uint8_t>(wallet.size() + 10)),
          .wallet = wallet,
          .account = account,
          .expires_at_ms = expires_at_ms};
}

struct AgentRow {
  std::string name;
  AgentQuestion question;
  std::string signs;               // names of agents; empty: none
  std::optional<Address> account;  // the acting account
  std::string code;                // of the refusal
  bool own_key = false;
};

AgentQuestion asked(std::vector<AgentRecord> agents, std::optional<Address> selected = std::nullopt) {
  AgentQuestion question{.network = "local"};
  question.agents = std::move(agents);
  question.selected = selected;
  question.logged_out = true;
  question.now_ms = now_ms;
  return question;
}

AgentQuestion typed(AgentQuestion question) {
  question.is_typed = true;
  return question;
}

AgentQuestion named(AgentQuestion question, const std::string& wallet, std::optional<Address> address, bool owns) {
  question.signer = AgentQuestion::Named{.wallet = wallet, .address = address, .owns = owns};
  return question;
}

AgentQuestion for_account(AgentQuestion question, const Address& account) {
  question.account = account;
  return question;
}

AgentQuestion never_logged_in(AgentQuestion question) {
  question.logged_out = false;
  return question;
}

AgentQuestion kept(AgentQuestion question, const std::string& agent) {
  question.kept = agent;
  return question;
}

TEST(AgentChoice, NeverActsForAnAccountThatWasNeitherNamedNorSelected) {
  const std::vector<AgentRecord> one{agent_of(alice, "bot")};
  const std::vector<AgentRecord> two{agent_of(alice, "bot"), agent_of(alice, "bot2")};
  const std::vector<AgentRecord> of_both{agent_of(alice, "bot"), agent_of(bob, "bobs")};
  const std::vector<AgentRecord> over{agent_of(alice, "bot", now_ms)};
  const std::vector<AgentRow> rows{
      {"selected", asked(one, alice), "bot", alice, ""},
      {"selected, typed", typed(asked(one, alice)), "bot", alice, ""},
      {"another is selected", asked(one, bob), "", bob, "no_agent", true},
      {"another is selected, typed", typed(asked(one, bob)), "", bob, "no_agent"},
      {"of both, one selected", asked(of_both, bob), "bobs", bob, ""},
      {"several of who is selected", asked(two, alice), "bot bot2", alice, "several_agents"},
      {"expired", asked(over, alice), "", alice, "no_agent", true},
      {"expired, typed", typed(asked(over, alice)), "", alice, "no_agent"},
      {"nobody since a logout", asked(one), "", {}, "no_agent", true},
      {"nobody since a logout, typed", typed(asked(one)), "bot", alice, ""},
      {"nobody since a logout, typed, of both", typed(asked(of_both)), "", {}, "several_agents"},
      {"nobody was ever logged in", never_logged_in(asked(one)), "bot", alice, ""},
      {"nobody was ever logged in, of both", never_logged_in(asked(of_both)), "", {}, "several_agents"},
      {"nobody was ever logged in, none", never_logged_in(asked({})), "", {}, "no_agent", true},
      {"the agent is named", named(asked(one, bob), "bot", stray, false), "bot", alice, ""},
      {"the agent is named, for its account", for_account(named(asked(one), "bot", stray, false), alice), "bot", alice,
       ""},
      {"the agent is named, for another", for_account(named(asked(one), "bot", stray, false), bob), "", bob,
       "no_agent"},
      {"its owner is named", named(asked(one, bob), "alice", alice, true), "bot", alice, ""},
      {"its owner is named, typed", typed(named(asked(one, bob), "alice", alice, true)), "bot", alice, ""},
      {"an owner without agents is named", named(asked(one, alice), "bob", bob, true), "", bob, "no_agent", true},
      {"the same, typed", typed(named(asked(one, alice), "bob", bob, true)), "", bob, "no_agent"},
      {"an owner with several is named", named(asked(two, bob), "alice", alice, true), "bot bot2", alice,
       "several_agents"},
      {"an owner is named for another",
       for_account(named(asked(one), "bob", bob, true), alice),
       "",
       {},
       "no_agent",
       true},
      {"a key that was registered elsewhere", named(asked({}, bob), "stray", stray, false), "stray", {}, ""},
      {"the same, for an account", for_account(named(asked({}, bob), "stray", stray, false), alice), "stray", alice,
       ""},
      {"no such wallet", named(asked(one, alice), "zork", {}, false), "", {}, "wallet_not_found"},
      {"an account is named", for_account(asked(of_both, alice), bob), "bobs", bob, ""},
      {"an account without agents is named", for_account(asked(one, alice), bob), "", bob, "no_agent", true},
      {"the same, typed", typed(for_account(asked(one, alice), bob)), "", bob, "no_agent"},
      {"a shell keeps to its agent", kept(asked(of_both, bob), "bot"), "bot", alice, ""},
      {"the shell's agent is gone", kept(asked(over, alice), "bot"), "", alice, "no_agent"},
  };
  for (const AgentRow& row : rows) {
    SCOPED_TRACE(row.name);
    const AgentChoice choice = choose_agent(row.question);
    std::string signs;
    for (const AgentRecord& agent : choice.agents) signs += (signs.empty() ? "" : " ") + agent.wallet;
    EXPECT_EQ(signs, row.signs);
    EXPECT_EQ(choice.account, row.account);
    EXPECT_EQ(choice.refused ? choice.refused->code : "", row.code);
    EXPECT_EQ(choice.own_key, row.own_key);
  }
}

// Our clock may be wrong.
TEST(AgentChoice, NamesExpiredAgentsOfTheAccountForTheWayOut) {
  const std::vector<AgentRecord> over{agent_of(alice, "bot", now_ms)};
  const std::vector<AgentRecord> some{agent_of(alice, "live"), agent_of(alice, "bot", now_ms),
                                      agent_of(bob, "bobs", now_ms)};
  for (const AgentQuestion& question :
       {asked(over, alice), asked(some, alice), typed(asked(over)), kept(asked(over, alice), "bot")}) {
    const AgentChoice choice = choose_agent(question);
    ASSERT_EQ(choice.expired.size(), 1u);
    EXPECT_EQ(choice.expired.front().wallet, "bot");
  }
  EXPECT_TRUE(choose_agent(asked(over, bob)).expired.empty()) << "another account's";
  EXPECT_TRUE(choose_agent(asked(over)).expired.empty()) << "nobody since a logout";
}

// Alice has an agent and bob has none. Both are logged in, each with an API key.
struct Agents : ClientMachine {
  Agents() {
    bob = add_trader("bob");
    alice = add_trader("alice");
    add("bot");
    EXPECT_EQ(run("config set auth agent").exit, 0);
  }
  void add(const std::string& name) {
    EXPECT_EQ(run("-n local agents new " + name + with_password).exit, 0);
    EXPECT_EQ(run("-n local --signer alice agents register " + name + " --expires 7d" + with_password).exit, 0);
  }
  // The number of open orders of that account.
  std::size_t orders_of(const std::string& wallet) {
    return run("-n local --json --auth hmac --signer " + wallet + " orders list").rows().size();
  }
  void rest_one_each() {
    for (const std::string wallet : {"alice", "bob"}) {
      EXPECT_EQ(
          run("-n local --auth hmac --signer " + wallet + " buy 0.1 BTC-USDX-PERP @ 30000 --allow-duplicate").exit, 0);
    }
  }
  Address alice, bob;
};

TEST(DefaultAgent, TheWayOutUsesTheNamedOrSelectedAccount) {
  const std::pair<std::string, std::string> rows[] = {{"--signer alice orders cancel-all", "alice"},
                                                      {"--signer bob orders cancel-all", "bob"},
                                                      {"-a alice orders cancel-all", "alice"},
                                                      {"-a bob orders cancel-all", "bob"},
                                                      {"orders cancel-all", "alice"},
                                                      {"flatten --yes", "alice"},
                                                      {"--signer bob flatten --yes", "bob"}};
  Agents machine;
  for (const bool unlocks : {false, true}) {
    for (const auto& [line, whose] : rows) {
      machine.rest_one_each();
      const RunResult ran = machine.run("-n local --json " + line + (unlocks ? machine.with_password : ""));
      EXPECT_EQ(ran.exit, 0) << line << ran.out << ran.err;
      EXPECT_EQ(machine.orders_of("alice"), whose == "alice" ? 0u : 1u) << line;
      EXPECT_EQ(machine.orders_of("bob"), whose == "bob" ? 0u : 1u) << line;
      for (const std::string wallet : {"alice", "bob"})
        EXPECT_EQ(machine.run("-n local --auth hmac --signer " + wallet + " orders cancel-all").exit, 0);
    }
  }
  machine.add("bot2");
  machine.rest_one_each();
  const RunResult several = machine.run("-n local --json orders cancel-all");
  EXPECT_EQ(several.exit, 0) << several.out;
  EXPECT_EQ(machine.orders_of("alice"), 0u);
  EXPECT_EQ(machine.orders_of("bob"), 1u);
  EXPECT_EQ(machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 30000" + machine.with_password).exit, 4)
      << "an order needs one";
}

TEST(DefaultAgent, OrdersUseTheSelectedAccountAndNoneAfterALogout) {
  Agents machine;
  ASSERT_EQ(machine.run("-n local login --wallet bob" + machine.with_password).exit, 0);
  const RunResult who = machine.run("-n local --json whoami");
  EXPECT_EQ(who.document().string_at("data.acting_account"), to_string(machine.bob)) << who.out;
  EXPECT_EQ(who.document().string_at("data.auth"), "hmac");
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.orders_of("bob"), 1u);
  EXPECT_EQ(machine.orders_of("alice"), 0u);
  EXPECT_EQ(machine.run("-n local --signer bob orders list").exit, 0);
  EXPECT_EQ(machine.run("-n local --auth agent --signer bob whoami").exit, 4) << "he has no agent";
  ASSERT_EQ(machine.run("-n local logout").exit, 0);
  const RunResult nobody = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 30001" + machine.with_password);
  EXPECT_EQ(nobody.exit, 4) << nobody.out;
  EXPECT_EQ(nobody.code(), "nobody_selected") << nobody.out;
  EXPECT_EQ(machine.orders_of("alice"), 0u);
  ASSERT_EQ(machine.run("-n local logout --all").exit, 0);
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30002" + machine.with_password).exit, 4)
      << "nor where all have left";
}

TEST(DefaultAgent, ANamedOwnerSignsWithTheOwnersAgent) {
  Agents machine;
  ASSERT_EQ(machine.run("profile add ag --signer alice --auth agent").exit, 0);
  const RunResult who = machine.run("-n local --json -P ag whoami");
  EXPECT_NE(who.document().string_at("data.agent"), to_string(machine.alice)) << who.out;
  EXPECT_EQ(who.document().string_at("data.acting_account"), to_string(machine.alice));
  EXPECT_EQ(machine.run("-n local -P ag buy 0.1 BTC-USDX-PERP @ 30000" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.orders_of("alice"), 1u);
}

TEST(DefaultAgent, WhoamiRefusesTheSchemesNoneOwnerAndAdmin) {
  Agents machine;
  for (const std::string word : {"none", "owner", "admin"})
    EXPECT_EQ(machine.run("-n local --auth " + word + " whoami").exit, 2) << word;
}

}  // namespace SVC_FILE
}  // namespace svc::cli
