// The operator's commands: one tier, or all tiers from a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

const std::string one = "0x00000000000000000000000000000000000000a1";
const std::string two = "0x00000000000000000000000000000000000000b2";
const std::string three = "0x00000000000000000000000000000000000000c3";

sim::SandboxOptions with_operator() {
  sim::SandboxOptions options;
  options.admin_secret = Secret(std::string("operator-secret"));
  return options;
}

struct OperatorCommands : ClientMachine {
  OperatorCommands() : ClientMachine(with_operator()) { write("admin", "operator-secret\n"); }
  RunResult tiers(const std::string& line) {
    return run("-n local --json admin tiers " + line + " --admin-secret-file " + (home() / "admin").string());
  }
  std::string listed() { return tiers("list").document().find("data")->dump(); }
  std::string file(const std::string& text) { return write("tiers.csv", text).string(); }
};

TEST(Tiers, AreSetWithAReasonThatIsAudited) {
  OperatorCommands machine;
  machine.variables["USER"] = "olga";
  EXPECT_EQ(machine.tiers("set " + one + " marketmaker --reason 'desk 7' --expect pro").exit, 0);
  EXPECT_EQ(machine.tiers("set " + one + " Pro --expect Pro").exit, 14);
  EXPECT_EQ(machine.tiers("reset " + one + " --expect pro").exit, 14);
  EXPECT_EQ(machine.tiers("list --tier MarketMaker").rows().size(), 1u);
  EXPECT_EQ(machine.tiers("list --tier Unlimited").rows().size(), 0u);
  EXPECT_EQ(machine.tiers("reset " + one).exit, 0);
  EXPECT_EQ(machine.tiers("set " + one + " Pro").exit, 0);  // no change
  const std::string audit = machine.read(".local/state/svc/audit/local.ndjson");
  EXPECT_EQ(std::count(audit.begin(), audit.end(), '\n'), 6) << audit;
  const auto first = parse_json(audit.substr(0, audit.find('\n')));
  ASSERT_TRUE(first.has_value()) << audit;
  EXPECT_EQ(first->string_at("by"), std::string_view(user_name())) << "whatever USER says";
  EXPECT_EQ(first->string_at("reason"), "desk 7");
  EXPECT_EQ(first->string_at("old"), "Pro");
  EXPECT_EQ(first->string_at("new"), "MarketMaker");
  EXPECT_EQ(first->string_at("result"), "sending");
  std::string_view rest = audit;
  static_cast<void>(take_line(rest));
  const auto second = parse_json(take_line(rest));
  ASSERT_TRUE(second.has_value()) << audit;
  EXPECT_EQ(second->string_at("result"), "done");
  EXPECT_EQ(second->string_at("id"), first->string_at("id"));
  EXPECT_FALSE(has(audit, "operator-secret"));
}

TEST(Tiers, AreNotChangedWithoutARecord) {
  OperatorCommands machine;
  ASSERT_EQ(machine.tiers("set " + one + " Pro").exit, 0);
  const auto file = machine.state() / "audit/local.ndjson";
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  EXPECT_EQ(machine.tiers("set " + one + " MarketMaker").exit, 1);
  EXPECT_EQ(machine.listed(), "[]");
}

TEST(Tiers, TheOperatorSettlesAChangeWhoseAnswerWasLost) {
  OperatorCommands machine;
  const auto lose_answer = [&] {
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (request.method != "PUT") return std::nullopt;
      machine.deliver(request);
      machine.intercept = {};
      return unanswered(api::Delivery::unknown);
    };
  };
  lose_answer();
  EXPECT_EQ(machine.tiers("set " + one + " MarketMaker --no-reconcile").exit, 11);
  EXPECT_EQ(machine.run("-n local outbox resolve").exit, 11);
  EXPECT_EQ(machine.run("-n local outbox resolve --admin-secret-file " + (machine.home() / "admin").string()).exit, 0);
  EXPECT_EQ(machine.open_entries(), 0u);
  lose_answer();
  EXPECT_EQ(machine.tiers("reset " + one).exit, 0);
  EXPECT_EQ(machine.tiers("set " + one + " Unlimited --no-reconcile").exit, 11);
  EXPECT_EQ(machine.tiers("set " + one + " Pro").exit, 0);
  EXPECT_EQ(machine.open_entries(), 0u) << "the next change has the secret";
}

