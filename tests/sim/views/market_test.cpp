#include "sim/views/market_view.h"

#include <gtest/gtest.h>

namespace svc::sim {
namespace SVC_FILE {

using engine::Side;

constexpr TimestampMs noon = 1'700'000'000'000 / minute_ms * minute_ms;

class MarketViewTest : public ::testing::Test {
 protected:
  void trade(TimestampMs at_ms, std::int64_t price, std::int64_t lots) {
    engine::Trade event;
    event.price = Ticks{price};
    event.quantity = Lots{lots};
    event.quote = Usdx{price * lots};
    view_.fold(Stamp{.sequence = {}, .at_ms = at_ms}, event);
  }

  void level(Side side, std::int64_t price, std::int64_t lots, std::uint64_t nonce) {
    view_.fold(
        Stamp{.sequence = {}, .at_ms = noon},
        engine::BookLevelChanged{
            .market = {}, .side = side, .price = Ticks{price}, .quantity = Lots{lots}, .orders = 1, .nonce = nonce});
  }

  MarketView view_;
};

TEST_F(MarketViewTest, IsEmptyBeforeTheFirstTrade) {
  EXPECT_EQ(view_.last_day(noon).trades, 0u);
  EXPECT_EQ(view_.last(), std::nullopt);
}

TEST_F(MarketViewTest, ADayOpensWithItsFirstTradeAndClosesWithItsLast) {
  trade(noon, 100, 2);
  trade(noon + 30'000, 120, 1);
  trade(noon + 90'000, 90, 3);
  trade(noon + 150'000, 95, 1);
  const TradedRange day = view_.last_day(noon + 150'000);
  EXPECT_EQ(day.open, Ticks{100});
  EXPECT_EQ(day.high, Ticks{120});
  EXPECT_EQ(day.low, Ticks{90});
  EXPECT_EQ(day.close, Ticks{95});
  EXPECT_TRUE(day.base_lots == 7);
  EXPECT_TRUE(day.quote == 200 + 120 + 270 + 95);
  EXPECT_EQ(day.trades, 4u);
}

TEST_F(MarketViewTest, AMinuteCountsUntilItIs24HoursOld) {
  trade(noon + 59'999, 100, 1);
  trade(noon + hour_ms, 200, 1);
  EXPECT_EQ(view_.last_day(noon + day_ms - 1).open, Ticks{100});
  EXPECT_EQ(view_.last_day(noon + day_ms).open, Ticks{200});
  EXPECT_TRUE(view_.last_day(noon + day_ms).base_lots == 1);
  EXPECT_EQ(view_.last_day(noon + day_ms + hour_ms).trades, 0u);
  EXPECT_EQ(view_.last(), Ticks{200});
  EXPECT_EQ(view_.ever().trades, 2u);
}

TEST_F(MarketViewTest, TheBookListsTheBestPriceOfEachSideFirst) {
  level(Side::buy, 99, 5, 1);
  level(Side::buy, 100, 6, 2);
  level(Side::sell, 103, 7, 3);
  level(Side::sell, 102, 8, 4);
  EXPECT_EQ(view_.bids().begin()->first, Ticks{100});
  EXPECT_EQ(view_.asks().begin()->first, Ticks{102});
  level(Side::buy, 100, 0, 5);
  EXPECT_EQ(view_.bids().begin()->first, Ticks{99});
  EXPECT_EQ(view_.bids().size(), 1u);
  EXPECT_EQ(view_.book_nonce(), 5u);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
