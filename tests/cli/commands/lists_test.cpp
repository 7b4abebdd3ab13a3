// The flags that all lists share: filters that the service does not have are applied locally, and reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "base/clock.h"
#include "cli/arguments/durations.h"
#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

const std::string btc = "BTC-USDX-PERP";

std::string rfc_day(TimestampMs at_ms) {
  return utc_text(at_ms).substr(0, 10);
}

bool warned(const RunResult& ran, std::string_view code) {
  const Json document = ran.document();
  const auto& warnings = document.find("warnings")->items();
  return std::any_of(warnings.begin(), warnings.end(), [&](const Json& one) { return one.string_at("code") == code; });
}

struct Trader : ClientMachine {
  Trader() {
    add_trader("alice");
    for (const char* order :
         {"buy 0.1 BTC-USDX-PERP @ 59000", "buy 0.2 ETH-USDX-PERP @ 2900", "buy 0.3 BTC-USDX-PERP @ 58000"}) {
      EXPECT_EQ(run("-n local " + std::string(order)).exit, 0);
      clock.advance(60'000);
    }
  }
};

TEST(Lists, OpenOrdersAreFilteredByMarketAndTimeAndLimitedAfterSorting) {
  Trader machine;
  EXPECT_EQ(machine.open_orders(), 3U);
  EXPECT_EQ(machine.run("-n local --json orders list --all").rows().size(), 3U);
  const RunResult first = machine.run("-n local --json orders list --sort price:desc --limit 1");
  ASSERT_EQ(first.rows().size(), 1U);
  EXPECT_EQ(first.rows().front().string_at("price"), "59000");
  EXPECT_FALSE(warned(first, "filtered_locally"));
  const RunResult market = machine.run("-n local --json orders list --market " + btc);
  EXPECT_EQ(market.rows().size(), 2U);
  EXPECT_FALSE(warned(market, "filtered_locally"));  // the service has this filter
  // The second order was sent a minute after the first one, the third two minutes.
  const auto after = [](int minutes) { return std::to_string(machine_start_ms + minutes * 60'000 - 30'000); };
  EXPECT_EQ(machine.run("-n local --json orders list --since " + after(1)).rows().size(), 2U);
  EXPECT_EQ(machine.run("-n local --json orders list --since " + after(1) + " --until " + after(2)).rows().size(), 1U);
}

// Two trades in BTC, then two in ETH, a minute apart: limiting before filtering would leave no BTC among the newest.
struct Traders : ClientMachine {
  Traders() {
    add_trader("bob");
    add_trader("alice");
    for (const char* trade : {"0.1 BTC-USDX-PERP @ 60000", "0.2 BTC-USDX-PERP @ 60000", "0.1 ETH-USDX-PERP @ 3000",
                              "0.2 ETH-USDX-PERP @ 3000"}) {
      EXPECT_EQ(run("-n local --signer bob sell " + std::string(trade)).exit, 0);
      EXPECT_EQ(run("-n local --signer alice buy " + std::string(trade)).exit, 0);
      clock.advance(60'000);
    }
  }
};

TEST(Lists, FiltersApplyBeforeTheLimit) {
  Traders machine;
  for (const std::string command : {"fills list", "orders history", "account activity"}) {
    const RunResult ran = machine.run("-n local --json " + command + " --market " + btc + " --limit 1");
    ASSERT_EQ(ran.rows().size(), 1U) << command << ran.out;
    EXPECT_EQ(ran.rows().front().string_at("market_id"), btc) << command;
  }
  // Only the oldest row is from before the second minute.
  const std::string minute = std::to_string(machine_start_ms + 30'000);
  for (const std::string& command : {std::string("fills list"), std::string("orders history"),
                                     std::string("account activity"), "markets trades " + btc})
    EXPECT_EQ(machine.run("-n local --json " + command + " --until " + minute + " --limit 1").rows().size(), 1U)
        << command;
  EXPECT_EQ(machine.run("-n local --json deposits list --until " + minute + " --limit 1").rows().size(), 1U);
}

TEST(Lists, FiltersOfTheServiceAreSent) {
  Traders machine;
  machine.sent.clear();
  const RunResult ran = machine.run("-n local --json fills list --market btc --since 1h --limit 2");
  EXPECT_EQ(ran.rows().size(), 2U);
  EXPECT_FALSE(warned(ran, "filtered_locally"));
  const std::string target = machine.sent.back().target;
  EXPECT_TRUE(has(target, "market_id=BTC-USDX-PERP"));
  EXPECT_TRUE(has(target, "startTime="));
  EXPECT_TRUE(has(target, "limit=2"));
}

TEST(Lists, ReadFurtherPagesIfTheServiceIgnoresAFilter) {
  Traders machine;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.target.find("/fills") == std::string::npos) return std::nullopt;
    const bool first = request.target.find("cursor=") == std::string::npos;
    api::HttpResponse response;
    response.status = 200;
    if (first) response.headers.add("X-Next-Cursor", "more");
    response.body = std::string(R"([{"id":"1","order_id":"o","market_id":")") + (first ? "ETH-USDX-PERP" : btc) +
                    R"(","side":"buy","price":"1","size":"1","fee":"0","taker_or_maker":"taker","timestamp":1,)" +
                    R"("is_liquidation":false}])";
    return response;
  };
  const RunResult ran = machine.run("-n local --json fills list --market " + btc + " --limit 1");
  ASSERT_EQ(ran.rows().size(), 1U) << ran.out;
  EXPECT_EQ(ran.rows().front().string_at("market_id"), btc);
}

