// Reaches every exit code with a command against the sandbox, with injected faults where needed.
#include <gtest/gtest.h>
#include <signal.h>

#include <set>

#include "cli/client_machine.h"
#include "cli/program.h"
#include "cli/terminal/failure.h"

namespace svc::cli {
namespace SVC_FILE {

struct Row {
  int exit;
  std::vector<std::string> before;
  std::string line;
};

const std::vector<Row> rows = {
    {0, {}, "-n local markets list"},
    {1, {"local fault add --route /account --status 500 --code INTERNAL_ERROR"}, "-n local account show"},
    {2, {}, "-n local markets list --marked"},
    {3, {"-n local logout"}, "-n local keystore delete alice"},
    {4, {"local fault add --route /account --skew 31s"}, "-n local account show"},
    {5, {}, "-n local markets ticker NONE-USDX-PERP"},
    {6,
     {"-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id twice", "-n local orders cancel-all"},
     "-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id twice"},
    {7, {}, "-n local buy 0.1 BTC-USDX-PERP @ 30000.3"},
    {8, {"local fault add --route /leverage --code US_RESTRICTED"}, "-n local margin leverage BTC-USDX-PERP 5"},
    {9,
     {"local fault add --route /orders --code RATE_LIMIT_EXCEEDED"},
     "-n local --rate fail buy 0.1 BTC-USDX-PERP @ 30000"},
    {10, {"local fault add --route /account/state --status 503 --code service_unavailable"}, "-n local account state"},
    {11,
     {"local fault add --route /leverage --drop-after-send"},
     "-n local --no-reconcile margin leverage BTC-USDX-PERP 5"},
    {12, {}, "-n local buy 30 BTC-USDX-PERP @ 30000"},
    {13, {"local halt BTC-USDX-PERP"}, "-n local buy 0.1 BTC-USDX-PERP @ 30000"},
    {14, {}, "network add mainnet --rest https://x.example/v1 --funds play"},
    {15, {}, "-n local orders batch --file @orders"},
    {16, {}, "-n local --api-version 0.1.0 markets list"},
    {17, {}, "-n local venue health --wait down --wait-timeout 1"},
    {19, {}, "-n local buy 0.1 BTC-USDX-PERP @ 30000 --tif ioc"},
};

// A stream that loses an event while alice watches her trades with bob.
int exit_of_a_gap() {
  ClientMachine machine;
  machine.add_trader("bob");
  machine.add_trader("alice");
  EXPECT_EQ(machine.run("local fault add --route /ws --ws gap --count 1").exit, 0);
  const auto trade = [&] {
    machine.run("-n local --signer alice sell 0.1 BTC-USDX-PERP @ 60000");
    machine.run("-n local --signer bob buy 0.1 BTC-USDX-PERP @ 60000");
  };
  machine.meanwhile = {trade, trade};
  return machine.run("-n local watch fills --count 2 --fail-on-gap").exit;
}

// The built program while it follows a sandbox's request log.
int exit_of_a_signal(int signal) {
  const FreshHome folder;
  Program sandbox({"serve", "--local", "--port", "0", "--flow", "none", "--log", "none"}, folder.path());
  EXPECT_FALSE(sandbox.line().empty());
  Program asks({"-n", "local", "markets", "list"}, folder.path());
  EXPECT_EQ(asks.wait(), 0);
  Program follows({"local", "requests", "--follow", "-o", "ndjson"}, folder.path());
  EXPECT_FALSE(follows.line().empty());
  follows.send_signal(signal);
  EXPECT_TRUE(has(follows.rest(), R"({"type":"end",)"));
  return follows.wait();
}

TEST(EveryExitCode, IsReachedByACommand) {
  std::set<int> met{exit_of_a_gap(), exit_of_a_signal(SIGINT), exit_of_a_signal(SIGTERM)};
  for (const Row& row : rows) {
    TraderMachine machine;
    machine.write(
        "orders",
        R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1","price":"30000"})"
        "\n"
        R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1","price":"30000.3"})"
        "\n");
    for (const std::string& line : row.before) EXPECT_EQ(machine.run(line).exit, 0) << line;
    const std::string line = with_each(row.line, "@orders", (machine.home() / "orders").string());
    const RunResult ran = machine.run(line);
    EXPECT_EQ(ran.exit, row.exit) << line << "\n" << ran.out << ran.err;
    met.insert(ran.exit);
  }
  ClientMachine machine;
  machine.reader_is_gone = true;
  met.insert(machine.run("-n local markets list").exit);
  for (const ExitMeaning& meaning : exit_meanings) {
    EXPECT_TRUE(met.contains(static_cast<int>(meaning.code))) << static_cast<int>(meaning.code);
  }
}

}  // namespace SVC_FILE
}  // namespace svc::cli
