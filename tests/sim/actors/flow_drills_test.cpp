// Drills: the announced event happens, every invariant holds, and the market recovers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

#include "sim/actors/flow_market.h"
#include "surroundings.h"

namespace svc::sim {
namespace SVC_FILE {

class Drills : public testing::Test {
 protected:
  Drills() { market.pass(30 * second_ms); }

  // Lets time pass and checks every invariant every ten seconds.
  void live(std::int64_t ms) {
    constexpr std::int64_t step_ms = 10 * second_ms;
    for (std::int64_t gone = 0; gone < ms; gone += step_ms) {
      market.pass(step_ms);
      ASSERT_EQ(market.exchange.violations(), Json::array());
    }
  }
  void begin(const std::string& drill) {
    const Reply begun = market.flow({{"drill", drill}});
    ASSERT_EQ(begun.status, 200) << begun.body;
    ASSERT_EQ(begun.body["drill"], drill);
  }

  FlowMarket market;
};

TEST_F(Drills, AFlashCrashTakesAQuarterAndLiquidates) {
  const double before = market.mark();
  begin("flash-crash");
  live(70 * second_ms);
  EXPECT_LT(market.mark(), 0.79 * before);
  EXPECT_GT(market.get("/stats")["liquidations_total"].get<int>(), 0) << market.get("/stats");
  live(minute_ms);
  EXPECT_GE(market.book()["bids"].size(), 5u);
}

TEST_F(Drills, ATwoMarketGapExhaustsDeleveragingAndHaltsTheFirstMarket) {
  begin("two-market-gap");
  live(20 * second_ms);
  const Json status = market.get("/markets/BTC-USDX-PERP/status");
  EXPECT_EQ(status["status"], "halted") << status;
  EXPECT_EQ(status["halt_reason"], "adl_exhausted") << status;
  live(minute_ms);
  EXPECT_GE(market.book("SOL-USDX-PERP")["bids"].size(), 10u);
  ASSERT_EQ(market.exchange.control("/markets/BTC-USDX-PERP/resume", {{"inject", "50000000"}}).status, 200);
  live(20 * second_ms);
  EXPECT_GE(market.book()["bids"].size(), 10u);
}

TEST(GapDrill, SendsBoundedOrdersIntoAMarketOfSmallOnes) {
  SandboxOptions options = lively_options();
  options.markets = engine::standard_markets();
  options.markets[0].max_order_size = Lots{100};  // 0.1 BTC; the positions would take 10,000 such orders
  FlowMarket market(options);
  market.pass(30 * second_ms);
  ASSERT_EQ(market.flow({{"drill", "two-market-gap"}}).status, 200);
  const auto commands = [&] { return market.get("/_svc/status")["sequence"].get<std::uint64_t>(); };
  const std::uint64_t before = commands();
  market.pass(3 * second_ms);
  EXPECT_LT(commands() - before, 1'000u);
  EXPECT_EQ(market.exchange.violations(), Json::array());
}

TEST(GapDrill, IsRefusedWhereItsGapsLeaveNobodyInsolvent) {
  SandboxOptions options = lively_options();
  options.markets = engine::standard_markets();
  options.markets[1].max_leverage = 24;
  FlowMarket market(options);
  market.pass(30 * second_ms);
  const Reply refused = market.flow({{"drill", "two-market-gap"}});
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body["message"].get<std::string>().find("ETH-USDX-PERP allows no leverage of 25"),
            std::string::npos)
      << refused.body;
}

TEST_F(Drills, AThinBookHoldsLittleFarAway) {
  const auto depth = [&] {
    double sum = 0;
    const Json book = market.book();
    const double best = book["bids"][0][0];
    for (const Json& level : book["bids"])
      if (level[0].get<double>() > best * 0.998) sum += level[1].get<double>();
    return sum;
  };
  const double before = depth();
  begin("thin-book");
  live(20 * second_ms);
  EXPECT_LT(depth(), before / 5);
}

TEST_F(Drills, AStaleOracleRefusesOrdersUntilPricesReturn) {
  const Trader alice(market.exchange, 0);
  const auto order = [&] { return alice.post("/orders", limit_order("Buy", "0.01", "50000")); };
  const std::string resting = alice.limit("Buy", "0.01", "50000")["id"];
  begin("stale-oracle");
  live(20 * second_ms);
  EXPECT_EQ(order().code(), "OracleStale");
  const auto amended = alice.patch("/orders/" + resting, {{"price", "50001"}});
  EXPECT_EQ(amended.code(), "OracleStale");
  EXPECT_EQ(amended.status, 400);
  live(40 * second_ms);
  EXPECT_EQ(order().status, 201);
}

TEST_F(Drills, AnExtremeOfFundingReachesTheCap) {
  begin("funding-extreme");
  // Most of this interval has a premium, enough for the cap.
  for (int ten_minutes = 0; ten_minutes < 5; ++ten_minutes) {
    market.pass(10 * minute_ms);
    ASSERT_EQ(market.exchange.violations(), Json::array());
  }
  const Json settled = market.get("/markets/BTC-USDX-PERP/funding");
  EXPECT_TRUE(std::any_of(settled.begin(), settled.end(), [](const Json& row) {
    return row["funding_rate"] == "0.001";
  })) << settled;
}

TEST_F(Drills, AQuietMarketTradesNothing) {
  begin("quiet");
  live(20 * second_ms);
  const std::size_t before = market.trades("SOL-USDX-PERP");
  live(minute_ms);
  EXPECT_EQ(market.trades("SOL-USDX-PERP"), before);
}

TEST_F(Drills, ADrillNeedsBotsAndAName) {
  EXPECT_EQ(market.flow({{"drill", "earthquake"}}).status, 400);
  market.flow({{"bots", false}});
  EXPECT_EQ(market.flow({{"drill", "quiet"}}).status, 422);
}

// SVC_FLOW_MINUTES=120 runs two hours with every drill.
TEST(FlowSoak, EveryInvariantHoldsDuringAllDrills) {
  const std::int64_t lasts_ms = static_cast<std::int64_t>(test::setting("SVC_FLOW_MINUTES", 3)) * minute_ms;
  FlowMarket market;
  const std::string drills[] = {"flash-crash", "quiet", "thin-book", "stale-oracle", "two-market-gap"};
  std::size_t next = 0;
  const std::int64_t between_ms = lasts_ms / static_cast<std::int64_t>(std::size(drills) + 1);
  std::int64_t until_drill_ms = between_ms;
  for (std::int64_t gone = 0; gone < lasts_ms; gone += 5 * second_ms) {
    market.pass(5 * second_ms);
    ASSERT_EQ(market.exchange.violations(), Json::array()) << "after " << gone / second_ms << " seconds";
    if (market.market_status() == "halted")
      market.exchange.control("/markets/BTC-USDX-PERP/resume", {{"inject", "50000000"}});
    until_drill_ms -= 5 * second_ms;
    if (until_drill_ms > 0 || next == std::size(drills)) continue;
    ASSERT_EQ(market.flow({{"drill", drills[next++]}}).status, 200);
    until_drill_ms = between_ms;
  }
  EXPECT_EQ(next, std::size(drills));
  const Json stats = market.get("/stats");
  std::cout << "state " << market.hash() << ", stats " << stats.dump() << '\n';
}

}  // namespace SVC_FILE
}  // namespace svc::sim
