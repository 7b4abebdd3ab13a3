// `svc shell` without a terminal, as a script or a coprocess sees it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

std::vector<Json> documents(const std::string& out) {
  std::vector<Json> all;
  std::string_view rest = out;
  while (!rest.empty()) {
    const auto feed = rest.find('\n');
    const auto one = parse_json(rest.substr(0, feed));
    EXPECT_TRUE(one.has_value()) << rest.substr(0, feed);
    if (one) all.push_back(*one);
    rest.remove_prefix(feed == std::string_view::npos ? rest.size() : feed + 1);
  }
  return all;
}

TEST(Shell, AnswersEachPipedLineWithOneDocument) {
  TraderMachine machine;
  machine.input = "use BTC-USDX-PERP\nbuy 0.1 @ 59000\n\n# looked at\norders list\nx 1\norders list\n";
  const RunResult ran = machine.run("-n local shell");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const auto answers = documents(ran.out);
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[1].at("data")->items().size(), 1U);
  EXPECT_EQ(answers[2].string_at("schema"), "svc.orders.cancel/1");
  EXPECT_TRUE(answers[3].at("data")->items().empty());
}

TEST(Shell, StopsAtTheFirstFailureUnlessToldOtherwise) {
  TraderMachine machine;
  const std::string lines = "orders get 00010000-0000-4000-8000-0000000000ff\nmarkets list\n";
  machine.input = lines;
  const RunResult stopped = machine.run("-n local shell");
  EXPECT_EQ(stopped.exit, 5);
  EXPECT_EQ(documents(stopped.out).size(), 1U);
  machine.input = lines;
  const RunResult went_on = machine.run("-n local shell --keep-going");
  EXPECT_EQ(went_on.exit, 5);
  EXPECT_EQ(documents(went_on.out).size(), 2U);
}

TEST(Shell, StaysOnItsNetwork) {
  ClientMachine machine;
  for (const std::string line :
       {"-n testnet markets list", "markets list --network=testnet", "markets list -ntestnet"}) {
    machine.sent.clear();
    const RunResult ran = machine.run({"-n", "local", "shell", "-c", line});
    EXPECT_EQ(ran.exit, 14) << line;
    EXPECT_TRUE(machine.sent.empty()) << line;
  }
  EXPECT_EQ(machine.run({"-n", "local", "shell", "-c", "-n local markets list"}).exit, 0);
  EXPECT_EQ(machine.run({"-n", "local", "shell", "-c", "shell"}).exit, 2);
}

TEST(Shell, StaysOnItsNetworkWhateverIsChosenElsewhere) {
  ClientMachine machine;
  machine.variables["SVC_NETWORK"] = "testnet";
  EXPECT_EQ(machine.run({"-nlocal", "--json", "shell", "-c", "network show"}).document().string_at("network"), "local");
  machine.variables.erase("SVC_NETWORK");
  ASSERT_EQ(machine.run("profile add p1 --network local").exit, 0);
  ASSERT_EQ(machine.run("profile add p2 --network testnet").exit, 0);
  ASSERT_EQ(machine.run("profile use p1").exit, 0);
  const RunResult ran = machine.run({"--json", "shell", "-c", "profile use p2", "-c", "network show"});
  EXPECT_TRUE(has(ran.out, R"("name":"local")"));
  EXPECT_FALSE(has(ran.out, R"("name":"testnet")"));
}

TEST(Shell, StagesOrdersAndSendsThemInTheFewestCalls) {
  TraderMachine machine;
  machine.sent.clear();
  const RunResult ran =
      machine.run({"-n", "local", "shell", "-c", "use BTC-USDX-PERP", "-c", "\\begin", "-c", "buy 0.1 @ 59000", "-c",
                   "sell 0.2 @ 61000", "-c", "orders cancel-all", "-c", "\\diff", "-c", "\\rollback"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "3 entries, 2 calls; cost cancel 1 order 1"));
  for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET") << request.target;

  machine.sent.clear();
  const RunResult sent =
      machine.run({"-n", "local", "shell", "-c", "use BTC-USDX-PERP", "-c", "\\begin", "-c", "buy 0.1 @ 59000", "-c",
                   "sell 0.2 @ 61000", "-c", "\\commit", "-c", "orders list --fields price --no-header"});
  EXPECT_EQ(sent.exit, 0) << sent.err;
  std::size_t writes = 0;
  for (const api::HttpRequest& request : machine.sent) writes += request.method == "POST" ? 1U : 0U;
  EXPECT_EQ(writes, 1U);
  EXPECT_TRUE(has(sent.out, "59000\n"));
  EXPECT_TRUE(has(sent.out, "61000\n"));
}

