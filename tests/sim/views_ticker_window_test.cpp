#include "sim/views/ticker_window.h"

#include <gtest/gtest.h>

namespace svc::sim {
namespace {

constexpr TimestampMs noon = 1'700'000'000'000 / minute_ms * minute_ms;

TEST(TickerWindow, IsEmptyUntilSomethingTrades) {
  EXPECT_FALSE(TickerWindow{}.range(noon).has_value());
}

TEST(TickerWindow, OpensWithTheFirstTradeAndClosesWithTheLast) {
  TickerWindow window;
  window.add(noon, Ticks{100}, Lots{2}, Usdx{200});
  window.add(noon + 30'000, Ticks{120}, Lots{1}, Usdx{120});
  window.add(noon + 90'000, Ticks{90}, Lots{3}, Usdx{270});
  window.add(noon + 150'000, Ticks{95}, Lots{1}, Usdx{95});
  const auto range = window.range(noon + 150'000);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->open, Ticks{100});
  EXPECT_EQ(range->high, Ticks{120});
  EXPECT_EQ(range->low, Ticks{90});
  EXPECT_EQ(range->close, Ticks{95});
  EXPECT_TRUE(range->base_lots == 7);
  EXPECT_TRUE(range->quote == 685);
  EXPECT_EQ(range->trades, 4u);
}

TEST(TickerWindow, AMinuteCountsUntilItIs24HoursOld) {
  TickerWindow window;
  window.add(noon + 59'999, Ticks{100}, Lots{1}, Usdx{100});
  window.add(noon + hour_ms, Ticks{200}, Lots{1}, Usdx{200});
  EXPECT_EQ(window.range(noon + day_ms - 1)->open, Ticks{100});
  EXPECT_EQ(window.range(noon + day_ms)->open, Ticks{200});
  EXPECT_TRUE(window.range(noon + day_ms)->base_lots == 1);
  EXPECT_FALSE(window.range(noon + day_ms + hour_ms).has_value());
}

}  // namespace
}  // namespace svc::sim
