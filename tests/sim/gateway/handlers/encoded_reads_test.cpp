#include <gtest/gtest.h>

#include <map>
#include <set>

#include "api/operation_list.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

// A story whose every step changes what some public read shows.
struct Story {
  static constexpr int steps = 9;

  TestExchange exchange;
  Trader alice{exchange, 0};
  Trader bob{exchange, 1};

  void step(int number) {
    switch (number) {
      case 0: (void)alice.limit("Sell", "1", "60000"); break;
      case 1: (void)bob.limit("Buy", "0.4", "60000"); break;
      case 2: exchange.control("/prices", {{"BTC-USDX-PERP", "60100"}}); break;
      case 3: exchange.control("/time", {{"advance_ms", 1}}); break;
      case 4: exchange.control("/time", {{"advance_ms", hour_ms}}); break;
      case 5: (void)bob.limit("Buy", "0.1", "59000"); break;
      case 6: exchange.control("/markets/BTC-USDX-PERP/halt", {{"reason", "over"}}); break;
      case 7: EXPECT_EQ(exchange.control("/markets/BTC-USDX-PERP/settle", {{"price", "60000"}}).status, 200); break;
      case 8: EXPECT_EQ(exchange.control("/reset", Json::object()).status, 200); break;
      default: FAIL();
    }
  }
};

std::vector<std::string> public_reads() {
  std::vector<std::string> targets;
  for (const api::OperationEntry& entry : api::all_operations()) {
    const api::Operation& operation = *entry.operation;
    const bool is_document = operation.base == api::PathBase::edge;
    if (operation.is_write() || !operation.auth.is_public() || operation.success != 200 || is_document) continue;
    std::string target(operation.path);
    if (const auto market = target.find("{market_id}"); market != std::string::npos)
      target.replace(market, std::string_view("{market_id}").size(), "BTC-USDX-PERP");
    if (target.ends_with("/candles")) target += "?timeframe=1m";
    if (target.find('{') == std::string::npos) targets.push_back(target);
  }
  return targets;
}

std::string shown(TestExchange& exchange, const std::string& target) {
  const Reply reply = exchange.get(target);
  return std::to_string(reply.status) + " " + reply.body.dump();
}

// An exchange that is asked after every step shows what one shows that was never asked before.
TEST(EncodedReads, ShowEveryChange) {
  const auto targets = public_reads();
  ASSERT_GT(targets.size(), 15u);
  Story asked;
  std::map<std::string, std::string> former;
  std::set<std::string> unchanged(targets.begin(), targets.end());
  for (int step = 0; step < Story::steps; ++step) {
    for (const std::string& target : targets) former[target] = shown(asked.exchange, target);
    asked.step(step);
    Story fresh;
    for (int i = 0; i <= step; ++i) fresh.step(i);
    for (const std::string& target : targets) {
      const std::string now = shown(fresh.exchange, target);
      EXPECT_EQ(shown(asked.exchange, target), now) << target << " after step " << step;
      EXPECT_EQ(shown(asked.exchange, target), now) << target << " again after step " << step;
      if (now != former[target]) unchanged.erase(target);
    }
  }
  // What never changes, and what is encoded for each request.
  for (const char* target : {"/markets/BTC-USDX-PERP/risk-params", "/api/v1/bridge/assets", "/stats/referrals",
                             "/stats/balance-distribution"})
    unchanged.erase(target);
  EXPECT_EQ(unchanged, std::set<std::string>{});
}

TEST(EncodedReads, ACursorIsPartOfTheReply) {
  Story story;
  for (const int step : {0, 1}) story.step(step);
  (void)story.bob.limit("Buy", "0.1", "60000");
  for (int i = 0; i < 2; ++i) {
    const Reply page = story.exchange.get("/markets/BTC-USDX-PERP/trades?limit=1");
    EXPECT_EQ(page.body.size(), 1u);
    EXPECT_TRUE(page.headers.contains("X-Next-Cursor"));
    EXPECT_EQ(story.exchange.get("/markets/BTC-USDX-PERP/trades").body.size(), 2u);
  }
}

TEST(EncodedReads, CountForTheirOriginAlone) {
  EncodedReads reads;
  const auto reply = std::make_shared<const api::HttpResponse>();
  reads.keep("/a", {.views = 1, .at_ms = 5}, reply);
  EXPECT_EQ(reads.find("/a", {.views = 1, .at_ms = 5}), reply);
  EXPECT_EQ(reads.find("/a", {.views = 2, .at_ms = 5}), nullptr);
  EXPECT_EQ(reads.find("/a", {.views = 1, .at_ms = 6}), nullptr);
  EXPECT_EQ(reads.find("/a?", {.views = 1, .at_ms = 5}), nullptr);
}

TEST(EncodedReads, AreBoundedInNumberAndSize) {
  EncodedReads reads;
  const auto reply = std::make_shared<const api::HttpResponse>();
  for (std::size_t i = 0; i <= limits::encoded_reads_max; ++i) reads.keep("/" + std::to_string(i), {}, reply);
  EXPECT_EQ(reads.find("/0", {}), nullptr);
  EXPECT_NE(reads.find("/1", {}), nullptr);
  api::HttpResponse large;
  large.body.resize(limits::encoded_read_bytes_max);
  reads.keep("/at the edge", {}, std::make_shared<const api::HttpResponse>(large));
  EXPECT_NE(reads.find("/at the edge", {}), nullptr);
  large.body += ' ';
  reads.keep("/beyond", {}, std::make_shared<const api::HttpResponse>(large));
  EXPECT_EQ(reads.find("/beyond", {}), nullptr);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