TEST(Lists, TheLimitOfASeriesKeepsTheNewestPoints) {
  Traders machine;
  machine.clock.advance(30 * 60'000);
  EXPECT_EQ(machine.run("-n local account summary").exit, 0);  // the sandbox's time passes too
  const auto times = [&](const std::string& line, const char* path) {
    const Json document = machine.run("-n local --json " + line).document();
    std::vector<std::int64_t> found;
    for (const Json& point : document.at(path)->items()) found.push_back(point.integer_at("timestamp_ms").value_or(0));
    return found;
  };
  const auto all = times("account portfolio-history", "data.points");
  ASSERT_GT(all.size(), 3U);
  EXPECT_EQ(times("account portfolio-history --limit 2", "data.points"),
            (std::vector<std::int64_t>(all.end() - 2, all.end())));
  const auto equity = times("account equity-history", "data");
  ASSERT_GT(equity.size(), 3U);
  EXPECT_EQ(times("account equity-history --limit 2", "data"),
            (std::vector<std::int64_t>(equity.end() - 2, equity.end())));
}

TEST(Lists, PortfolioHistoryEndsWithThePresent) {
  Traders machine;
  machine.clock.advance(30 * 60'000 + 1'234);
  EXPECT_EQ(machine.run("-n local account summary").exit, 0);
  const auto times = [&](const std::string& flags) {
    std::istringstream in(
        machine.run("-n local account portfolio-history --no-header --fields time -o tsv" + flags).out);
    std::vector<std::string> found;
    for (std::string line; std::getline(in, line);) found.push_back(line);
    return found;
  };
  const Json now = *machine.run("-n local --json account portfolio-history").document().at("data.now");
  const auto all = times("");
  ASSERT_GT(all.size(), 3U);
  EXPECT_EQ(all.back().substr(0, 19), utc_text(*now.integer_at("timestamp_ms")).substr(0, 19));
  const auto two = times(" --limit 2");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0], all[all.size() - 2]);
  EXPECT_EQ(two[1].substr(0, 19), all.back().substr(0, 19));
  EXPECT_EQ(times(" --until 2026-09-21T12:05:00Z").back().substr(0, 15), "2026-09-21T12:0");  // not the present
}

