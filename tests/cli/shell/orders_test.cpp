// Orders typed into a shell: their side and size, how they are shown, and what is confirmed.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

std::vector<std::string> bodies(const ClientMachine& machine) {
  std::vector<std::string> written;
  for (const api::HttpRequest& request : machine.sent) {
    if (request.method == "POST") written.push_back(request.body);
  }
  return written;
}

RunResult in_shell(ClientMachine& machine, const std::vector<std::string>& lines) {
  std::vector<std::string> words{"-n", "local", "--no-reconcile", "shell", "--keep-going"};
  for (const std::string& line : lines) words.insert(words.end(), {"-c", line});
  machine.sent.clear();
  return machine.run(words);
}

// Alice holds 0.2 BTC; bob has orders on both sides.
void hold(ClientMachine& machine) {
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local buy 1 BTC-USDX-PERP @ 60000").exit, 0);
  ASSERT_EQ(machine.run("-n local sell 1 BTC-USDX-PERP @ 60100").exit, 0);
  machine.add_trader("alice");
  ASSERT_EQ(machine.run("-n local buy 0.2 BTC-USDX-PERP").exit, 0);
}

TEST(ShellOrders, AliasesCannotHideCommands) {
  TraderMachine machine;
  for (const std::string name : {"buy", "orders", "order", "flatten", "x", "use", ".", "exit", "quit", "help", "svc"}) {
    const RunResult ran = in_shell(machine, {"\\alias " + name + " sell"});
    EXPECT_EQ(ran.exit, 2) << name;
    EXPECT_TRUE(has(ran.err, "\"" + name + "\" is a command already"));
  }
  std::filesystem::create_directories(machine.home() / ".config/svc");
  std::filesystem::permissions(machine.home() / ".config/svc", std::filesystem::perms::owner_all);
  machine.write(".config/svc/config.toml", "[aliases]\nbuy = \"sell\"\nb = \"buy\"\n");
  machine.write(".config/svc/shellrc", "\\alias buy sell\n\\alias flip buy\n");
  in_shell(machine, {"buy 0.1 BTC-USDX-PERP @ 59000", "flip 0.2 BTC-USDX-PERP @ 59000"});
  const auto written = bodies(machine);
  ASSERT_EQ(written.size(), 2U);
  for (const std::string& body : written) EXPECT_TRUE(has(body, "\"Buy\""));
  // An alias of the configuration is staged as the command it stands for.
  const RunResult staged = in_shell(machine, {"\\begin", "b 0.3 BTC-USDX-PERP @ 59000", "\\diff"});
  EXPECT_TRUE(has(staged.out, "1  buy 0.3 BTC-USDX-PERP")) << staged.out << staged.err;
  EXPECT_TRUE(bodies(machine).empty());
}