TEST(Tiers, OfAMistypedAddressOrATwofoldColumnAreRefused) {
  OperatorCommands machine;
  const std::string mistyped = "0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266";
  EXPECT_EQ(machine.tiers("set " + mistyped + " Pro").exit, 2);
  EXPECT_EQ(machine.tiers("diff -f " + machine.file("address,tier\n" + mistyped + ",Pro\n")).exit, 2);
  EXPECT_EQ(machine.tiers("diff -f " + machine.file("address,tier,tier\n" + one + ",MarketMaker,Pro\n")).exit, 2);
}

TEST(Tiers, AWatchedListReadsTheSecretOnce) {
  OperatorCommands machine;
  machine.input = "operator-secret\n";
  int requests = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.target.find("tier") != std::string::npos && ++requests == 2) ::raise(SIGTERM);
    return std::nullopt;
  };
  const RunResult ran = machine.run("-n local admin tiers list --admin-secret-file - --watch=0.5");
  EXPECT_EQ(ran.exit, 143) << ran.err;
  EXPECT_EQ(requests, 2) << ran.err;
}

// The list has no row for an account of the usual tier.
TEST(Tiers, AChangeToTheUsualOneIsFoundAfterALostAnswer) {
  OperatorCommands machine;
  ASSERT_EQ(machine.tiers("set " + one + " marketmaker").exit, 0);
  ASSERT_EQ(machine.run("-n local local fault add --operation set_tier --drop-after-send --count 1").exit, 0);
  const RunResult ran = machine.tiers("set " + one + " pro");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST(Tiers, ASecretThatFitsNoHeaderIsRefusedLocally) {
  OperatorCommands machine;
  machine.write("admin", "operator secret\n");
  machine.sent.clear();
  EXPECT_EQ(machine.tiers("list").exit, 2);
  EXPECT_TRUE(machine.sent.empty());
  EXPECT_EQ(machine.run("serve --local --admin-secret-file " + (machine.home() / "admin").string()).exit, 2);
}

TEST(Tiers, AreChangedByAnApprovedPlan) {
  OperatorCommands machine;
  machine.tiers("set " + three + " MarketMaker");
  const std::string csv = machine.file("address,tier,note\n" + one + ",MarketMaker,x\n" + two + ",pro,\n");
  const std::string plan = (machine.home() / "plan.json").string();
  const RunResult diff = machine.tiers("diff -f " + csv + " --prune --plan " + plan);
  EXPECT_EQ(diff.document().find("data")->dump(),
            R"([{"address":")" + one + R"(","action":"set","old":"Pro","new":"MarketMaker"},{"address":")" + three +
                R"(","action":"reset","old":"MarketMaker","new":"Pro"}])");
  EXPECT_EQ(machine.tiers("apply -f " + csv + " --prune --plan " + plan).exit, 3);      // nobody confirmed
  EXPECT_EQ(machine.tiers("apply -f " + csv + " --plan " + plan + " --yes").exit, 14);  // another plan
  for (const std::string command : {"apply --yes", "diff"}) {
    const RunResult many = machine.tiers(command + " -f " + csv + " --prune --max-changes 1 --json");
    EXPECT_EQ(many.exit, 14);
    EXPECT_EQ(many.rows().size(), 2u) << "the plan is shown: " << many.out;
  }
  EXPECT_EQ(machine.listed(), R"([{"address":")" + three + R"(","tier":"MarketMaker"}])");
  const RunResult applied = machine.tiers("apply -f " + csv + " --prune --yes --reason q3 --plan " + plan);
  EXPECT_EQ(applied.exit, 0) << applied.out;
  EXPECT_EQ(applied.rows()[1].string_at("result"), "done");
  EXPECT_TRUE(has(applied.err, "plan: set " + one + " Pro -> MarketMaker"));
  EXPECT_EQ(machine.listed(), R"([{"address":")" + one + R"(","tier":"MarketMaker"}])");
  EXPECT_EQ(machine.tiers("diff -f " + csv + " --prune").document().find("data")->dump(), "[]");
  machine.in_is_terminal = true;
  machine.answers = {"n", "y"};
  const std::string back = machine.file("address,tier\n" + one + ",Pro\n");
  EXPECT_EQ(machine.tiers("apply -f " + back).exit, 3);
  EXPECT_EQ(machine.tiers("apply -f " + back).exit, 0);
  EXPECT_EQ(machine.listed(), "[]");
}

