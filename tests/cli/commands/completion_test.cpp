// Completion, the completion scripts, and the manual pages.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/client_machine.h"
#include "cli/commands/command_table.h"
#include "cli/commands/help.h"
#include "files.h"

namespace svc::cli {
namespace SVC_FILE {

std::vector<Candidate> fixed(ValueKind kind) {
  switch (kind) {
    case ValueKind::market: return {{"BTC-USDX-PERP", "open"}, {"ETH-USDX-PERP", "open"}};
    case ValueKind::order: return {{"0001", "Buy 1 BTC-USDX-PERP @ 2"}};
    case ValueKind::network: return {{"local", ""}, {"mainnet", ""}};
    case ValueKind::wallet: return {{"alice", "0x1"}};
    case ValueKind::profile: return {{"desk", ""}};
    case ValueKind::address: return {{"cold", "0x2"}};
    case ValueKind::sandbox: return {{"default", ""}};
    default: return {};
  }
}

// The candidates' texts, joined.
std::string texts(const std::vector<std::string>& words) {
  const Candidates found = candidates(words, fixed);
  std::string all;
  for (const Candidate& one : found.all) all += (all.empty() ? "" : " ") + one.text;
  return all + (found.files ? " :files" : "");
}

TEST(Completion, CompletesCommandsFlagsAndFlagValues) {
  EXPECT_EQ(texts({"pos"}), "positions");
  EXPECT_TRUE(has(texts({"orders", ""}), "list"));
  EXPECT_EQ(texts({"-n", "local", "orders", "li"}), "list");
  EXPECT_EQ(texts({"account", "cancel-on-disconnect", ""}), "get on off");
  EXPECT_EQ(texts({"-n", ""}), "local mainnet");
  EXPECT_EQ(texts({"--network=m"}), "--network=mainnet");
  EXPECT_EQ(texts({"-P", ""}), "desk");
  EXPECT_EQ(texts({"login", "--wallet", "a"}), "alice");
  EXPECT_EQ(texts({"orders", "list", "--no-h"}), "--no-header");
  EXPECT_EQ(texts({"orders", "list", "--wat"}), "--watch");
  EXPECT_EQ(texts({"orders", "list", "-o", "c"}), "csv");
  EXPECT_EQ(texts({"orders", "list", "--output=t"}), "--output=table --output=tsv");
  EXPECT_EQ(texts({"markets", "book", "B"}), "BTC-USDX-PERP");
  EXPECT_EQ(texts({"markets", "book", "BTC-USDX-PERP", ""}), "");
  EXPECT_EQ(texts({"orders", "cancel", "0001", ""}), "0001");
  EXPECT_EQ(texts({"orders", "place", "BTC-USDX-PERP", "--side", ""}), "buy sell");
  EXPECT_EQ(texts({"admin", "tiers", "set", "0x1", "M"}), "MarketMaker");
  EXPECT_EQ(texts({"explain", "InsufficientB"}), "InsufficientBalance");
  EXPECT_EQ(texts({"orders", "batch", "--file", ""}), " :files");
  EXPECT_EQ(texts({"markets", "list", "--sort", "max_"}), "max_leverage");
  EXPECT_EQ(texts({"markets", "list", "--fields", "ti"}), "tick");
  EXPECT_EQ(texts({"config", "get", "tz"}), "tz");
  EXPECT_EQ(texts({"completion", ""}), "bash zsh fish");
  EXPECT_EQ(texts({"margin", "mode", "set", "BTC-USDX-PERP", ""}), "cross isolated");
  EXPECT_EQ(texts({"serve", "--clock", ""}), "real manual");
  EXPECT_EQ(texts({"transfers", "send", "--to", ""}), "cold");
  EXPECT_EQ(texts({"local", "status", "--name", ""}), "default");
  EXPECT_EQ(texts({"local", "flow", ""}),
            "bots none flash-crash two-market-gap thin-book stale-oracle funding-extreme quiet");
  EXPECT_EQ(texts({"local", "flow", "q"}), "quiet");
  EXPECT_EQ(texts({"agents", "new", "--name", ""}), "");
  EXPECT_EQ(texts({"nonsense", ""}), "");
}

TEST(Completion, TheLongestNameThatFitsIsTheCommand) {
  EXPECT_EQ(texts({"alias", "list", "--wat"}), "--watch");
  EXPECT_EQ(texts({"alias", "mine", "--wat"}), "");
  EXPECT_EQ(texts({"orders", "list", "list", "--wat"}), "--watch") << "one more word changes nothing";
}

TEST(Completion, ShowsCachedValuesAndRefreshesThemInAnotherProcess) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  machine.sent.clear();
  EXPECT_EQ(machine.run("__complete -- -n local markets book ''").out, "");
  ASSERT_EQ(machine.started.size(), 1u);
  EXPECT_TRUE(machine.sent.empty());
  // A second key press a moment later starts no second refresh.
  EXPECT_EQ(machine.run("__complete -- -n local markets book ''").out, "");
  EXPECT_EQ(machine.started.size(), 1u);
  EXPECT_EQ(machine.run(machine.started.front()).exit, 0);
  const std::string markets = machine.run("__complete -- -n local markets book ''").out;
  EXPECT_EQ(std::count(markets.begin(), markets.end(), '\n'), 3) << markets;
  EXPECT_TRUE(markets.starts_with("BTC-USDX-PERP\t")) << markets;
  const RunResult orders = machine.run("__complete -- -n local orders cancel ''");
  EXPECT_TRUE(has(orders.out, "\tbuy 0.1 BTC-USDX-PERP @ 59000"));
  EXPECT_EQ(machine.started.size(), 1u);
  machine.clock.advance(20'000);
  EXPECT_EQ(machine.run("__complete -- -n local orders cancel ''").out, orders.out);
  EXPECT_EQ(machine.started.size(), 2u);
  EXPECT_EQ(machine.run("__complete -- -n local keystore show ''").out.substr(0, 6), "alice\t");
  EXPECT_NE(machine.run("__complete -- -n local keys delete ''").out, "");
}

TEST(Completion, OffersOrdersOfTheAccountThatTheLineNames) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local --signer bob buy 0.2 BTC-USDX-PERP @ 58000").exit, 0);
  const auto offered = [&](const std::string& flags) {
    const std::string line = "__complete -- -n local " + flags + " orders cancel ''";
    machine.started.clear();
    machine.run(line);
    for (const auto& words : machine.started) EXPECT_EQ(machine.run(words).exit, 0);
    return machine.run(line).out;
  };
  const std::string hers = offered("--signer alice"), his = offered("-a bob");
  EXPECT_TRUE(has(hers, "buy 0.1"));
  EXPECT_FALSE(has(hers, "buy 0.2"));
  EXPECT_TRUE(has(his, "buy 0.2"));
  EXPECT_FALSE(has(his, "buy 0.1"));
}

TEST(Completion, WithADamagedCacheOrConfigurationIsEmptyWithoutAnError) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("-n local --quiet __refresh").exit, 0);
  machine.write(".cache/svc/local/completion.json", "{\"version\":1,\"mark");
  machine.write(".config/svc/config.toml", "broken = ");
  const RunResult ran = machine.run("__complete -- -n local markets book ''");
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST(Completion, ScriptsMatchTheFilesInTheRepository) {
  ClientMachine machine;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    test::expect_generated("completions/svc." + shell, machine.run("completion " + shell).out);
  }
  EXPECT_EQ(machine.run("completion tcsh").exit, 2);
}

TEST(Manual, PagesMatchTheFilesInTheRepositoryAndCoverEveryCommand) {
  ClientMachine machine;
  std::string all;
  for (const Json& page : machine.run("--json man --list").rows()) {
    const std::string name = page.text_at("page");
    const std::string source = machine.run("man " + name).out;
    test::expect_generated("man/" + name + "." + std::to_string(page.integer_at("section").value_or(0)), source);
    all += source;
  }
  for (const std::string_view path : command_paths()) {
    std::string heading = ".SS svc " + std::string(path);
    for (auto at = heading.find('-'); at != std::string::npos; at = heading.find('-', at + 2)) heading.insert(at, "\\");
    EXPECT_TRUE(has(all, heading)) << path;
  }
  EXPECT_EQ(machine.run("man nothing").exit, 2);
  machine.out_is_terminal = true;
  EXPECT_TRUE(machine.run("man exit-codes").out.starts_with("SVC-EXIT-CODES(7)\n\nNAME\n"))
      << machine.run("man exit-codes").out;
}

}  // namespace SVC_FILE
}  // namespace svc::cli
