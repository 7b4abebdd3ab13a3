#include "sim/views/candle_series.h"

#include <gtest/gtest.h>

#include <string>

#include "base/limits.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs noon = 1'700'000'000'000 / hour_ms * hour_ms;
enum Timeframe : std::size_t { second, minute, five_minutes, hour };

class CandleSeriesTest : public ::testing::Test {
 protected:
  void trade(TimestampMs at_ms, std::int64_t price, std::int64_t lots = 1) {
    series_.add(at_ms, TradedRange::of(Ticks{price}, Lots{lots}, Usdx{price * lots}));
  }

  // "minute:open/high/low/close x volume", minutes after noon.
  [[nodiscard]] std::string read(const CandleWindow& window, Timeframe timeframe = minute) const {
    std::string text;
    for (const MarketCandle& candle : series_.read(timeframe, window)) {
      const TradedRange& range = candle.range;
      text += (text.empty() ? "" : " ") + std::to_string((candle.open_ms - noon) / candle_lengths_ms[timeframe]) + ":" +
              std::to_string(range.open.value) + "/" + std::to_string(range.high.value) + "/" +
              std::to_string(range.low.value) + "/" + std::to_string(range.close.value) + "x" +
              std::to_string(static_cast<std::int64_t>(range.base_lots));
    }
    return text;
  }

  CandleSeries series_;
};

TEST_F(CandleSeriesTest, WithoutTradesThereAreNoCandles) {
  EXPECT_EQ(read({.until_ms = noon + hour_ms, .limit = 10}), "");
}

TEST_F(CandleSeriesTest, AnIntervalContainsItsTradesAndAnEmptyOneRepeatsTheClose) {
  trade(noon, 100, 2);
  trade(noon + 59'999, 90);
  trade(noon + 3 * minute_ms, 110);
  trade(noon + 3 * minute_ms + 1, 120, 4);
  trade(noon + 3 * minute_ms + 2, 105);
  EXPECT_EQ(read({.until_ms = noon + 4 * minute_ms, .limit = 10}),
            "0:100/100/90/90x3 1:90/90/90/90x0 2:90/90/90/90x0 3:110/120/105/105x6 4:105/105/105/105x0");
  EXPECT_EQ(read({.until_ms = noon + 4 * minute_ms, .limit = 10}, five_minutes), "0:100/120/90/105x9");
  EXPECT_EQ(read({.until_ms = noon + 4 * minute_ms, .limit = 10}, hour), "0:100/120/90/105x9");
  EXPECT_EQ(read({.until_ms = noon + 2'000, .limit = 10}, second),
            "0:100/100/100/100x2 1:100/100/100/100x0 "
            "2:100/100/100/100x0");
}

TEST_F(CandleSeriesTest, WithoutAStartTheLatestAreReadAndWithOneTheEarliest) {
  for (int i = 0; i < 6; ++i) trade(noon + i * minute_ms, 100 + i);
  const TimestampMs now = noon + 5 * minute_ms + 30'000;
  const struct {
    CandleWindow window;
    const char* minutes;
  } rows[] = {
      {{.until_ms = now, .limit = 2}, "45"},
      {{.until_ms = noon + 3 * minute_ms, .limit = 2}, "23"},
      {{.until_ms = noon + 3 * minute_ms - 1, .limit = 2}, "12"},
      {{.from_ms = noon, .until_ms = now, .limit = 2}, "01"},
      {{.from_ms = noon + 1, .until_ms = now, .limit = 2}, "12"},
      {{.from_ms = noon - hour_ms, .until_ms = now, .limit = 2}, "01"},
      {{.from_ms = -1, .until_ms = now, .limit = 2}, "01"},
      {{.from_ms = noon + 4 * minute_ms, .until_ms = now, .limit = 9}, "45"},
      {{.from_ms = noon + 2 * minute_ms, .until_ms = noon + 2 * minute_ms, .limit = 9}, "2"},
      {{.from_ms = now, .until_ms = now, .limit = 9}, ""},
      {{.from_ms = std::numeric_limits<TimestampMs>::max(), .until_ms = now, .limit = 9}, ""},
      {{.until_ms = noon - 1, .limit = 9}, ""},
      {{.until_ms = now, .limit = 0}, ""},
  };
  for (const auto& row : rows) {
    std::string minutes;
    for (const MarketCandle& candle : series_.read(minute, row.window))
      minutes += std::to_string((candle.open_ms - noon) / minute_ms);
    EXPECT_EQ(minutes, row.minutes);
  }
}

TEST_F(CandleSeriesTest, BeyondItsCapacityTheOldestAreDropped) {
  const auto kept = static_cast<std::int64_t>(limits::candles_max);
  for (std::int64_t i = 0; i <= kept; ++i) trade(noon + i * second_ms, 100 + i);
  const auto candles = series_.read(second, {.from_ms = noon, .until_ms = noon + day_ms, .limit = 1});
  ASSERT_EQ(candles.size(), 1u);
  EXPECT_EQ(candles.front().open_ms, noon + second_ms);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
