#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs next_minute = (test_start_ms / minute_ms + 1) * minute_ms;

class Candles : public ::testing::Test {
 protected:
  // One trade in each of the first two minutes, none in the third; now is in the fourth.
  Candles() {
    exchange_.control("/time", {{"set_ms", next_minute}});
    trade("0.1", "60000");
    trade("0.2", "60300");
    exchange_.control("/time", {{"advance_ms", minute_ms + 500}});
    trade("0.3", "59900.5");
    exchange_.control("/time", {{"advance_ms", 2 * minute_ms}});
  }

  void trade(const char* quantity, const char* price) {
    (void)alice_.limit("Sell", quantity, price);
    (void)bob_.limit("Buy", quantity, price);
  }

  [[nodiscard]] Reply candles(const std::string& query = "") {
    return exchange_.get("/markets/BTC-USDX-PERP/candles" + query);
  }

  TestExchange exchange_;
  Trader alice_{exchange_, 0};
  Trader bob_{exchange_, 1};
};

TEST_F(Candles, AreTheTradesOfEachMinuteAscending) {
  const TimestampMs m = next_minute;
  const Json expected = Json::array({{m, 60000, 60300, 60000, 60300, 0.3},
                                     {m + minute_ms, 59900.5, 59900.5, 59900.5, 59900.5, 0.3},
                                     {m + 2 * minute_ms, 59900.5, 59900.5, 59900.5, 59900.5, 0},
                                     {m + 3 * minute_ms, 59900.5, 59900.5, 59900.5, 59900.5, 0}});
  EXPECT_EQ(candles().body, expected);
  EXPECT_EQ(candles("?timeframe=1m&colour=red").body, expected);
  EXPECT_EQ(exchange_.get("/api/v1/markets/BTC-USDX-PERP/candles").body, expected);
  EXPECT_EQ(exchange_.get("/markets/ETH-USDX-PERP/candles").body, Json::array());
}

TEST_F(Candles, OfEveryTimeframeHoldTheVolumeOfTheTrades) {
  for (const char* timeframe : {"1s", "1m", "5m", "1h"}) {
    const Json rows = candles("?limit=1000&timeframe=" + std::string(timeframe)).body;
    double volume = 0;
    for (const Json& row : rows) volume += row[5].get<double>();
    EXPECT_NEAR(volume, 0.6, 1e-9) << timeframe;
    EXPECT_EQ(rows.back()[4], 59900.5);
  }
  EXPECT_EQ(candles("?timeframe=1h").body.size(), 1u);
  EXPECT_EQ(candles("?timeframe=1s").body.size(), 181u);
}

TEST_F(Candles, PagesStartAtAGivenTimeOrHoldTheLatest) {
  const std::string start = std::to_string(next_minute);
  const Json all = candles().body;
  EXPECT_EQ(candles("?limit=2").body, Json::array({all[2], all[3]}));
  EXPECT_EQ(candles("?limit=2&startTime=" + start).body, Json::array({all[0], all[1]}));
  EXPECT_EQ(candles("?limit=2&startTime=" + std::to_string(next_minute + 1)).body, Json::array({all[1], all[2]}));
  EXPECT_EQ(candles("?endTime=" + std::to_string(next_minute + minute_ms)).body, Json::array({all[0], all[1]}));
  EXPECT_EQ(candles("?startTime=" + start + "&endTime=" + start).body, Json::array({all[0]}));
  EXPECT_EQ(candles("?startTime=" + std::to_string(next_minute + day_ms)).body, Json::array());
  EXPECT_EQ(candles("?endTime=" + std::to_string(next_minute - 1)).body, Json::array());
  EXPECT_EQ(candles("?limit=5000").body, all);
}

TEST_F(Candles, ABadWindowOrTimeframeIsRefused) {
  EXPECT_EQ(candles("?startTime=2&endTime=1").status, 400);
  EXPECT_EQ(candles("?startTime=2&endTime=1").code(), "invalid_window");
  EXPECT_EQ(candles("?startTime=yesterday").code(), "invalid_parameter");
  EXPECT_EQ(candles("?timeframe=2m").code(), "invalid_parameter");
  EXPECT_EQ(candles("?limit=0").code(), "invalid_parameter");
  EXPECT_EQ(exchange_.get("/markets/DOGE-USDX-PERP/candles").status, 404);
  EXPECT_EQ(exchange_.get("/markets/btc/candles").code(), "INVALID_MARKET_ID");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
