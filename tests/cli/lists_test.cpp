// The flags that all lists share: what the service does not choose itself is chosen here, and said.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "cli/desk.h"

namespace svc::cli {
namespace {

const std::string btc = "BTC-USDX-PERP";

std::size_t rows(const Ran& ran) {
  const Json document = ran.document();
  return document.find("data")->items().size();
}

bool warned(const Ran& ran, std::string_view code) {
  const Json document = ran.document();
  const auto& warnings = document.find("warnings")->items();
  return std::any_of(warnings.begin(), warnings.end(), [&](const Json& one) { return one.string_at("code") == code; });
}

struct Trader : Desk {
  Trader() {
    seat("alice");
    for (const char* order :
         {"buy 0.1 BTC-USDX-PERP @ 59000", "buy 0.2 ETH-USDX-PERP @ 2900", "buy 0.3 BTC-USDX-PERP @ 58000"}) {
      EXPECT_EQ(run("-n local " + std::string(order)).exit, 0);
      clock.advance(60'000);
    }
  }
};

TEST(Lists, OpenOrdersAreCutByMarketTimeAndNumberAfterTheyAreSorted) {
  Trader desk;
  EXPECT_EQ(rows(desk.run("-n local --json orders list")), 3U);
  EXPECT_EQ(rows(desk.run("-n local --json orders list --all")), 3U);
  const Ran first = desk.run("-n local --json orders list --sort price:desc --limit 1");
  ASSERT_EQ(rows(first), 1U);
  EXPECT_EQ(first.document().find("data")->items().front().string_at("price"), "59000");
  EXPECT_FALSE(warned(first, "filtered_locally"));
  const Ran market = desk.run("-n local --json orders list --market " + btc);
  EXPECT_EQ(rows(market), 2U);
  EXPECT_TRUE(warned(market, "filtered_locally"));
  // The second was sent a minute after the first, the third two.
  const auto after = [](int minutes) { return std::to_string(desk_start_ms + minutes * 60'000 - 30'000); };
  EXPECT_EQ(rows(desk.run("-n local --json orders list --since " + after(1))), 2U);
  EXPECT_EQ(rows(desk.run("-n local --json orders list --since " + after(1) + " --until " + after(2))), 1U);
}

TEST(Lists, RefuseAFilterThatTheRowsCannotAnswer) {
  Trader desk;
  for (const std::string& line : std::vector<std::string>{
           "positions list --since 0", "deposits list --market " + btc, "bridge deposits list --market " + btc,
           "orders list --limit 1 --all", "orders list --limit 0", "fills list --limit 5 --all"}) {
    const std::size_t sent = desk.sent.size();
    const Ran ran = desk.run("-n local " + line);
    EXPECT_EQ(ran.exit, 2) << line;
    EXPECT_EQ(desk.sent.size(), sent) << line;
  }
  EXPECT_NE(desk.run("-n local positions list --since 0").err.find("the service's rows have no time"),
            std::string::npos);
}

TEST(Lists, MarketsAreChosenByAStateThatOnlyTheSummaryTells) {
  Desk desk;
  EXPECT_EQ(rows(desk.run("-n local --json markets list --status halted")), 0U);
  ASSERT_EQ(desk.run("local halt ETH-USDX-PERP").exit, 0);
  const Ran halted = desk.run("-n local --json markets list --status halted");
  ASSERT_EQ(rows(halted), 1U);
  EXPECT_EQ(halted.document().find("data")->items().front().string_at("market_id"), "ETH-USDX-PERP");
  EXPECT_TRUE(warned(halted, "filtered_locally"));
  EXPECT_EQ(desk.run("-n local markets list --sort market --limit 2 --fields market,status --no-header").out,
            "BTC-USDX-PERP\tactive\nETH-USDX-PERP\thalted\n");
}

TEST(Lists, OfOneMarketTakeItEitherWay) {
  Desk desk;
  EXPECT_EQ(desk.run("-n local markets funding " + btc).exit, 0);
  EXPECT_EQ(desk.run("-n local markets funding --market " + btc).exit, 0);
  EXPECT_EQ(desk.run("-n local markets funding " + btc + " --market " + btc).exit, 2);
  EXPECT_EQ(desk.run("-n local markets funding").exit, 2);
}

TEST(Lists, APortfolioReachesBackAsFarAsItIsAskedFor) {
  Trader desk;
  const auto window = [&](const std::string& since) {
    desk.sent.clear();
    EXPECT_EQ(desk.run("-n local account portfolio-history --since " + since).exit, 0);
    return desk.sent.back().target;
  };
  EXPECT_EQ(window("2026-09-21T00:00:00Z").find("window="), std::string::npos);  // a day is the default
  EXPECT_NE(window("2026-09-15T00:00:00Z").find("window=week"), std::string::npos);
  EXPECT_NE(window("2026-09-01T00:00:00Z").find("window=month"), std::string::npos);
  EXPECT_NE(window("2020-01-01T00:00:00Z").find("window=all"), std::string::npos);
}

TEST(Lists, RawPagesBecomeOneListAtTheirCursors) {
  Trader desk;
  EXPECT_EQ(desk.run("-n local orders cancel-all").exit, 0);
  const Ran one = desk.run("-n local api GET /orders/history --query limit=2");
  EXPECT_EQ(parse_json(one.out)->items().size(), 2U);
  desk.sent.clear();
  const Ran all = desk.run("-n local api GET '/orders/history?limit=2' --paginate");
  ASSERT_EQ(all.exit, 0) << all.err;
  EXPECT_EQ(parse_json(all.out)->items().size(), 3U);
  EXPECT_EQ(desk.sent.size(), 2U);
  EXPECT_EQ(desk.run("-n local api POST /orders --paginate").exit, 2);
}

TEST(Lists, AWatchedListIsOneStreamWithOneEnd) {
  Trader desk;
  int requests = 0;
  desk.intercept = [&](const api::HttpRequest& request) -> std::optional<Result<api::HttpResponse, api::TransportError>> {
    if (request.target.find("/orders") != std::string::npos && ++requests == 3) ::raise(SIGTERM);
    return std::nullopt;
  };
  const Ran ran = desk.run("-n local orders list --watch=1 --limit 1 -o ndjson");
  EXPECT_EQ(ran.exit, 143) << ran.err;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 4);
  EXPECT_EQ(ran.out.find(R"("type":"end")"), ran.out.rfind(R"("type":"end")"));
  EXPECT_NE(ran.out.find(R"("code":"terminated")"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace svc::cli