TEST(Shell, DroppedEntriesAreNeverSent) {
  TraderMachine machine;
  machine.sent.clear();
  const RunResult ran = machine.run({"-n", "local", "shell", "-c", "\\begin", "-c", "buy 0.1 BTC-USDX-PERP @ 59000",
                                     "-c", "\\rollback", "-c", "orders list --json"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_TRUE(documents(ran.out).front().at("data")->items().empty());
  EXPECT_EQ(machine.run({"-n", "local", "shell", "-c", "\\commit"}).exit, 2);
}

TEST(Shell, ALineThatCannotBeSentIsNotStaged) {
  TraderMachine machine;
  machine.sent.clear();
  const RunResult ran = machine.run(
      {"-n", "local", "shell", "--keep-going", "-c", "\\begin", "-c", "buy 0.1 BTC-USDX-PERP @ bid-5t", "-c", "flatten",
       "-c", "positions close BTC-USDX-PERP", "-c", "buy 0.1 BTC-USDX-PERP @ 59000", "-c", "\\diff"});
  EXPECT_TRUE(has(ran.err, "BTC-USDX-PERP has no bid price now"));
  EXPECT_TRUE(has(ran.err, "the account has no position in BTC-USDX-PERP"));
  EXPECT_TRUE(has(ran.err, "flatten: cannot be held back"));
  EXPECT_TRUE(has(ran.out, "1 entry, 1 call"));
  for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET") << request.target;
}

TEST(Shell, ALineThatCannotBeStagedFailsAsIfItWereSent) {
  TraderMachine machine;
  machine.intercept =
      when(to("", "/positions"), answered(503, R"({"error":{"code":"service_unavailable","message":"later"}})"));
  const std::string line = "sell 50% BTC-USDX-PERP @ 70000";
  const RunResult sent = machine.run({"-n", "local", "--json", "shell", "-c", line});
  const RunResult staged = machine.run({"-n", "local", "--json", "shell", "-c", "\\begin", "-c", line});
  EXPECT_EQ(sent.exit, 10) << sent.out;
  EXPECT_EQ(staged.exit, 10) << staged.out;
  const Json error = documents(staged.out).back().value_at("error");
  for (const char* member : {"code", "category", "retryable", "retry_after_ms"})
    EXPECT_EQ(error.value_at(member).dump(), documents(sent.out).back().value_at("error").value_at(member).dump());
}

TEST(Shell, FlagsBeyondTheOrderCannotBeStaged) {
  ClientMachine machine;
  machine.add_trader("bob");
  machine.add_trader("alice");
  for (const std::string flag : {"--signer bob", "--account 0x0000000000000000000000000000000000000001",
                                 "--wait=filled", "--action=omit", "--allow-duplicate", "--profile desk"}) {
    const RunResult ran =
        machine.run({"-n", "local", "shell", "-c", "\\begin", "-c", "buy 0.1 BTC-USDX-PERP @ 59000 " + flag});
    EXPECT_EQ(ran.exit, 2) << flag << ran.err;
    EXPECT_TRUE(has(ran.err, flag.substr(0, flag.find_first_of(" ="))));
  }
  const RunResult in_short =
      machine.run({"-n", "local", "shell", "-c", "\\begin", "-c", "buy 0.1 BTC-USDX-PERP @ 59000 -Pdesk"});
  EXPECT_EQ(in_short.exit, 2) << in_short.err;
  EXPECT_TRUE(has(in_short.err, "--profile: orders that are held back"));
  // The line is staged wherever its flags are.
  machine.sent.clear();
  for (const std::string line :
       {"--signer bob buy 0.1 BTC-USDX-PERP @ 59000", "-n local buy 0.1 BTC-USDX-PERP @ 59000"}) {
    const RunResult ran = machine.run({"-n", "local", "shell", "-c", "\\begin", "-c", line});
    EXPECT_EQ(ran.exit, line.starts_with("-n") ? 3 : 2) << ran.err;
  }
  for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET") << request.target;
}

TEST(Shell, AFlagOfTheOrderIsStagedHoweverItIsWritten) {
  TraderMachine machine;
  for (const std::string rest : {"-nlocal", "--client-id -mine", "--client-id=-mine"}) {
    const RunResult ran =
        machine.run({"-n", "local", "shell", "-c", "\\begin", "-c", "buy 0.1 BTC-USDX-PERP @ 59000 " + rest});
    EXPECT_TRUE(has(ran.err, "1 entry was staged and not sent")) << rest << ran.out << ran.err;
  }
}

TEST(Shell, StagedEntriesKeepTheirResolvedNumbers) {
  ClientMachine machine;
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local buy 1 BTC-USDX-PERP @ 60000").exit, 0);
  ASSERT_EQ(machine.run("-n local sell 1 BTC-USDX-PERP @ 60100").exit, 0);
  machine.add_trader("alice");
  ASSERT_EQ(machine.run("-n local buy 0.2 BTC-USDX-PERP").exit, 0);
  const Json placed = machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000 --json").document();
  const std::string resting = placed.text_at("data.order.id");
  machine.sent.clear();
  const RunResult ran = machine.run(
      {"-n", "local", "shell", "-c", "use BTC-USDX-PERP", "-c", "\\begin", "-c", "buy 0.1 @ bid-5t", "-c",
       "sell 50% @ ask --tif post-only --stp cancel-oldest", "-c", "positions close BTC-USDX-PERP --pct 25", "-c",
       "orders amend " + resting + " --market BTC-USDX-PERP --price bid-20t", "-c", "\\diff", "-c", "\\commit"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "note: price bid-5t is 59997.5 (bid 60000)"));
  for (const char* line :
       {"1  buy 0.1 BTC-USDX-PERP Limit @ 59997.5 GTC\n",
        "2  sell 0.1 BTC-USDX-PERP Limit @ 60100 reduce-only PostOnly STP CancelOldest\n",
        "3  sell 0.05 BTC-USDX-PERP Market reduce-only IOC STP CancelOldest\n", "--price 59990", "4 entries, 2 calls"})
    EXPECT_TRUE(has(ran.out, line)) << line << ran.out;
  // The market was read while the lines were typed; what was sent is what was shown.
  std::size_t books = 0;
  std::vector<std::string> written;
  for (const api::HttpRequest& request : machine.sent) {
    books += request.target.find("/orderbook") != std::string::npos ? 1U : 0U;
    if (request.method != "GET") written.push_back(request.body);
  }
  EXPECT_EQ(books, 3u);
  ASSERT_EQ(written.size(), 2u);
  for (const char* part : {"59997.5", "60100", "\"CancelOldest\"", "\"0.05\"", "\"reduce_only\":true"})
    EXPECT_TRUE(has(written[0], part)) << part << written[0];
  EXPECT_EQ(written[1], "{\"price\":\"59990\"}");
}

TEST(Shell, WatchRepeatsReadsAndNeverWrites) {
  TraderMachine machine;
  std::size_t reads = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.target.find("/positions") == std::string::npos || ++reads < 3) return std::nullopt;
    return answered(404, R"({"error":"NotFound"})");
  };
  EXPECT_EQ(machine.run({"-n", "local", "shell", "-c", "\\watch 1 positions list"}).exit, 5);
  EXPECT_EQ(reads, 3u);

  machine.sent.clear();
  const RunResult ran = machine.run({"-n", "local", "shell", "-c", "buy 0.1 BTC-USDX-PERP @ 59000", "-c", "\\watch 1"});
  EXPECT_EQ(ran.exit, 14) << ran.err;
  EXPECT_TRUE(has(ran.err, "repeated_write"));
  EXPECT_EQ(std::ranges::count_if(machine.sent, to("POST")), 1);
}

