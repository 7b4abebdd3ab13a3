#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

TEST(Stats, CountWhatTheEngineDid) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  exchange.control("/time", {{"advance_ms", 5'500}});
  EXPECT_EQ(exchange.get("/stats").body["fills_total"], 0);
  (void)alice.limit("Sell", "0.2", "60000");
  (void)bob.limit("Buy", "0.1", "60000");
  (void)bob.limit("Buy", "0.1", "60000");
  const Json stats = exchange.get("/api/v1/stats").body;
  EXPECT_EQ(stats["fills_total"], 4);
  EXPECT_EQ(stats["liquidations_total"], 0);
  EXPECT_EQ(stats["gap_count"], 0);
  EXPECT_EQ(stats["connected"], true);
  EXPECT_EQ(stats["health"], "Healthy");
  EXPECT_EQ(stats["uptime_seconds"], 5);
  EXPECT_EQ(stats["last_event_ms"], test_start_ms + 5'500);
  EXPECT_EQ(stats["highest_sequence_seen"], exchange.get("/_svc/status").body["sequence"]);
  EXPECT_GT(stats["events_received"], 0);
  EXPECT_EQ(stats["unique_traders_24h"], 2);
}

TEST(Stats, ATraderCountsUntilItsLastFillIsOlderThanTheWindow) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Sell", "0.2", "60000");
  (void)bob.limit("Buy", "0.1", "60000");
  const auto traders = [&] {
    const Json stats = exchange.get("/stats").body;
    return Json::array({stats["unique_traders_24h"], stats["unique_traders_7d"], stats["unique_traders_30d"]});
  };
  exchange.control("/time", {{"advance_ms", day_ms - 1}});
  EXPECT_EQ(traders(), Json::parse("[2,2,2]"));
  exchange.control("/time", {{"advance_ms", 1}});
  EXPECT_EQ(traders(), Json::parse("[0,2,2]"));
}

TEST(StatsHistory, HoldsEveryCompleteSecondOldestFirst) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  EXPECT_EQ(exchange.get("/stats/history").body, Json::array());
  exchange.control("/time", {{"advance_ms", 2'000}});
  (void)alice.limit("Sell", "0.2", "60000");
  (void)bob.limit("Buy", "0.1", "60000");
  exchange.control("/time", {{"advance_ms", 1'999}});
  const std::int64_t start = test_start_ms / 1'000;
  EXPECT_EQ(exchange.get("/stats/history").body, Json::array({{{"timestamp", start}, {"fills", 0}},
                                                              {{"timestamp", start + 1}, {"fills", 0}},
                                                              {{"timestamp", start + 2}, {"fills", 2}}}));
  EXPECT_EQ(exchange.get("/stats").body["events_per_sec"].is_number(), true);
  exchange.control("/time", {{"advance_ms", 2 * hour_ms}});
  const Json history = exchange.get("/api/v1/stats/history").body;
  EXPECT_EQ(history.size(), 3'600u);
  EXPECT_EQ(history.back()["timestamp"], start + 2 * 3'600 + 2);
}

TEST(StatsHistory, BeginsWithASandboxThatBeganInTheFirstSecondOf1970) {
  SandboxOptions options = test_options();
  options.start_at_ms = 0;
  TestExchange exchange(options);
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Sell", "0.1", "60000");
  (void)bob.limit("Buy", "0.1", "60000");
  EXPECT_EQ(exchange.get("/stats").body["last_event_ms"], 0);
  exchange.control("/time", {{"advance_ms", 2'000}});
  EXPECT_EQ(exchange.get("/stats/history").body,
            Json::array({{{"timestamp", 0}, {"fills", 2}}, {{"timestamp", 1}, {"fills", 0}}}));
}

TEST(StatsHistory, ATradeOfTheRunningSecondLeavesTheOldestPointAsItWas) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  const auto trade = [&] {
    (void)alice.limit("Sell", "0.1", "60000");
    (void)bob.limit("Buy", "0.1", "60000");
  };
  trade();
  exchange.control("/time", {{"advance_ms", hour_ms}});
  const Json before = exchange.get("/stats/history").body;
  EXPECT_EQ(before.front()["fills"], 2);
  trade();
  EXPECT_EQ(exchange.get("/stats/history").body, before);
}

TEST(Volume, IsTheSumOfTheFillsOfOneSide) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Sell", "0.2", "60000");
  (void)bob.limit("Buy", "0.15", "60000");
  (void)alice.limit("Sell", "2", "3000", "ETH-USDX-PERP");
  (void)bob.limit("Buy", "1", "3000", "ETH-USDX-PERP");
  const Json volume = exchange.get("/stats/volume").body;
  EXPECT_EQ(volume["total_volume"], "12000");
  EXPECT_EQ(volume["markets"][0], (Json{{"market_id", "BTC-USDX-PERP"}, {"volume", "9000"}}));
  EXPECT_EQ(volume["markets"][1], (Json{{"market_id", "ETH-USDX-PERP"}, {"volume", "3000"}}));
  EXPECT_EQ(volume["coverage_start_ms"], test_start_ms);
}

TEST(OpenInterest, IsTheValueOfThePositionsAtMark) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Sell", "0.2", "60000");
  (void)bob.limit("Buy", "0.2", "60000");
  exchange.control("/prices", {{"BTC-USDX-PERP", "60500"}});
  EXPECT_EQ(exchange.get("/stats/open-interest").body[0], (Json{{"market_id", "BTC-USDX-PERP"},
                                                                {"long_oi_base", "0.2"},
                                                                {"short_oi_base", "0.2"},
                                                                {"long_oi_quote", "12100"},
                                                                {"short_oi_quote", "12100"},
                                                                {"gross_oi_two_sided_quote", "24200"}}));
}

TEST(BalanceDistribution, CountsEveryAccountOnceByItsEquity) {
  SandboxOptions options = test_options();
  options.accounts = 3;
  TestExchange exchange(std::move(options));
  const auto fund = [&](char digit, const char* amount) {
    const auto wallet = *signing::PrivateKey::from_hex(std::string(64, digit));
    exchange.control("/fund", {{"account", to_string(wallet.address())}, {"amount", amount}});
  };
  fund('4', "0.999999");
  fund('5', "1");
  fund('6', "20000000");
  const Trader stranger(exchange, *signing::PrivateKey::from_hex(std::string(64, '7')));  // never held money
  const Json body = exchange.get("/stats/balance-distribution").body;
  EXPECT_EQ(body["network"], "local");
  EXPECT_EQ(body["testnet"], true);
  EXPECT_EQ(body["total_accounts"], 6);
  std::string counts;
  for (const Json& bucket : body["buckets"])
    counts += bucket["from"].get<std::string>() + "-" +
              (bucket["below"].is_null() ? "" : bucket["below"].get<std::string>()) + ":" + bucket["accounts"].dump() +
              " ";
  EXPECT_EQ(counts,
            "0-1:1 1-10:1 10-100:0 100-1000:0 1000-10000:0 10000-100000:0 100000-1000000:3 "
            "1000000-10000000:0 10000000-:1 ");
}

TEST(ReferralStats, AreZeroAndEveryAccountLacksACode) {
  TestExchange exchange;
  const auto accounts = exchange.sandbox.accounts().size();
  EXPECT_EQ(exchange.get("/stats/referrals").body, (Json{{"codes_minted", 0},
                                                         {"edges_bound", 0},
                                                         {"active_referred", 0},
                                                         {"conversion_ratio", 0},
                                                         {"accounts_without_code", accounts}}));
}

TEST(Status, IsTheWorstOfItsParts) {
  TestExchange exchange;
  const Json well = exchange.get("/status").body;
  EXPECT_EQ(well["status"], "ok");
  EXPECT_EQ(well["timestamp_ms"], test_start_ms);
  EXPECT_EQ(well["services"], Json::parse(R"({"engine":"ok","indexer":"ok","oracle":"ok"})"));
  exchange.control("/markets/BTC-USDX-PERP/halt", {{"reason", "drill"}});
  const Json halted = exchange.get("/status").body;
  EXPECT_EQ(halted["status"], "degraded");
  EXPECT_EQ(halted["services"]["engine"], "degraded");
  EXPECT_EQ(exchange.get("/stats").body["health"], "Degraded");
  EXPECT_EQ(exchange.get("/markets/BTC-USDX-PERP/status").body["halt_reason"], "drill");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
