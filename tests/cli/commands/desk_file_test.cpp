// An account's set-up as a file: comparing and applying it.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/client_machine.h"
#include "cli/commands/desk.h"
#include "cli/machine/private_file.h"

namespace svc::cli {
namespace SVC_FILE {

struct DeskFileMachine : ClientMachine {
  DeskFileMachine() {
    add_trader("alice");
    run("-n local agents new bot1" + with_password);
  }
  RunResult with(const std::string& command, const std::string& toml) {
    return run("-n local --json " + command + " -f " + write("desk.toml", toml).string() + with_password);
  }
};

constexpr const char* whole =
    "# the desk\n[account]\ncancel_on_disconnect = true\n\n[markets.BTC-USDX-PERP]\nmargin_mode = \"isolated\"\n"
    "leverage = 5\n\n[markets.ETH-USDX-PERP]\nmargin_mode = \"cross\"\n\n[agents.bot1]\nexpires = \"7d\"\n";

TEST(DeskFile, IsComparedAndApplied) {
  DeskFileMachine machine;
  const RunResult diff = machine.with("diff", whole);
  ASSERT_EQ(diff.exit, 0) << diff.out;
  const std::string account = "[account]\ncancel_on_disconnect = true\n";
  EXPECT_EQ(machine.with("diff --exit-code", account).exit, 6);
  EXPECT_EQ(diff.document().find("data")->dump(),
            R"([{"item":"cancel_on_disconnect","action":"set","current":"false","wanted":"true"},)"
            R"({"item":"BTC-USDX-PERP margin_mode","action":"set","current":"cross","wanted":"isolated"},)"
            R"({"item":"BTC-USDX-PERP leverage","action":"set","current":"40","wanted":"5"},)"
            R"({"item":"agent bot1","action":"register","current":"absent","wanted":"registered"}])");
  EXPECT_EQ(machine.with("apply", whole).exit, 3);  // nobody confirmed
  const RunResult applied = machine.with("apply --yes", whole);
  EXPECT_EQ(applied.exit, 0) << applied.out;
  EXPECT_TRUE(has(applied.err, "plan: register agent bot1: absent -> registered"));
  EXPECT_EQ(machine.run("-n local --no-header --fields mode margin mode get BTC-USDX-PERP").out, "isolated\n");
  EXPECT_EQ(machine.run("-n local --no-header --fields enabled account cancel-on-disconnect get").out, "true\n");
  EXPECT_EQ(machine.run("-n local --no-header --fields here agents list").out, "bot1\n");
  EXPECT_EQ(machine.with("diff --exit-code", account).exit, 0);
  // Leverage is compared without a position too, and a setting that is already right is not sent.
  EXPECT_EQ(machine.with("diff --exit-code", whole).exit, 0);
  machine.sent.clear();
  const RunResult again = machine.with("apply --yes", whole);
  EXPECT_EQ(again.rows().size(), 0u) << again.out;
  for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET") << request.target;
  const RunResult pruned = machine.with("apply --yes --prune", "[account]\ncancel_on_disconnect = true\n");
  EXPECT_EQ(pruned.rows()[0].string_at("action"), "revoke") << pruned.out;
  EXPECT_EQ(machine.run("-n local --no-header agents list").out, "");
  const RunResult none = machine.run("-n local --json --auth agent account show");
  EXPECT_EQ(none.code(), "no_agent") << "it is forgotten here as well";
}

TEST(DeskFile, ARevokedAgentWhoseFileStaysIsRevoked) {
  DeskFileMachine machine;
  ASSERT_EQ(machine.with("apply --yes", "[agents.bot1]\nexpires = \"7d\"\n").exit, 0);
  const auto folder = machine.data() / "keys/local/agents";
  const auto file = folder / list_private(folder).front();
  std::filesystem::remove(file);
  std::filesystem::create_directories(file / "in the way");
  const RunResult pruned = machine.with("apply --yes --prune", "[account]\ncancel_on_disconnect = false\n");
  EXPECT_EQ(pruned.exit, 0) << pruned.out;
  EXPECT_EQ(pruned.document().at("data")->items().at(0).string_at("result"), "done") << pruned.out;
  EXPECT_TRUE(has(pruned.err, "note: cannot remove " + file.string()));
  EXPECT_EQ(machine.run("-n local --no-header agents list").out, "");
}

TEST(DeskFile, ReadsTheMarginModeIfTheServiceListsNoSettings) {
  DeskFileMachine machine;
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    if (request.target.find("/account/state") == std::string::npos) return std::nullopt;
    return answered(502, R"({"error":"authoritative_margin_unavailable"})");
  };
  const RunResult diff = machine.with("diff", "[markets.BTC-USDX-PERP]\nmargin_mode = \"isolated\"\nleverage = 40\n");
  ASSERT_EQ(diff.exit, 0) << diff.out;
  ASSERT_EQ(diff.rows().size(), 1u) << diff.out;
  EXPECT_EQ(diff.rows()[0].string_at("current"), "cross");
}

TEST(DeskFile, APartialApplyEndsWithExitFifteen) {
  DeskFileMachine machine;
  const RunResult ran =
      machine.with("apply --yes", "[markets.BTC-USDX-PERP]\nleverage = 1000\n[markets.ETH-USDX-PERP]\nleverage = 3\n");
  EXPECT_EQ(ran.exit, 15) << ran.out;
  EXPECT_EQ(ran.rows()[1].string_at("result"), "done");
  EXPECT_EQ(ran.document().integer_at("error.details.left"), 1);
}

TEST(DeskFile, AnInvalidFileFailsWithItsLineBeforeAnythingIsSent) {
  DeskFileMachine machine;
  const auto sent = machine.sent.size();
  struct Row {
    std::string toml;
    std::string says;
  };
  const Row rows[] = {
      {"", "the file says nothing"},
      {"[account]\nleverage = 5\n", "line 2: unknown key leverage"},
      {"[account]\ncancel_on_disconnect = \"yes\"\n", "line 2: cancel_on_disconnect must be true or false"},
      {"[markets.btc]\nleverage = 5\n", "line 2: \"btc\" is not a market id, such as BTC-USDX-PERP"},
      {"[markets.BTC-USDX-PERP]\nleverage = 0\n", "line 2: leverage must be a whole number"},
      {"[markets.BTC-USDX-PERP]\nmargin_mode = \"both\"\n", "line 2: margin_mode must be"},
      {"[agents.bot1]\nexpires = \"91d\"\n", "line 2: expires must be from 1d to 90d"},
      {"[desk]\nx = 1\n", "line 2: unknown section [desk]"},
  };
  for (const Row& row : rows) {
    const RunResult ran = machine.with("apply --yes", row.toml);
    EXPECT_EQ(ran.exit, 2) << row.toml << ran.out;
    EXPECT_TRUE(has(ran.out, row.says.substr(0, row.says.find('"')))) << row.says << ran.out;
  }
  EXPECT_EQ(machine.sent.size(), sent);
}

TEST(DeskFile, KeysOfASectionMayStandApart) {
  const auto desk = parse_desk(
      "[markets]\nBTC-USDX-PERP.leverage = 5\nETH-USDX-PERP.leverage = 6\nBTC-USDX-PERP.margin_mode = \"isolated\"\n"
      "[agents]\nbot1.expires = \"2d\"\nbot2.expires = \"3d\"\n"
      "bot1.address = \"0x00000000000000000000000000000000000000a1\"\n");
  ASSERT_TRUE(desk.has_value());
  ASSERT_EQ(desk->markets.size(), 2U);
  EXPECT_EQ(desk->markets[0].leverage, 5U);
  EXPECT_EQ(desk->markets[0].margin_mode, api::MarginMode::isolated);
  ASSERT_EQ(desk->agents.size(), 2U);
  EXPECT_EQ(desk->agents[0].lifetime_ms, 2 * day_ms);
  EXPECT_TRUE(desk->agents[0].address.has_value());
}

}  // namespace SVC_FILE
}  // namespace svc::cli
