// Sandboxes as processes: one for a program, stopped with it; and stopping those that run.
#include <gtest/gtest.h>

#include "cli/desk.h"
#include "cli/json.h"
#include "cli/program.h"

namespace svc::cli {
namespace {

TEST(LocalRun, GivesAProgramASandboxAndPassesItsExitCodeOn) {
  const FreshHome folder;
  Program asked({"local", "run", "--accounts", "1", "--", "sh", "-c", "echo $SVC_NETWORK $SVC_LOCAL_URL; exit 42"},
                folder.path());
  const std::string said = asked.rest();
  EXPECT_TRUE(said.starts_with("local http://127.0.0.1:")) << said;
  EXPECT_EQ(asked.wait(), 42);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "svc/local")) << "the sandbox is gone";
  Program wrong({"local", "run", "--seed", "x", "--", "true"}, folder.path());
  EXPECT_EQ(wrong.wait(), 2);
}

TEST(LocalStop, EndsASandboxByName) {
  const FreshHome folder;
  Program sandbox({"serve", "--local", "--port", "0", "--flow", "none", "--log", "none", "--name", "mine"},
                  folder.path());
  ASSERT_FALSE(sandbox.line().empty());
  Program other({"local", "stop", "--name", "other"}, folder.path());
  EXPECT_EQ(other.wait(), 5);
  Program stop({"local", "stop", "--json"}, folder.path());
  const auto answer = parse_json(stop.rest());
  EXPECT_EQ(stop.wait(), 0);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->find("data")->items().at(0).string_at("name"), "mine");
  EXPECT_EQ(sandbox.wait(), 0);
}

TEST(LocalRequests, AreChosenByRouteAndRefusal) {
  Desk desk;
  desk.seat("alice");
  desk.run("-n local buy 1 BTC-USDX-PERP @ 60000.3");
  desk.run("-n local buy 1 BTC-USDX-PERP @ 60000");
  const auto paths = [&](const std::string& flags) {
    return desk.run("local requests --no-header --fields method,path,code " + flags).out;
  };
  EXPECT_EQ(paths("--failed --route /orders"), "POST\t/orders\tInvalidTickSize\n");
  EXPECT_EQ(paths("--route place_*"), "POST\t/orders\tInvalidTickSize\nPOST\t/orders\t-\n");
  EXPECT_EQ(desk.run("local requests --route /auth* --curl").out, "curl -X POST 'http://localhost:9090/auth/login'\n");
}

TEST(LocalAccounts, AreMadeWithMoneyAndAKey) {
  Desk desk;
  const Ran made = desk.run("--json local accounts new --count 2 --balance 250");
  ASSERT_EQ(made.exit, 0) << made.out;
  const Json document = made.document();
  ASSERT_EQ(document.find("data")->items().size(), 2u);
  const Json& first = document.find("data")->items()[0];
  EXPECT_EQ(first.string_at("balance"), "250");
  const std::string address(first.string_at("address").value_or(""));
  desk.write("key", std::string(first.string_at("private_key").value_or("")) + "\n");
  const Ran imported = desk.run("-n local --json keystore import new --from " + (desk.home() / "key").string() +
                                " --password-file " + (desk.home() / "password").string());
  EXPECT_EQ(imported.document().string_at("data.address"), address) << imported.out;
  EXPECT_EQ(desk.run("--json local accounts fund " + address + " 50").document().string_at("data.balance"), "300");
}

TEST(LocalImages, AreReadWithoutASandbox) {
  Desk desk;
  desk.seat("alice");
  const std::string before = (desk.home() / "before.json").string();
  const std::string after = (desk.home() / "after.json").string();
  ASSERT_EQ(desk.run("local dump " + before).exit, 0);
  desk.run("-n local buy 0.5 BTC-USDX-PERP @ 59000");
  ASSERT_EQ(desk.run("local dump " + after).exit, 0);
  desk.sent.clear();
  EXPECT_NE(desk.run("local inspect " + after).out.find("price levels\t1\n"), std::string::npos);
  const std::string said = desk.run("local diff " + before + " " + after).out;
  EXPECT_NE(said.find("book.BTC-USDX-PERP.bids[0][0]\t-\t59000\n"), std::string::npos) << said;
  EXPECT_EQ(desk.run("--json local diff " + after + " " + after).document().find("data")->dump(), "[]");
  EXPECT_TRUE(desk.sent.empty());
  EXPECT_EQ(desk.run("local inspect " + desk.write("other", "{}").string()).exit, 2);
}

TEST(LocalScenario, IsRewrittenWithWhatCame) {
  Desk desk;
  const auto file = desk.write("a.scenario",
                               "market X tick 1 lot 1 tiers 0:0.1:0.05 max_leverage 10 maker_ppm 0 taker_ppm 0\n"
                               "deposit bob 1000\nmark X 10\n= A one\nbob sells 3 @ 10\nbook\n  11 | 3 bob\n  ---\n");
  const std::string run = "local scenario run " + file.string();
  EXPECT_EQ(desk.run(run).exit, 1);
  EXPECT_EQ(desk.run(run + " --update").exit, 0);
  EXPECT_NE(desk.read("a.scenario").find("  10 | 3 bob\n"), std::string::npos) << desk.read("a.scenario");
  EXPECT_EQ(desk.run(run).exit, 0);
}

TEST(LocalTime, GoesToTheNextFunding) {
  Desk desk;
  const Ran moved = desk.run("--json local time advance --to next-funding");
  EXPECT_EQ(moved.document().integer_at("data.now_ms"), desk_start_ms + hour_ms) << moved.out;
}

}  // namespace
}  // namespace svc::cli