TEST(Lists, ComputedColumnsCanBeSortedBy) {
  Traders machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  machine.clock.advance(13 * 60'000);
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59001").exit, 0);
  machine.clock.advance(50'000);
  EXPECT_EQ(machine.run("-n local orders list --sort age --fields age --no-header").out, "50s\n13m\n");
  EXPECT_EQ(machine.run("-n local positions list --sort mark --fields mark --no-header").out, "3000\n60000\n");
  EXPECT_EQ(machine.run("-n local positions list --sort mark:desc --fields market --limit 1 --no-header").out,
            btc + "\n");
  const std::string list = "-n local --signer alice transfers list --fields direction --no-header --sort direction";
  for (const char* who : {"bob", "alice"})
    EXPECT_EQ(machine.run("-n local --signer " + std::string(who) + " transfers enroll" + machine.with_password).exit,
              0);
  const auto pay = [&](const std::string& from, const std::string& to) {
    const std::string payee =
        machine.run("-n local --json --signer " + to + " whoami").document().text_at("data.owner");
    return machine.run("-n local --signer " + from + " transfers send 5 --allow-new-address --to " + payee +
                       machine.with_password);
  };
  for (const char* who : {"bob", "alice"}) {
    EXPECT_EQ(machine.run("-n local --signer " + std::string(who) + " orders cancel-all").exit, 0);
  }
  // Each takes the other's position, so that both are flat.
  for (const char* trade : {"0.3 BTC-USDX-PERP @ 60000", "0.3 ETH-USDX-PERP @ 3000"}) {
    EXPECT_EQ(machine.run("-n local --signer alice sell " + std::string(trade)).exit, 0);
    EXPECT_EQ(machine.run("-n local --signer bob buy " + std::string(trade)).exit, 0);
  }
  EXPECT_EQ(pay("alice", "bob").exit, 0);
  EXPECT_EQ(pay("bob", "alice").exit, 0);
  EXPECT_EQ(pay("alice", "bob").exit, 0);
  EXPECT_EQ(machine.run(list + machine.with_password).out, "in\nout\nout\n");
  EXPECT_EQ(machine.run(list + ":desc" + machine.with_password).out, "out\nout\nin\n");
}

TEST(Lists, AnUnknownMarketIsAnErrorNotAnEmptyList) {
  Traders machine;
  for (const std::string command : {"orders list", "fills list", "positions list", "account activity",
                                    "funding payments", "markets list", "orders cancel-all", "flatten"}) {
    const RunResult ran = machine.run("-n local --json " + command + " --market DOGE-USDX-PERP");
    EXPECT_EQ(ran.exit, 5) << command << ran.out;
    EXPECT_EQ(ran.code(), "UnknownMarket") << command;
  }
  EXPECT_EQ(machine.run("-n local orders list --market " + btc).exit, 0);  // exists, but has no orders
}

TEST(Lists, TimesMayBeTypedInWords) {
  Traders machine;
  // A quarter of an hour after the trades.
  machine.clock.advance(15 * 60'000);
  EXPECT_EQ(machine.run("-n local --json fills list --since 10m").rows().size(), 0U);
  EXPECT_EQ(machine.run("-n local --json fills list --since 1h").rows().size(), 4U);
  EXPECT_EQ(machine.run("-n local --json fills list --since today").rows().size(), 4U);
  EXPECT_EQ(machine.run("-n local --json fills list --until today").rows().size(), 0U);
  EXPECT_EQ(machine.run("-n local --json fills list --since yesterday --until now").rows().size(), 4U);
  const std::string day = rfc_day(machine.clock.now_ms());
  EXPECT_EQ(machine.run("-n local --json fills list --since " + day).rows().size(), 4U);
  EXPECT_EQ(machine.run("-n local --json fills list --until " + day).rows().size(), 0U);
  EXPECT_EQ(machine.run("-n local fills list --since soon").exit, 2);
  for (const std::string list : {"fills list", "orders history", "funding payments"})
    EXPECT_EQ(machine.run("-n local --json " + list + " --since today --until today").rows().size(), 0U) << list;
  for (const std::string list : {"fills list", "orders list", "account portfolio-history"})
    EXPECT_EQ(machine.run("-n local " + list + " --since 1h --until 2h").exit, 2) << list;
  EXPECT_EQ(machine.run("-n local fills list --since 2026-02-30").exit, 2);
}

TEST(Lists, DaysBeginInTheDisplayZone) {
  const auto parsed = [](const std::string& text, const char* zone) {
    const auto shown = DisplayZone::find(zone, std::nullopt);
    const auto word = parse_time_word("--since", text, *shown);
    return word ? word->at(machine_start_ms, *shown) : 0;
  };
  constexpr TimestampMs midnight_ms = machine_start_ms - machine_start_ms % day_ms;
  EXPECT_EQ(parsed("today", "utc"), midnight_ms);
  EXPECT_EQ(parsed("yesterday", "utc"), midnight_ms - day_ms);
  EXPECT_EQ(parsed("2026-09-21", "utc"), midnight_ms);
  EXPECT_EQ(parsed("2026-09-21", "Europe/Berlin"), midnight_ms - 2 * hour_ms);
  EXPECT_EQ(parsed("today", "Europe/Berlin"), midnight_ms - 2 * hour_ms);
  EXPECT_EQ(parsed("90m", "utc"), machine_start_ms - 90 * minute_ms);
}

TEST(MarketNames, MayBeTypedShort) {
  Traders machine;
  for (const std::string name : {"btc", "BTC", "BTC-USDX", "btc-usdx-perp"}) {
    EXPECT_EQ(machine.run("-n local --json markets status " + name).document().string_at("data.market_id"), btc)
        << name;
    EXPECT_EQ(machine.run("-n local --json buy .1 " + name + " @ 59000").document().string_at("data.order.quantity"),
              "0.1")
        << name;
  }
  EXPECT_EQ(machine.run("-n local --json orders list --market btc").rows().size(), 4U);
  const RunResult none = machine.run("-n local buy 0.1 doge @ 1");
  EXPECT_EQ(none.exit, 5);
  EXPECT_TRUE(has(none.err, "there are BTC-USDX-PERP, ETH-USDX-PERP"));
  EXPECT_EQ(machine.run("-n local orders list --market b!").exit, 2);
  // A complete id needs no request, and a dry run never sends one.
  machine.sent.clear();
  EXPECT_EQ(machine.run("-n local --dry-run buy 0.1 " + btc + " @ 59000").exit, 0);
  EXPECT_TRUE(machine.sent.empty());
}

TEST(AccountNames, MayBeWalletsOrAddressLabels) {
  Traders machine;
  const auto whose = [&](const std::string& line) {
    return std::string(
        machine.run("-n local --json " + line + " orders list").document().string_at("account").value_or(""));
  };
  EXPECT_EQ(whose("-a bob"), whose("--signer bob"));
  EXPECT_NE(whose("-a bob"), whose("-a alice"));
  const RunResult nobody = machine.run("-n local -a carol orders list");
  EXPECT_EQ(nobody.exit, 2);
  EXPECT_TRUE(has(nobody.err, "a wallet of network local"));
  const std::string payee = "0x00000000000000000000000000000000000000aa";
  ASSERT_EQ(machine.run("-n local addresses add friend " + payee).exit, 0);
  const RunResult paid = machine.run("-n local --dry-run --json transfers send 5 --to friend" + machine.with_password);
  EXPECT_TRUE(has(paid.out, payee)) << paid.out << paid.err;
  EXPECT_EQ(machine.run("-n local --dry-run transfers send 5 --to stranger").exit, 5);
}

TEST(Lists, RefuseImpossibleAndContradictoryFilters) {
  Trader machine;
  for (const std::string& line : std::vector<std::string>{
           "positions list --since 0", "deposits list --market " + btc, "bridge deposits list --market " + btc,
           "orders list --limit 1 --all", "orders list --limit 0", "fills list --limit 5 --all"}) {
    const std::size_t sent = machine.sent.size();
    const RunResult ran = machine.run("-n local " + line);
    EXPECT_EQ(ran.exit, 2) << line;
    EXPECT_EQ(machine.sent.size(), sent) << line;
  }
  EXPECT_TRUE(has(machine.run("-n local positions list --since 0").err, "the service's rows have no time"));
}

TEST(Lists, MarketsAreFilteredByTheStateInTheSummary) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("-n local --json markets list --status halted").rows().size(), 0U);
  ASSERT_EQ(machine.run("local halt ETH-USDX-PERP").exit, 0);
  const RunResult halted = machine.run("-n local --json markets list --status halted");
  ASSERT_EQ(halted.rows().size(), 1U);
  EXPECT_EQ(halted.rows().front().string_at("market_id"), "ETH-USDX-PERP");
  EXPECT_TRUE(warned(halted, "filtered_locally"));
  EXPECT_EQ(machine.run("-n local markets list --sort market --limit 2 --fields market,status --no-header").out,
            "BTC-USDX-PERP\tactive\nETH-USDX-PERP\thalted\n");
}

TEST(Lists, AcceptTheMarketAsArgumentOrFlag) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("-n local markets funding " + btc).exit, 0);
  EXPECT_EQ(machine.run("-n local markets funding --market " + btc).exit, 0);
  EXPECT_EQ(machine.run("-n local markets funding " + btc + " --market " + btc).exit, 2);
  EXPECT_EQ(machine.run("-n local markets funding").exit, 2);
}