TEST(Shell, APointRepeatsOnlyTheLineBeforeIt) {
  TraderMachine machine;
  const auto writes_after = [&](const std::vector<std::string>& lines) {
    std::vector<std::string> words{"-n", "local", "shell", "--keep-going"};
    for (const std::string& line : lines) words.insert(words.end(), {"-c", line});
    machine.sent.clear();
    static_cast<void>(machine.run(words));
    return std::ranges::count_if(machine.sent, is_write);
  };
  const std::string buy = "buy 0.1 BTC-USDX-PERP @ 5900";
  EXPECT_EQ(writes_after({buy + "1 --client-id a1", "orders list", "."}), 1) << "the list is repeated";
  EXPECT_EQ(writes_after({"\\watch 1 " + buy + "2", "."}), 0) << "it was refused";
  EXPECT_EQ(writes_after({buy + "6", "\\watch 1", "."}), 1) << "the order was refused the second time";
  EXPECT_EQ(writes_after({buy + "7", "\\watch 1 " + buy + "8", "."}), 1) << "nor is the line before it sent";
  EXPECT_EQ(writes_after({"\\begin", buy + "3", "\\commit", "."}), 1);
  EXPECT_EQ(writes_after({"\\begin", buy + "4", ".", "\\rollback", "."}), 0);
  EXPECT_EQ(writes_after({buy + "5", "x 99", "."}), 1) << "the cancel was refused";
  EXPECT_EQ(writes_after({"use btc", "buy 0.1 @ 59009", "use eth", "."}), 1) << "it would trade in the other market";
}