TEST(Tiers, AppliedPartlyEndWithExitFifteenAndTheRemainingChanges) {
  OperatorCommands machine;
  const std::string csv =
      machine.file("address,tier\n" + one + ",MarketMaker\n" + two + ",MarketMaker\n" + three + ",MarketMaker\n");
  int writes = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    // Until the connection is given up: requests that were never sent are retried.
    if (request.method != "PUT" || ++writes < 2 || writes > 4) return std::nullopt;
    return unanswered(api::Delivery::not_sent, "refused");
  };
  const RunResult ran = machine.tiers("apply -f " + csv + " --yes");
  EXPECT_EQ(ran.exit, 15) << ran.out;
  const Json data = *ran.document().find("data");
  EXPECT_EQ(data.items()[0].string_at("result"), "done");
  EXPECT_EQ(data.items()[2].string_at("result"), "not_sent");
  EXPECT_EQ(ran.document().integer_at("error.details.left"), 2);
  EXPECT_EQ(machine.tiers("apply -f " + csv + " --yes").rows().size(), 2u);
}

TEST(Tiers, AnInvalidFileChangesNothing) {
  OperatorCommands machine;
  struct Row {
    std::string csv;
    int exit;
    std::string says;
  };
  const Row rows[] = {
      {"", 2, "the file is empty"},
      {"address\n" + one + "\n", 2, "line 1: the header needs a column tier"},
      {"address,tier,level\n", 2, "unknown column \"level\""},
      {"address,tier\n0x12,Pro\n", 2, "line 2: \"0x12\" is not an address"},
      {"address,tier\n" + one + ",Gold\n", 2, "line 2: tier must be one of"},
      {"address,tier\n" + one + ",Pro\n" + one + ",Pro\n", 2, "line 3: " + one + " stands twice"},
      {"address,tier\n" + one + "\n", 2, "line 2: expected 2 cells, found 1"},
      {"address,tier,expect\n" + two + ",MarketMaker,\n" + one + ",Unlimited,MarketMaker\n", 14,
       "has tier Pro, not MarketMaker"},
  };
  for (const Row& row : rows) {
    const RunResult ran = machine.tiers("apply --yes -f " + machine.file(row.csv));
    EXPECT_EQ(ran.exit, row.exit) << row.csv << ran.out;
    EXPECT_TRUE(has(ran.document().string_at("error.message").value_or(""), row.says)) << ran.out;
  }
  EXPECT_EQ(machine.listed(), "[]");
}

// Of which some lines were done when it failed.
TEST(Tiers, AFileWithExpectedTiersCanBeAppliedAgain) {
  OperatorCommands machine;
  const std::string csv =
      machine.file("address,tier,expect\n" + one + ",MarketMaker,Pro\n" + two + ",MarketMaker,Pro\n");
  machine.tiers("set " + one + " MarketMaker");
  EXPECT_EQ(machine.tiers("apply --yes -f " + csv).exit, 0);
  const std::string done = machine.listed();
  EXPECT_TRUE(has(done, two));
  EXPECT_EQ(machine.tiers("apply --yes -f " + csv).exit, 0);
  EXPECT_EQ(machine.listed(), done);
}

TEST(Tiers, AnEmptyFilePrunesOnlyWithAnExplicitFlag) {
  OperatorCommands machine;
  machine.tiers("set " + three + " MarketMaker");
  const std::string before = machine.listed();
  const std::string empty = machine.file("address,tier\n");
  const RunResult refused = machine.tiers("apply --yes --prune -f " + empty);
  EXPECT_EQ(refused.exit, 2) << refused.out;
  EXPECT_TRUE(has(refused.out, "the file names no account"));
  EXPECT_EQ(machine.tiers("diff --prune -f " + empty).exit, 2);
  EXPECT_EQ(machine.tiers("apply --yes --prune --max-changes 0 -f " + empty).exit, 14);
  EXPECT_EQ(machine.listed(), before);
  EXPECT_EQ(machine.tiers("apply --yes --prune --max-changes 1 -f " + empty).exit, 0);
  EXPECT_EQ(machine.listed(), "[]");
}

TEST(Tiers, AFileSavedByASpreadsheetIsRead) {
  OperatorCommands machine;
  const std::string csv = machine.file("\xEF\xBB\xBF" + std::string("address,tier\r\n") + one + ",MarketMaker\r\n");
  EXPECT_EQ(machine.tiers("apply --yes -f " + csv).exit, 0);
  EXPECT_EQ(machine.listed(), R"([{"address":")" + one + R"(","tier":"MarketMaker"}])");
}

}  // namespace SVC_FILE
}  // namespace svc::cli