TEST(Lists, PortfolioHistoryReachesBackAsFarAsRequested) {
  Trader machine;
  const auto window = [&](const std::string& since) {
    machine.sent.clear();
    EXPECT_EQ(machine.run("-n local account portfolio-history --since " + since).exit, 0);
    return machine.sent.back().target;
  };
  EXPECT_FALSE(has(window("2026-09-21T00:00:00Z"), "window="));  // a day is the default
  EXPECT_TRUE(has(window("2026-09-15T00:00:00Z"), "window=week"));
  EXPECT_TRUE(has(window("2026-09-01T00:00:00Z"), "window=month"));
  EXPECT_TRUE(has(window("2020-01-01T00:00:00Z"), "window=all"));
}

TEST(Lists, RawPagesAreJoinedIntoOneList) {
  Trader machine;
  EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0);
  const RunResult one = machine.run("-n local api GET /orders/history --query limit=2");
  EXPECT_EQ(parse_json(one.out)->items().size(), 2U);
  machine.sent.clear();
  const RunResult all = machine.run("-n local api GET '/orders/history?limit=2' --paginate");
  ASSERT_EQ(all.exit, 0) << all.err;
  EXPECT_EQ(parse_json(all.out)->items().size(), 3U);
  EXPECT_EQ(machine.sent.size(), 2U);
  EXPECT_EQ(machine.run("-n local api POST /orders --paginate").exit, 2);
}

