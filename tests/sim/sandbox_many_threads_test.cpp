// Traders, readers and an operator at the same time, each on its own thread.

#include <gtest/gtest.h>

#include <thread>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr int rounds = 60;

TEST(ManyThreads, TradeReadAndMoveTimeTogether) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  const auto trade = [](const Trader& trader, const char* side, const char* market) {
    for (int i = 0; i < rounds; ++i) {
      EXPECT_EQ(trader.post("/orders", limit_order(side, "0.01", "3000", market)).status, 201);
      // Reads after the answer must show both sides of the trade.
      EXPECT_EQ(trader.get("/fills?limit=1").status, 200);
      // The last orders stay, for a trader whose turn comes only then.
      if (i % 10 != 4) continue;
      EXPECT_EQ(trader.del("/orders").status, 200);
    }
  };
  {
    const std::jthread buyer([&] { trade(alice, "Buy", "ETH-USDX-PERP"); });
    const std::jthread seller([&] { trade(bob, "Sell", "ETH-USDX-PERP"); });
    const std::jthread reader([&] {
      for (int i = 0; i < rounds; ++i) {
        EXPECT_EQ(exchange.get("/tickers").status, 200);
        EXPECT_EQ(exchange.get("/markets/ETH-USDX-PERP/orderbook").status, 200);
        EXPECT_EQ(exchange.get("/_svc/requests").status, 200);
      }
    });
    const std::jthread operating([&] {
      for (int i = 0; i < rounds; ++i) {
        EXPECT_EQ(exchange.control("/prices", {{"ETH-USDX-PERP", 3'000 + i % 3}}).status, 200);
        EXPECT_EQ(exchange.control("/time", {{"advance_ms", 20}}).status, 200);
        EXPECT_EQ(exchange.violations(), Json::array());
      }
    });
  }
  EXPECT_EQ(exchange.violations(), Json::array());
  const Json buys = alice.get("/fills?limit=1000").body;
  const Json sells = bob.get("/fills?limit=1000").body;
  EXPECT_FALSE(buys.empty());
  EXPECT_EQ(buys.size(), sells.size());
}

}  // namespace SVC_FILE
}  // namespace svc::sim
