#include "sim/control/mark_trail.h"

#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr engine::MarketIndex market{};

class MarkTrailRows : public ::testing::Test {
 protected:
  void change(TimestampMs at_ms, std::int64_t mark) {
    const engine::Event event = engine::MarkChanged{.market = market, .index = Ticks{mark - 1}, .mark = Ticks{mark}};
    Stamp stamp;
    stamp.at_ms = at_ms;
    trail.follow(stamp, std::span(&event, 1));
  }

  MarkTrail trail{1};
};

TEST_F(MarkTrailRows, AreTheLastPriceOfEachSecond) {
  change(60'000, 10);
  change(60'999, 11);
  change(61'000, 12);
  const auto rows = trail.rows(market);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at_ms, 60'000);
  EXPECT_EQ(rows[0].mark, Ticks{11});
  EXPECT_EQ(rows[0].index, Ticks{10});
  EXPECT_EQ(rows[1].at_ms, 61'000);
}

TEST_F(MarkTrailRows, AreThoseOfMinutesWhereSecondsDoNotReach) {
  const std::int64_t seconds = 2 * static_cast<std::int64_t>(limits::mark_seconds_max);
  for (std::int64_t second = 0; second < seconds; ++second) change(second * 1'000, second);
  const auto rows = trail.rows(market);
  EXPECT_EQ(rows.size(), limits::mark_seconds_max + limits::mark_seconds_max / 60);
  EXPECT_EQ(rows.front().at_ms, 0);
  EXPECT_EQ(rows.front().mark, Ticks{59});
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LT(rows[i - 1].at_ms, rows[i].at_ms);
}

TEST_F(MarkTrailRows, AreBounded) {
  const auto minutes = static_cast<std::int64_t>(limits::mark_minutes_max + limits::mark_seconds_max);
  for (std::int64_t minute = 0; minute <= minutes; ++minute) change(minute * 60'000, minute);
  EXPECT_LE(trail.rows(market).size(), limits::mark_minutes_max + limits::mark_seconds_max);
  EXPECT_GT(trail.rows(market).front().at_ms, 0);
}

TEST_F(MarkTrailRows, GoBackWithTheTime) {
  change(60'000, 10);
  change(61'000, 11);
  change(60'500, 12);
  ASSERT_EQ(trail.rows(market).size(), 1u);
  EXPECT_EQ(trail.rows(market)[0].mark, Ticks{12});
}

TEST_F(MarkTrailRows, GoBackToARowOfTheSameMinute) {
  change(60'000, 10);
  change(62'000, 11);
  trail.go_back(market, {.at_ms = 61'500, .mark = Ticks{10}, .index = Ticks{9}});
  ASSERT_EQ(trail.rows(market).size(), 1u);
  EXPECT_EQ(trail.rows(market)[0].at_ms, 60'000);
  EXPECT_EQ(trail.rows(market)[0].mark, Ticks{10});
  // What the minute shows is seen once the seconds no longer reach there.
  const auto seconds = static_cast<std::int64_t>(limits::mark_seconds_max);
  for (std::int64_t second = 0; second < seconds; ++second) change(120'000 + second * 1'000, 20);
  EXPECT_EQ(trail.rows(market)[0].at_ms, 60'000);
  EXPECT_EQ(trail.rows(market)[0].mark, Ticks{10});
}

TEST(MarkTrail, IsAfterARevertWhatItWas) {
  TestExchange exchange;
  const auto marks = [&] { return exchange.get("/_svc/markets/BTC-USDX-PERP/marks").body["marks"]; };
  exchange.control("/time", {{"advance_ms", 5'000}});
  exchange.control("/prices", {{"BTC-USDX-PERP", "61000"}});
  exchange.control("/snapshots", {{"name", "here"}});
  const Json before = marks();
  exchange.control("/prices", {{"BTC-USDX-PERP", "62000"}});
  exchange.control("/time", {{"advance_ms", 3'600'000}});
  exchange.control("/prices", {{"BTC-USDX-PERP", "66000"}});
  exchange.control("/snapshots/here/revert", Json::object());
  EXPECT_EQ(marks(), before);
  exchange.control("/time", {{"advance_ms", 5'000}});
  exchange.control("/prices", {{"BTC-USDX-PERP", "66000"}});
  exchange.control("/reset", Json::object());
  EXPECT_EQ(marks().back()["mark"], "60000");
  EXPECT_EQ(marks().back()["at_ms"], test_start_ms + 10'000);
}

TEST(MarkTrail, IsListedByTheControlSurface) {
  TestExchange exchange;
  EXPECT_EQ(exchange.get("/_svc/markets/NONE/marks").status, 404);
  exchange.control("/prices", {{"BTC-USDX-PERP", "61000"}});
  const Json marks = exchange.get("/_svc/markets/BTC-USDX-PERP/marks").body["marks"];
  ASSERT_GE(marks.size(), 1u);
  EXPECT_EQ(marks.back()["mark"], "61000");
  EXPECT_EQ(marks.back()["at_ms"], test_start_ms);
  EXPECT_EQ(exchange.get("/_svc/markets/ETH-USDX-PERP/marks").status, 200);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