TEST(Lists, RawOutputHasEveryPageAsItCame) {
  Trader machine;
  EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0);
  std::size_t pages = 0;
  std::optional<api::HttpResponse> first;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.target.find("/account/activity") == std::string::npos) return std::nullopt;
    // The second of three pages is empty.
    if (!first) first = machine.deliver(request);
    api::HttpResponse page = *first;
    if (++pages == 2) page.body = "[]";
    if (pages < 3) page.headers.set("X-Next-Cursor", std::to_string(pages));
    return page;
  };
  const RunResult raw = machine.run("-n local account activity --all -o raw");
  ASSERT_EQ(raw.exit, 0) << raw.err;
  ASSERT_EQ(pages, 3u);
  EXPECT_EQ(raw.out, first->body + "\n[]\n" + first->body + "\n");
}

const std::vector<std::string> lists_with_pages = {"fills list --all",
                                                   "fills list --limit 5",
                                                   "orders history --all",
                                                   "account activity --all",
                                                   "markets trades BTC-USDX-PERP --all",
                                                   "api GET /fills --paginate"};

bool asks_for_page(const api::HttpRequest& request) {
  return std::ranges::any_of(std::vector<std::string_view>{"/fills", "/orders/history", "/account/activity", "/trades"},
                             [&](std::string_view end) { return request.path().ends_with(end); });
}

TEST(Lists, ThatLeadThroughEmptyPagesForEverAreNotRead) {
  Traders machine;
  for (const std::string& line : lists_with_pages) {
    int pages = 0;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (!asks_for_page(request)) return std::nullopt;
      return answered(200, "[]", {{"X-Next-Cursor", "c" + std::to_string(++pages)}});
    };
    const RunResult ran = machine.run("-n local --rate off " + line);
    EXPECT_EQ(ran.exit, 10) << line << ran.out << ran.err;
    EXPECT_TRUE(has(ran.err, "its pages are empty and do not end")) << line << ran.err;
    EXPECT_EQ(pages, 20) << line;
  }
}

TEST(Lists, ShowNoPageTwiceThatTheServerRepeats) {
  Traders machine;
  for (const std::string& line : lists_with_pages) {
    for (const std::size_t period : {1u, 3u}) {
      std::size_t pages = 0;
      machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
        if (!asks_for_page(request)) return std::nullopt;
        machine.clock.advance(second_ms);  // the budget of the page before
        api::HttpResponse page = machine.deliver(request);
        page.headers.set("X-Next-Cursor", "c" + std::to_string(pages++ % period));
        return page;
      };
      const RunResult ran = machine.run("-n local --rate off " + line);
      if (line.ends_with("--limit 5") && period == 3) continue;  // may have enough before
      EXPECT_EQ(ran.exit, 10) << line << ran.out << ran.err;
      EXPECT_TRUE(has(ran.err, "its pages lead back to one that was read")) << line << ran.err;
      EXPECT_EQ(pages, period + 1) << line;
    }
  }
}

TEST(Lists, AWatchedListIsOneStreamWithOneEndLine) {
  Trader machine;
  machine.intercept = terminated_at(3, "/orders");
  const RunResult ran = machine.run("-n local orders list --watch=1 --limit 1 -o ndjson");
  EXPECT_EQ(ran.exit, 143) << ran.err;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 4);
  EXPECT_EQ(ran.out.find(R"("type":"end")"), ran.out.rfind(R"("type":"end")"));
  EXPECT_TRUE(has(ran.out, R"("code":"terminated")"));
}

}  // namespace SVC_FILE
}  // namespace svc::cli