TEST(Shell, WatchRepeatsNoGuardAndNoSetting) {
  TraderMachine machine;
  EXPECT_EQ(machine.run({"-n", "local", "shell", "-c", "\\watch 1 guard -- true --preview"}).exit, 14);
  for (const std::string line : {"guard -- true", "alias set a 'orders list'", "logout", "keystore lock alice"}) {
    const RunResult ran = machine.run({"-n", "local", "shell", "-c", "\\watch 1 " + line});
    EXPECT_EQ(ran.exit, 14) << line << ran.err;
    EXPECT_TRUE(has(ran.err, "repeated_write"));
  }
}

TEST(Shell, EveryRefusedLineOfAPipeHasADocument) {
  TraderMachine machine;
  for (const std::string line :
       {"buy :nope", "buy 'open", "x 9", "\\nope", "use NOPE-USDX-PERP", "orders list --nope"}) {
    machine.input = line + "\n";
    const RunResult ran = machine.run({"-n", "local", "shell"});
    EXPECT_NE(ran.exit, 0) << line;
    const auto document = parse_json(ran.out);
    ASSERT_TRUE(document) << line << ran.out;
    EXPECT_TRUE(document->string_at("error.message")) << ran.out;
  }
  machine.input = "x 9\n";
  EXPECT_EQ(machine.run({"-n", "local", "--jq", ".error.code", "shell"}).out, "usage\n");
  ASSERT_EQ(machine.run("config set output json").exit, 0);
  machine.input = "x 9\n";
  EXPECT_EQ(documents(machine.run({"-n", "local", "shell"}).out).size(), 1u);
  // What shellrc does wrong answers no line.
  machine.write("rc", "\\nope\n");
  machine.input = "markets list\n";
  EXPECT_EQ(documents(machine.run({"-n", "local", "shell", "--rc", (machine.home() / "rc").string()}).out).size(), 1u);
}

