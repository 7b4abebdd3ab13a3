#include "cli/commands/decimal_math.h"

#include <gtest/gtest.h>

#include "cli/desk.h"

namespace svc::cli {
namespace {

Decimal decimal(std::string_view text) {
  const auto parsed = parse_decimal(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? *parsed : Decimal{};
}

TEST(Notional, BuysWholeLotsRoundedDown) {
  struct Row {
    std::string_view notional, price, lot;
    std::optional<std::int64_t> lots;
  };
  const Row rows[] = {
      {"500", "64950", "0.001", 7},
      {"64.95", "64950", "0.001", 1},
      {"64.949999", "64950", "0.001", 0},
      {"0.000001", "0.001", "0.001", 1},
      {"1000000000", "0.5", "1", 2'000'000'000},
      {"1", "3", "0.1", 3},
      {"123456789012345678", "0.000000001", "0.000000001", std::nullopt},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(lots_for(decimal(row.notional), decimal(row.price), decimal(row.lot)), row.lots) << row.notional;
  }
}

TEST(Notional, IsResolvedAtTheLimitPriceOrTheMark) {
  Desk desk;
  desk.seat("alice");
  const std::string order = "-n local --json orders place BTC-USDX-PERP --side buy --notional 500";
  const Ran at_limit = desk.run(order + " --price 50000");
  EXPECT_EQ(at_limit.document().string_at("data.order.quantity"), "0.01") << at_limit.out;
  EXPECT_EQ(at_limit.document().at("warnings")->items().at(0).string_at("message"),
            "500 USDX at 50000 is 0.01 BTC-USDX-PERP, rounded down to lots of 0.001");
  ASSERT_EQ(desk.run("-n local local price BTC-USDX-PERP 64000").exit, 0);
  const Ran at_mark = desk.run(order);
  EXPECT_NE(at_mark.out.find("500 USDX at 64000 is 0.007 "), std::string::npos) << at_mark.out;
  EXPECT_EQ(desk.run("-n local orders place BTC-USDX-PERP --side buy --notional 5 --price 50000").exit, 2);
  EXPECT_EQ(desk.run("-n local --dry-run orders place BTC-USDX-PERP --side buy --notional 500 --price 50000").exit, 2);
}

TEST(OrderTerms, BecomeTheWiresWords) {
  Desk desk;
  desk.seat("alice");
  struct Row {
    std::string flags;
    std::string body;
  };
  const Row rows[] = {
      {"--type stop-limit --price 59000 --trigger-price 59500 --reduce-only",
       R"("order_type":"StopLimit","quantity":"1","time_in_force":"GTC","price":"59000","reduce_only":true,"trigger_price":"59500")"},
      {"--type take-profit-market --trigger-price 70000",
       R"("order_type":"TakeProfitMarket","quantity":"1","time_in_force":"IOC","reduce_only":false,"trigger_price":"70000")"},
      {"--type trailing-limit --trailing-bps 0 --limit-offset-bps 25 --tif gtc",
       R"("order_type":"TrailingLimit","quantity":"1","time_in_force":"GTC","reduce_only":false,"trailing_offset_bps":0,"limit_offset_bps":25)"},
      {"--price 59000.50 --post-only --stp cancel-newest",
       R"("order_type":"Limit","quantity":"1","time_in_force":"PostOnly","price":"59000.50","reduce_only":false,"stp":"CancelNewest")"},
      {"--max-slippage-bps 10",
       R"("order_type":"Market","quantity":"1","time_in_force":"IOC","reduce_only":false,"max_slippage_bps":10)"},
  };
  for (const Row& row : rows) {
    const Ran ran = desk.run(
        "-n local --json --dry-run orders place BTC-USDX-PERP --side SELL --size 1 --client-id x " + row.flags);
    ASSERT_EQ(ran.exit, 0) << row.flags << ran.out;
    EXPECT_EQ(ran.document().at("data.body")->dump(),
              R"({"market_id":"BTC-USDX-PERP","side":"Sell",)" + row.body + R"(,"client_id":"x"})");
  }
}

}  // namespace
}  // namespace svc::cli
