#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

// Three orders in two markets that ended at three times, and the fills of two of them.
class OrderFilters : public ::testing::Test {
 protected:
  OrderFilters() {
    (void)alice_.limit("Sell", "0.1", "60000");
    (void)bob_.limit("Buy", "0.1", "60000");
    exchange_.control("/time", {{"advance_ms", 1'000}});
    (void)alice_.limit("Buy", "1", "3000", "ETH-USDX-PERP");
    (void)bob_.limit("Sell", "1", "3000", "ETH-USDX-PERP");
    exchange_.control("/time", {{"advance_ms", 1'000}});
    (void)alice_.limit("Buy", "0.1", "59000");
    (void)alice_.del("/orders");
  }

  // First letters of the rows' markets.
  [[nodiscard]] std::string rows(const std::string& target) const {
    std::string text;
    for (const Json& row : alice_.get(target).body) text += row["market_id"].get<std::string>().front();
    return text;
  }

  TestExchange exchange_;
  Trader alice_{exchange_, 0};
  Trader bob_{exchange_, 1};
};

TEST_F(OrderFilters, SelectHistoryAndFillsByMarketSideAndTime) {
  const auto at = [](std::int64_t ms) { return std::to_string(test_start_ms + ms); };
  const struct {
    std::string query;
    const char* ended;
    const char* fills;
  } table[] = {
      {"", "BEB", "EB"},
      {"?market_id=BTC-USDX-PERP", "BB", "B"},
      {"?market_id=SOL-USDX-PERP", "", ""},
      {"?side=sell", "B", "B"},
      {"?side=buy", "BE", "E"},
      {"?startTime=" + at(1'000), "BE", "E"},
      {"?endTime=" + at(1'000), "EB", "EB"},
      {"?startTime=" + at(1'000) + "&endTime=" + at(1'000), "E", "E"},
      {"?startTime=" + at(1) + "&endTime=" + at(999), "", ""},
      {"?market_id=BTC-USDX-PERP&side=buy", "B", ""},
  };
  for (const auto& row : table) {
    EXPECT_EQ(rows("/orders/history" + row.query), row.ended) << row.query;
    EXPECT_EQ(rows("/fills" + row.query), row.fills) << row.query;
    EXPECT_EQ(rows("/api/v1/fills" + row.query), row.fills) << row.query;
  }
}

TEST_F(OrderFilters, RefuseInvalidValues) {
  for (const std::string path : {"/orders/history", "/fills"}) {
    EXPECT_EQ(alice_.get(path + "?startTime=2&endTime=1").code(), "invalid_window");
    EXPECT_EQ(alice_.get(path + "?side=Buy").code(), "invalid_parameter");
    EXPECT_EQ(alice_.get(path + "?market_id=DOGE-USDX-PERP").status, 404);
    EXPECT_EQ(alice_.get(path + "?market_id=btc").code(), "INVALID_MARKET_ID");
  }
  EXPECT_EQ(alice_.get("/orders?market_id=DOGE-USDX-PERP").status, 404);
}

TEST_F(OrderFilters, TheLastFilteredPageHasNoCursor) {
  const Reply first = alice_.get("/orders/history?limit=1&market_id=BTC-USDX-PERP");
  const std::string cursor(first.headers.find("X-Next-Cursor").value_or(""));
  ASSERT_NE(cursor, "");
  const Reply second = alice_.get("/orders/history?limit=1&market_id=BTC-USDX-PERP&cursor=" + cursor);
  EXPECT_EQ(second.body.size(), 1u);
  EXPECT_NE(second.body, first.body);
  EXPECT_FALSE(second.headers.contains("X-Next-Cursor"));
}

TEST_F(OrderFilters, SelectOpenOrdersByMarket) {
  (void)alice_.limit("Buy", "0.1", "59000");
  (void)alice_.limit("Buy", "1", "2900", "ETH-USDX-PERP");
  EXPECT_EQ(rows("/orders"), "BE");
  EXPECT_EQ(rows("/orders?market_id=ETH-USDX-PERP"), "E");
  EXPECT_EQ(rows("/api/v1/orders?market_id=SOL-USDX-PERP"), "");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