TEST(Shell, ExpandsVariablesAliasesAndTheLastAnswer) {
  TraderMachine machine;
  const RunResult ran = machine.run({"-n",
                                     "local",
                                     "shell",
                                     "-c",
                                     "\\set size 0.1",
                                     "-c",
                                     "\\alias bid buy :size BTC-USDX-PERP",
                                     "-c",
                                     "bid @ 59000 -q",
                                     "-c",
                                     "orders get :last.order.id --json",
                                     "-c",
                                     "bid @ 59001 -q",
                                     "-c",
                                     "orders get :last.order_id --json",
                                     "-c",
                                     "orders list",
                                     "-c",
                                     "orders get :last.order_id -q",
                                     "-c",
                                     "\\alias",
                                     "-c",
                                     "\\set"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const auto first = ran.out.find("svc.orders.get/1");
  ASSERT_NE(first, std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("svc.orders.get/1", first + 1), std::string::npos) << ran.out;
  EXPECT_TRUE(has(ran.out, "bid = buy 0.1 BTC-USDX-PERP\n"));
  EXPECT_TRUE(has(ran.out, "size = 0.1\n"));
}

TEST(Shell, ItsOwnListsShowATerminalNoControlCharacters) {
  ClientMachine machine;
  const auto lists = [&] {
    return machine
        .run({"-n", "local", "shell", "-c", "\\set q \"\x1b[31m\"", "-c", "\\set", "-c", "\\alias bar api \x1b[32m",
              "-c", "\\alias"})
        .out;
  };
  EXPECT_TRUE(has(lists(), "\x1b[31m")) << "a program gets the bytes";
  machine.out_is_terminal = true;
  const std::string shown = lists();
  EXPECT_EQ(shown.find('\x1b'), std::string::npos) << shown;
  EXPECT_TRUE(has(shown, "q = \\u001b[31m\n"));
  EXPECT_TRUE(has(shown, "\\u001b[32m"));
}

TEST(Shell, AValueConfirmsNothingAndNamesNoNetwork) {
  TraderMachine machine;
  machine.sent.clear();
  for (const std::string value : {"--confirm=local", "-nlocal", "--network=local"}) {
    const RunResult ran =
        machine.run({"-n", "local", "shell", "-c", "\\set C " + value, "-c", "buy 0.1 BTC-USDX-PERP @ 59000 :C"});
    EXPECT_EQ(ran.exit, 2) << ran.err;
    EXPECT_TRUE(has(ran.err, "a value cannot hold"));
  }
  EXPECT_TRUE(std::ranges::none_of(machine.sent, is_write));
}

TEST(Shell, AMarketThatCannotBeUsedIsToldAsTheServiceDid) {
  TraderMachine machine;
  const auto used = [&](const std::string& market) {
    return machine.run({"-n", "local", "--json", "shell", "-c", "use " + market});
  };
  const RunResult unknown = used("NOPE-USDX-PERP");
  EXPECT_EQ(unknown.exit, 5) << unknown.out;
  EXPECT_EQ(documents(unknown.out).back().text_at("error.code"), "UnknownMarket");
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    if (request.path() != "/markets/ETH-USDX-PERP/status") return {};
    return answered(429, R"({"error":{"code":"RATE_LIMIT_EXCEEDED","message":"later"}})", {{"Retry-After", "70"}});
  };
  const RunResult limited = used("ETH-USDX-PERP");
  EXPECT_EQ(limited.exit, 9) << limited.out;
  const Json error = documents(limited.out).back().value_at("error");
  EXPECT_EQ(error.text_at("code"), "RATE_LIMIT_EXCEEDED");
  EXPECT_EQ(error.integer_at("retry_after_ms"), 70'000);
}

TEST(Shell, NoMarketIsInUseAfterOneThatCannotBeUsed) {
  TraderMachine machine;
  const RunResult ran = machine.run(
      {"-n", "local", "shell", "--keep-going", "-c", "use btc", "-c", "use ethh", "-c", "buy 0.001 @ 50001"});
  EXPECT_NE(ran.exit, 0);
  EXPECT_TRUE(std::ranges::none_of(machine.sent, [](const api::HttpRequest& request) {
    return request.method == "POST" && request.path() == "/orders";
  }));
}

// What the shell asks in the background must come as documents, whatever its tables look like.
TEST(Shell, ItsOwnReadsDoNotTakeTheFlagsOfItsLines) {
  TraderMachine machine;
  for (const std::string flag : {"--dry-run", "--jq=.ok", "--curl"}) {
    const RunResult ran = machine.run({"-n", "local", "shell", flag, "-c", "use btc", "-c", "use"});
    EXPECT_EQ(ran.exit, 0) << flag << ran.err;
    EXPECT_TRUE(has(ran.out, "BTC-USDX-PERP")) << flag << ran.out;
  }
}

TEST(Shell, ALineThatAsksForDocumentsIgnoresTheShellsTableFlags) {
  ClientMachine machine;
  for (const std::string flags : {"--fields market", "--template {market}", "-o csv"}) {
    const RunResult ran = machine.run("-n local shell " + flags + " -c 'markets list --json'");
    EXPECT_EQ(ran.exit, 0) << flags << ran.err;
    EXPECT_EQ(documents(ran.out).size(), 1u) << flags;
  }
}

TEST(Shell, ItsOwnWordsSendNothingToAProgram) {
  ClientMachine machine;
  for (const std::string line : {"\\last | cat", "use BTC-USDX-PERP | cat", "\\timing | cat"}) {
    const RunResult ran = machine.run({"-n", "local", "shell", "-c", line});
    EXPECT_EQ(ran.exit, 2) << line;
    EXPECT_TRUE(has(ran.err, "sends nothing to a program")) << line << ran.err;
  }
}

TEST(Shell, OutputCanBeRedirected) {
  ClientMachine machine;
  const auto file = machine.home() / "answers";
  const RunResult ran =
      machine.run({"-n", "local", "shell", "-c", "markets list | grep -c PERP >" + (machine.home() / "count").string(),
                   "-c", "\\o " + file.string(), "-c", "markets list", "-c", "\\o", "-c", "\\json", "-c",
                   "markets list", "-c", "\\json", "-c", "markets list | exit 7"});
  EXPECT_EQ(ran.exit, 7) << ran.err;
  EXPECT_EQ(machine.read("count"), "3\n");
  EXPECT_TRUE(has(machine.read("answers"), "BTC-USDX-PERP\t"));
  EXPECT_EQ(documents(ran.out).size(), 1U);
}

TEST(Shell, ACommitAnswersWhereOutputGoes) {
  TraderMachine machine;
  const auto file = machine.home() / "answers";
  const RunResult ran = machine.run({"-n", "local", "shell", "-c", "\\o " + file.string(), "-c", "\\begin", "-c",
                                     "buy 0.1 BTC-USDX-PERP @ 59000", "-c", "\\commit"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(has(machine.read("answers"), "order_id"));
  EXPECT_EQ(ran.out, "");
}

TEST(Shell, AFailedCommandHasNoLastAnswer) {
  TraderMachine machine;
  const RunResult ran = machine.run({"-n", "local", "shell", "--keep-going", "-c", "buy 0.1 BTC-USDX-PERP @ 59000",
                                     "-c", "buy 0.1 BTC-USDX-PERP @ nonsense", "-c", "orders cancel :last.order.id"});
  EXPECT_NE(ran.exit, 0);
  EXPECT_EQ(machine.run("-n local --json orders list").document().at("data")->items().size(), 1u) << ran.err;
}

TEST(Shell, AValueThatLooksLikeANetworkHidesNone) {
  TraderMachine machine;
  const auto exit_of = [&](const std::string& line) { return machine.run({"-n", "local", "shell", "-c", line}).exit; };
  EXPECT_EQ(exit_of("buy 0.1 BTC-USDX-PERP @ 59000 --client-id -nlocal -n play"), 14);
  EXPECT_EQ(exit_of("buy 0.1 BTC-USDX-PERP @ 59000 --client-id -nplay"), 0);
}

// Whatever the value of a flag begins with.
TEST(Shell, EveryLineIsForTheAccountOfTheShell) {
  ClientMachine machine;
  const Address alice = machine.add_trader("alice");
  const Address bob = machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 0);
  for (const Address& account : {alice, bob}) {
    const RunResult ran = machine.run({"-n", "local", "shell", "-a", to_string(account), "-c",
                                       "buy 0.1 BTC-USDX-PERP @ 59000 --json --client-id -abot"});
    EXPECT_EQ(ran.document().string_at("data.order.account_id"), to_string(account)) << ran.out << ran.err;
  }
}

TEST(Shell, RunsItsRcFileFirst) {
  ClientMachine machine;
  std::filesystem::create_directories(machine.home() / ".config/svc");
  std::filesystem::permissions(machine.home() / ".config/svc", std::filesystem::perms::owner_all);
  machine.write(".config/svc/shellrc", "\\alias m markets list\n");
  EXPECT_EQ(machine.run({"-n", "local", "shell", "-c", "m"}).exit, 0);
  EXPECT_EQ(machine.run({"-n", "local", "shell", "--rc", "/dev/null", "-c", "m"}).exit, 2);
}

TEST(Shell, ReusesItsConnection) {
  TraderMachine machine;
  machine.origins.clear();
  EXPECT_EQ(
      machine.run({"-n", "local", "shell", "-c", "orders list", "-c", "positions list", "-c", "markets list"}).exit, 0);
  EXPECT_EQ(machine.origins.size(), 1U);
}

TEST(Shell, NeedsANetwork) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("shell").exit, 2);
}

TEST(Shell, StagedEntriesAreNotDroppedSilently) {
  TraderMachine machine;
  const RunResult given = machine.run({"-n", "local", "shell", "-c", "\\begin", "-c", "buy 0.1 BTC-USDX-PERP @ 59000"});
  EXPECT_EQ(given.exit, 3) << given.err;
  EXPECT_TRUE(has(given.err, "1 entry was staged and not sent"));
  machine.input = "\\begin\nbuy 0.1 BTC-USDX-PERP @ 59000\n\\q\n";
  EXPECT_EQ(machine.run("-n local shell").exit, 3);
  machine.input = "\\begin\nbuy 0.1 BTC-USDX-PERP @ 59000\n\\rollback\n";
  EXPECT_EQ(machine.run("-n local shell").exit, 0);
  machine.input = "\\begin\nbuy 0.1 BTC-USDX-PERP @ 59000\n\\commit\n";
  EXPECT_EQ(machine.run("-n local shell").exit, 0);
}

TEST(Shell, ASignalDuringACommitTellsOnlyTheEntriesThatWereNotSent) {
  TraderMachine machine;
  std::multiset<std::string> on_signal;  // what a signal would print now
  machine.print_on_signal = [&](const SignalMessages& words) {
    const auto place = on_signal.insert(words.terminated_err);
    const std::shared_ptr<void> until_released(nullptr, [&on_signal, place](void*) { on_signal.erase(place); });
    return std::shared_ptr<SignalMessageGuard>(until_released, nullptr);
  };
  std::vector<std::string> told;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (is_write(request)) told.push_back(joined(on_signal, {}, ""));
    return std::nullopt;
  };
  machine.run({"-n", "local", "shell", "-c", "\\begin", "-c", "buy 0.1 BTC-USDX-PERP @ 59000", "-c",
               "orders cancel-all --market ETH-USDX-PERP", "-c", "\\commit"});
  ASSERT_EQ(told.size(), 2U);
  EXPECT_TRUE(has(told[0], "1 entry was staged and not sent"));
  EXPECT_FALSE(has(told[1], "not sent"));
}

