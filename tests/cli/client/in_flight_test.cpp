// A signal while an order is in flight: the user is told what may be live and where to look.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>

#include "cli/cutting_proxy.h"
#include "cli/terminal/failure.h"
#include "cli/trader_home.h"

namespace svc::cli {
namespace SVC_FILE {

constexpr int looks_max = 2'000;  // each runs a program

struct Ended {
  int exit = 0;
  std::string said;
};

Ended ended_by(const TraderHome& home, int signal, const std::string& client_id, Program::Stdio stdio) {
  CuttingProxy proxy(static_cast<std::uint16_t>(std::stoi(home.url().substr(home.url().rfind(':') + 1))));
  std::vector<std::string> words{"-n", "local", "buy", "0.01", "BTC-USDX-PERP", "@", "59000", "--client-id", client_id};
  if (stdio == Program::Stdio::pipe) words.emplace_back("--json");
  Program client(words, home.path(), stdio, {"SVC_LOCAL_URL=" + proxy.url()});
  Ended ended;
  EXPECT_TRUE(proxy.carry_until({CutPoint::Where::answer, Piece::nothing},
                                home.path() / ".local/state/svc/journal/local", client_id, [&] {
                                  client.send_signal(signal);
                                  ended.said = client.rest();
                                  ended.exit = client.wait();
                                }));
  return ended;
}

TEST(InFlight, ASignalReportsWhatMayBeLive) {
  const TraderHome home;
  for (const auto& [signal, code] :
       {std::pair{SIGINT, "interrupted"}, {SIGTERM, "terminated"}, {SIGHUP, "terminated"}}) {
    const std::string id = "order-" + std::to_string(signal);
    const Ended ended = ended_by(home, signal, id, Program::Stdio::pipe);
    EXPECT_EQ(ended.exit, 128 + signal);
    const auto document = parse_json(ended.said);
    ASSERT_TRUE(document.has_value()) << ended.said;
    EXPECT_EQ(document->string_at("error.code"), code);
    EXPECT_EQ(document->string_at("error.message"), "order " + id + " was sent and may be live");
    EXPECT_NE(ended.said.find("svc -n local orders get --client-id " + id), std::string::npos) << ended.said;
    EXPECT_EQ(home.run({"orders", "get", "--client-id", id}).string_at("data.client_id"), id) << "and it is";
  }
}

// Whoever was shown nothing sends it again.
TEST(InFlight, AKillBeforeTheAnswerIsPrintedMakesNoSecondOrder) {
  const TraderHome home;
  const std::vector<std::string> buy{"-n", "local", "buy", "0.01", "BTC-USDX-PERP", "@", "59000", "--action", "omit"};
  home.run({"local", "fault", "add", "--operation", "place_order", "--latency", "200"});
  Program killed(buy, home.path(), Program::Stdio::terminal);
  killed.type("\x13");  // Ctrl-S: the terminal takes no output
  const auto has_answered = [&] { return home.open_orders() == 1; };
  for (int looks = 0; looks < looks_max && !has_answered(); ++looks) continue;
  killed.cut();
  Program again(buy, home.path());
  static_cast<void>(again.rest());
  EXPECT_EQ(again.wait(), code_of(ExitCode::local_guard));
  EXPECT_EQ(home.open_orders(), 1u);
  std::vector<std::string> meant = buy;
  meant.emplace_back("--allow-duplicate");
  Program sent(meant, home.path());
  static_cast<void>(sent.rest());
  EXPECT_EQ(sent.wait(), 0);
  EXPECT_EQ(home.open_orders(), 2u);
}

// A job that repeats what failed must not buy twice: either the exit code is that of the answer, or the repeat is
// refused.
TEST(InFlight, ASignalAfterTheAnswerWasShownMakesNoSecondOrder) {
  const TraderHome home;
  for (int i = 0; i < 5; ++i) {
    const std::vector<std::string> words{"-n",   "local",         "--json", "buy",
                                         "0.01", "BTC-USDX-PERP", "@",      std::to_string(59'000 - i)};
    Program buy(words, home.path());
    EXPECT_NE(buy.line().find(R"("ok":true)"), std::string::npos);
    buy.send_signal(SIGTERM);
    const int exit = buy.wait();
    if (exit == 0) continue;
    EXPECT_EQ(exit, 128 + SIGTERM);
    Program again(words, home.path());
    static_cast<void>(again.rest());
    EXPECT_EQ(again.wait(), code_of(ExitCode::local_guard));
  }
}

TEST(InFlight, ASignalInABatchReportsWhatWasAnsweredBefore) {
  const TraderHome home;
  const auto file = home.path() / "batch.ndjson";
  std::ofstream orders(file);
  for (const char* price : {"59001", "59002"})
    orders << R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.01","price":")" << price
           << "\"}\n";
  orders.close();
  home.run(
      {"local", "fault", "add", "--operation", "place_orders", "--latency", "60000", "--when", "body.0.price=59002"});
  Program batch({"-n", "local", "--json", "orders", "batch", "-f", file.string(), "--chunk", "1"}, home.path());
  const auto requests = [&] {
    const Json all = home.run({"local", "requests"});
    return std::ranges::count_if(all.find("data")->items(),
                                 [](const Json& one) { return one.string_at("operation") == "place_orders"; });
  };
  for (int looks = 0; looks < looks_max && requests() < 2; ++looks) continue;
  batch.send_signal(SIGTERM);
  const auto document = parse_json(batch.rest());
  EXPECT_EQ(batch.wait(), 128 + SIGTERM);
  ASSERT_TRUE(document.has_value());
  EXPECT_NE(document->text_at("error.message").find("may be live; before that, order "), std::string::npos)
      << document->dump();
}

TEST(InFlight, ASignalBetweenRequestsReportsWhatWasAccepted) {
  const TraderHome home;
  const auto count = [&](std::vector<std::string> words) {
    return home.run(std::move(words)).find("data")->items().size();
  };
  const std::size_t before = count({"journal", "list"});
  Program waits({"-n", "local", "--json", "bridge", "withdraw", "10", "--wait"}, home.path());
  const auto is_answered = [&] {
    const Json rows = home.run({"journal", "list"});
    return rows.find("data")->items().size() > before && count({"outbox", "list"}) == 0;
  };
  for (int looks = 0; looks < looks_max && !is_answered(); ++looks) continue;
  waits.send_signal(SIGTERM);
  const auto document = parse_json(waits.rest());
  EXPECT_EQ(waits.wait(), 128 + SIGTERM);
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->string_at("error.code"), "terminated");
  EXPECT_NE(document->text_at("error.message").find("was accepted"), std::string::npos) << document->dump();
  EXPECT_EQ(count({"bridge", "withdrawals", "list"}), 1u);
}

TEST(InFlight, ASignalDuringAReadLeavesOneDocument) {
  const TraderHome home;
  Program waits({"-n", "local", "--json", "markets", "status", "BTC-USDX-PERP", "--wait", "halted"}, home.path());
  const std::size_t before = home.run({"local", "requests"}).find("data")->items().size();
  for (int looks = 0; looks < looks_max; ++looks)
    if (home.run({"local", "requests"}).find("data")->items().size() > before) break;
  waits.send_signal(SIGINT);
  const auto document = parse_json(waits.rest());
  EXPECT_EQ(waits.wait(), 128 + SIGINT);
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->string_at("error.code"), "interrupted");
}

TEST(InFlight, ASignalReportsItOnATerminalToo) {
  const TraderHome home;
  const Ended ended = ended_by(home, SIGINT, "mine", Program::Stdio::terminal);
  EXPECT_EQ(ended.exit, 128 + SIGINT);
  EXPECT_NE(ended.said.find("order mine was sent and may be live"), std::string::npos) << ended.said;
  EXPECT_NE(ended.said.find("try: svc -n local orders get --client-id mine"), std::string::npos) << ended.said;
}

}  // namespace SVC_FILE
}  // namespace svc::cli