TEST(ShellOrders, AStagedMarketMeansTheSameWhenItsListIsForgotten) {
  TraderMachine machine;
  const RunResult ran = in_shell(
      machine,
      {"\\begin", "buy 0.1 btc @ 59000", "orders cancel-all --market btc", "orders cancel-all --side sell --market btc",
       "\\! rm -r '" + (machine.home() / ".cache").string() + "'", "\\commit", "orders list --fields market"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const auto writes = std::ranges::count_if(machine.sent, [](const auto& one) {
    return one.method == "DELETE" && one.target.find("market_id=BTC-USDX-PERP") != std::string::npos;
  });
  EXPECT_EQ(writes, 1);
  EXPECT_EQ(bodies(machine).size(), 1U);
}

TEST(ShellOrders, APercentageOnlyReducesThePosition) {
  ClientMachine machine;
  hold(machine);
  const RunResult wrong = in_shell(machine, {"buy 50% BTC-USDX-PERP"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_TRUE(has(wrong.err, "BTC-USDX-PERP is long, and to buy would increase it"));
  const RunResult more = in_shell(machine, {"use BTC-USDX-PERP", "sell 150% @ 61000"});
  EXPECT_EQ(more.exit, 2);
  EXPECT_TRUE(has(more.err, "150% is more than the whole position"));
  EXPECT_TRUE(bodies(machine).empty());

  const RunResult half = in_shell(machine, {"use BTC-USDX-PERP", "sell 50%"});
  EXPECT_EQ(half.exit, 0) << half.err;
  ASSERT_EQ(bodies(machine).size(), 1U);
  EXPECT_TRUE(has(bodies(machine)[0], "\"reduce_only\":true"));
  EXPECT_TRUE(has(bodies(machine)[0], "\"0.1\""));
}

TEST(ShellOrders, OutsideOfAShellAPercentageReducesIfItsSideDoes) {
  ClientMachine machine;
  hold(machine);
  machine.sent.clear();
  EXPECT_EQ(machine.run("-n local sell 50%pos BTC-USDX-PERP @ 61000").exit, 0);
  EXPECT_EQ(machine.run("-n local buy 50%pos BTC-USDX-PERP @ 59000").exit, 0);
  EXPECT_EQ(machine.run("-n local sell 150%pos BTC-USDX-PERP @ 61000").exit, 0);
  EXPECT_EQ(machine.run("-n local buy 50%pos BTC-USDX-PERP @ 59000 --reduce-only").exit, 2);
  const auto written = bodies(machine);
  ASSERT_EQ(written.size(), 3U);
  EXPECT_TRUE(has(written[0], "\"reduce_only\":true"));
  EXPECT_FALSE(has(written[1], "\"reduce_only\":true"));
  EXPECT_FALSE(has(written[2], "\"reduce_only\":true"));
}

TEST(ShellOrders, EverythingThatDecidesATradeIsShown) {
  ClientMachine machine;
  hold(machine);
  const std::string sell = "sell 0.01 BTC-USDX-PERP";
  const RunResult ran =
      in_shell(machine, {"\\begin", sell + " --type stop-market --trigger-price 50000 --reduce-only",
                         sell + " --type stop-limit --stop-price 50000 --price 49990 --stp cancel-newest",
                         sell + " --type trailing-stop --trailing-bps 150",
                         sell + " --type trailing-limit --trailing-bps 150 --limit-offset-bps 20",
                         sell + " --max-slippage-bps 30", "\\diff", "\\rollback"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  for (const char* line : {"sell 0.01 BTC-USDX-PERP StopMarket trigger 50000 reduce-only IOC",
                           "sell 0.01 BTC-USDX-PERP StopLimit @ 49990 trigger 50000 GTC STP CancelNewest",
                           "sell 0.01 BTC-USDX-PERP TrailingStop trailing 150 bps IOC",
                           "sell 0.01 BTC-USDX-PERP TrailingLimit trailing 150 bps limit offset 20 bps GTC",
                           "sell 0.01 BTC-USDX-PERP Market slippage at most 30 bps IOC"}) {
    EXPECT_TRUE(has(ran.out, std::string("  ") + line + "\n")) << line << "\n" << ran.out;
    EXPECT_TRUE(has(ran.err, std::string(": ") + line + ";")) << line << "\n" << ran.err;
  }
}

// Answers writes to that path instead of the service.
Intercept answering(std::string path, std::optional<api::HttpResponse> response) {
  return [path = std::move(path), response = std::move(response)](const api::HttpRequest& request) -> Intercepted {
    if (request.method == "GET" || request.path() != path) return std::nullopt;
    if (response) return *response;
    return unanswered(api::Delivery::unknown, "cut");
  };
}

// The amendment was accepted; sending it again would replace its replacement.
TEST(ShellOrders, AnAmendmentThatWaitedInVainDoesNotStayStaged) {
  TraderMachine machine;
  const RunResult placed = machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000 --json");
  const std::string id = placed.document().text_at("data.order.id");
  const RunResult ran = in_shell(
      machine, {"\\begin", "orders amend " + id + " --price 59001 --wait --wait-timeout 1s", "\\commit", "\\diff"});
  EXPECT_FALSE(has(ran.err, "not placed"));
  EXPECT_TRUE(has(ran.err, "nothing is held back")) << ran.out << ran.err;
}

TEST(ShellOrders, CancelsThatWereNotSentStayStaged) {
  TraderMachine machine;
  std::vector<std::string> ids;
  for (const char* price : {"59000", "59001"}) {
    const RunResult placed = machine.run("-n local buy 0.1 BTC-USDX-PERP @ " + std::string(price) + " --json");
    ids.emplace_back(placed.document().string_at("data.order.id").value_or(""));
  }
  machine.intercept =
      answering("/orders/" + ids[1],
                api::HttpResponse{.status = 403, .headers = {}, .body = R"({"code":"RESTRICTED_JURISDICTION"})"});
  const RunResult ran = in_shell(machine, {"\\begin", "orders cancel " + ids[0] + " " + ids[1], "\\commit", "\\diff"});
  EXPECT_TRUE(has(ran.out, "1 entry, 1 call")) << ran.out << ran.err;
}

TEST(ShellOrders, EntriesThatProvablyHadNoEffectStayStaged) {
  TraderMachine machine;
  const std::vector<std::string> staged{"\\begin",
                                        "buy 0.1 BTC-USDX-PERP @ 59000",
                                        "buy 0.2 BTC-USDX-PERP @ 59000",
                                        "orders cancel-all",
                                        "sell 0.3 BTC-USDX-PERP @ 61000",
                                        "\\commit",
                                        "\\diff"};
  struct Row {
    std::string_view what;
    std::optional<api::HttpResponse> response;
    const char* kept;  // by \diff
  };
  const std::string halted = R"({"outcome":"err","error":"MarketHalted","message":"halted"})";
  const Row rows[] = {
      {"refused", api::HttpResponse{.status = 403, .headers = {}, .body = R"({"code":"RESTRICTED_JURISDICTION"})"},
       "3 entries, 1 call"},
      {"halted", api::HttpResponse{.status = 201, .headers = {}, .body = "[" + halted + "," + halted + "]"},
       "3 entries, 1 call"},
      {"lost", std::nullopt, "1 entry, 1 call"},
  };
  for (const Row& row : rows) {
    machine.intercept = answering("/orders/batch", row.response);
    const RunResult ran = in_shell(machine, staged);
    EXPECT_NE(ran.exit, 0) << row.what;
    EXPECT_TRUE(has(ran.out, row.kept)) << row.what << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "sell 0.3 BTC-USDX-PERP")) << row.what << ran.out;
    // Earlier failures do not block the way out.
    EXPECT_EQ(std::ranges::count_if(machine.sent, to("DELETE")), 1) << row.what;
    EXPECT_EQ(ran.err.find("outcome unknown, not kept: buy 0.1") != std::string::npos, !row.response) << ran.err;
  }
  machine.intercept = answering("/orders/batch", rows[0].response);
  auto twice = staged;
  twice.insert(twice.end(), {"\\commit", "\\rollback"});
  EXPECT_TRUE(has(in_shell(machine, twice).err, "3 dropped"));
}

}  // namespace SVC_FILE
}  // namespace svc::cli