TEST(Shell, AcceptsColumnsThatOnlyItsLinesHave) {
  ClientMachine machine;
  for (const std::string flag : {"--template", "--fields"}) {
    const std::string value = flag == "--template" ? "{market}" : "market";
    const RunResult ran = machine.run({"-n", "local", "shell", flag, value, "-c", "markets list"});
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_TRUE(has(ran.out, "BTC-USDX-PERP\n"));
    EXPECT_FALSE(has(ran.err, flag));
    EXPECT_EQ(machine.run({"-n", "local", "shell", flag, "{zork}", "-c", "markets list"}).exit, 2);
  }
}

TEST(Shell, PrintSettingsAreValidatedWhenSet) {
  ClientMachine machine;
  for (const char* line : {"\\pset tz Mars", "\\pset output yaml", "\\pset color loud", "\\pset fields zork"}) {
    const RunResult ran = machine.run({"-n", "local", "shell", "--keep-going", "-c", line, "-c", "markets list"});
    EXPECT_EQ(ran.exit, 2) << line;
    EXPECT_FALSE(has(ran.err, "svc: --")) << "nobody typed a flag: " << ran.err;
    EXPECT_TRUE(has(ran.out, "BTC-USDX-PERP")) << line << ran.err;
  }
  EXPECT_EQ(machine
                .run({"-n", "local", "shell", "-c", "\\pset tz Europe/Berlin", "-c", "\\pset fields market", "-c",
                      "markets list"})
                .exit,
            0);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
