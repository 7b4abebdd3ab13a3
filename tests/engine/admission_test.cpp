// Every refusal of an order, and the precedence among refusals (docs/trading.md, rule 3.16).

#include <gtest/gtest.h>

#include <functional>

#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

MarketSpec picky_market() {
  MarketSpec spec = plain_market();
  spec.tick_size = {5, 1};  // 0.5
  spec.lot_size = {1, 1};   // 0.1
  spec.min_notional = usdx("10");
  spec.max_order_size = Lots{1'000};  // 100
  spec.price_band = {1, 10};
  spec.open_interest_cap = usdx("5000");
  spec.oracle_stale_after_ms = 10'000;
  return spec;
}

// Each row breaks one more rule than the row below it, so the table is the order of precedence: an order that
// breaks this rule and all later ones is refused for this one.
struct Row {
  const char* reject;
  OrderRequest order;
  std::function<void(Venue&)> also = [](Venue&) {};
};

class Precedence : public testing::Test {
 protected:
  Precedence() : venue({picky_market()}) {
    venue.fund({alice, bob, carol}, "1000").apply(OracleTick{{{{0}, Ticks{200}, std::nullopt}}});
    venue.rest({sell("1 @ 100").by(bob), buy("1 @ 99").by(bob)});
  }

  Venue venue;
};

TEST_F(Precedence, TheFirstFailingCheckWins) {
  const OrderRequest broken = buy("0.05 @ 100.3").by(alice).reduce_only().post_only();
  EXPECT_EQ(venue.place(broken).reject, Reject::invalid_lot_size);
  venue.pass(10'001);
  EXPECT_EQ(venue.place(broken).reject, Reject::oracle_stale);
  ASSERT_TRUE(venue.apply(HaltMarket{{0}, "drill"}).ok());
  EXPECT_EQ(venue.place(broken).reject, Reject::market_halted);
}

TEST_F(Precedence, ARepeatOfAnOpenOrderIsAnsweredBeforeEveryCheck) {
  const OrderRequest order = buy("0.2 @ 99.5").client("a").by(alice);
  const auto first = venue.place(order);
  ASSERT_EQ(first.reject, Reject::none);
  venue.pass(10'001);
  EXPECT_EQ(venue.place(order).order.id, first.order.id) << "the oracle is stale";
  ASSERT_TRUE(venue.apply(HaltMarket{{0}, "drill"}).ok());
  EXPECT_EQ(venue.place(order).order.id, first.order.id) << "the market is halted";
  EXPECT_EQ(venue.place(buy("0.3 @ 99.5").client("a").by(alice)).reject, Reject::market_halted);
  EXPECT_EQ(venue.place(buy("0.2 @ 99.7").client("a").by(alice)).reject, Reject::market_halted) << "off the grid";
  EXPECT_EQ(venue.engine.open_orders(alice).size(), 1u);
}

TEST_F(Precedence, OneRefusalForEachRule) {
  const Row rows[] = {
      {"InvalidLotSize", buy("0.15 @ 100").by(alice)},
      {"InvalidQuantity", buy("0 @ 100.3").by(alice)},
      {"InvalidQuantity", buy("-1 @ 100").by(alice)},
      {"InvalidQuantity", buy("100.1 @ 100").by(alice)},
      {"InvalidTickSize", buy("0.1 @ 100.3").by(alice)},
      {"InvalidPrice", buy("0.1 @ 0").by(alice)},
      {"InvalidPrice", buy("0.1 @ -5").by(alice)},
      {"InvalidPrice", buy("0.1 @ 10000000").by(alice)},
      {"InvalidTickSize", buy("1 @ 100").type(OrderType::stop_limit).at_trigger("100.3").by(alice)},
      {"InvalidTriggerPrice", buy("1 @ 100").type(OrderType::stop_limit).by(alice)},
      {"InvalidTriggerPrice", buy("1").type(OrderType::stop_market).at_trigger("0").by(alice)},
      {"InvalidTriggerPrice", buy("1").type(OrderType::trailing_stop).by(alice)},
      {"InvalidTriggerPrice", buy("1").type(OrderType::trailing_stop).trailing(-1).by(alice)},
      {"InvalidPrice", buy("1").type(OrderType::trailing_limit).trailing(5).by(alice)},
      {"InvalidPrice", buy("1").type(OrderType::trailing_limit).trailing(5).limit_offset(10'000).by(alice)},
      {"InvalidTimeInForce", buy("1").post_only().by(alice)},
      {"MinNotional", buy("0.1 @ 99.5").by(alice)},
      {"ReduceOnlyWouldIncrease", buy("0.1 @ 200").by(alice).reduce_only()},
      {"PriceBandExceeded", buy("1 @ 110.5").by(alice)},
      {"PriceBandExceeded", sell("1 @ 89.5").by(alice)},
      {"WouldTakeLiquidity", buy("100 @ 100").post_only().by(alice)},
      {"InsufficientMargin", buy("100 @ 105").by(carol)},
      {"", buy("1 @ 110").by(alice)},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(to_string(venue.place(row.order).reject), row.reject)
        << row.order.quantity << " @ " << row.order.price << " " << row.order.trigger;
  }
}

// Also where nothing needs margin yet, as for a conditional order.
TEST_F(Precedence, OnlyWhatIsAcceptedOpensAnAccount) {
  const auto before = venue.engine.accounts();
  EXPECT_EQ(venue.place(buy("1 @ 100").by(dave)).reject, Reject::insufficient_margin);
  EXPECT_EQ(venue.place(buy("1 @ 99").client("mine").by(dave)).reject, Reject::insufficient_margin);
  EXPECT_EQ(venue.place(buy("0 @ 99").by(dave)).reject, Reject::invalid_quantity);
  EXPECT_TRUE(venue.apply(SetMarginMode{dave, {0}, MarginMode::cross}).ok()) << "as it is anyway";
  EXPECT_EQ(venue.engine.accounts(), before);

  EXPECT_EQ(venue.place(buy("1").type(OrderType::stop_market).at_trigger("120").client("mine").by(dave)).reject,
            Reject::none);
  EXPECT_EQ(venue.engine.open_orders(dave).size(), 1u);
  EXPECT_TRUE(venue.engine.order_by_client_id(dave, *ClientId::from("mine")));
  EXPECT_EQ(venue.engine.accounts().size(), before.size() + 1);
}

TEST_F(Precedence, AMarketOrderNeedsABook) {
  ASSERT_EQ(venue.apply(CancelAll{bob, std::nullopt}).orders.size(), 2u);
  EXPECT_EQ(venue.place(buy("1").by(alice)).reject, Reject::insufficient_liquidity);
  venue.rest({sell("1 @ 100").by(bob)});
  EXPECT_EQ(venue.place(buy("1").max_slippage(0).by(alice)).reject, Reject::insufficient_liquidity);
}

TEST_F(Precedence, TheOpenInterestCapIsJudgedOnPlannedFillsAndBeforeMargin) {
  venue.rest({sell("60 @ 100").by(bob)});
  // 61 * 100 > 5000, and more than carol can afford.
  venue.fund({bob}, "100000");
  EXPECT_EQ(venue.place(buy("61 @ 100").by(carol)).reject, Reject::open_interest_cap_exceeded);
  // The same order does not add open interest while it rests.
  EXPECT_EQ(venue.place(buy("61 @ 99").by(carol)).reject, Reject::none);
}

TEST_F(Precedence, AnAccountUnderWaterOnlyCancels) {
  venue.fund({bob}, "100000").rest({sell("49 @ 100").by(bob)});
  ASSERT_EQ(venue.place(buy("49 @ 100").by(carol)).reject, Reject::none);
  // There is no buyer for carol's position, so she stays under water.
  venue.cancel(venue.place(buy("1 @ 90").by(bob)));
  venue.apply(CancelAll{bob, std::nullopt});
  venue.apply(OracleTick{{{{0}, Ticks{166}, std::nullopt}}});
  ASSERT_TRUE(venue.engine.account(carol).in_liquidation);
  EXPECT_EQ(venue.place(sell("1 @ 83").by(carol)).reject, Reject::account_in_liquidation);
  for (const auto& order : {sell("1 @ 83"), sell("1").type(OrderType::stop_market).at_trigger("80")}) {
    const PlaceOrder refused{carol, venue.params(std::remove_cvref_t<decltype(order)>(order).by(carol))};
    EXPECT_EQ(venue.engine.preview(refused, venue.now_ms).reject, Reject::account_in_liquidation);
    EXPECT_EQ(venue.apply(refused).orders.front().reject, Reject::account_in_liquidation);
  }
  EXPECT_EQ(venue.apply(Withdraw{carol, usdx("1")}).reject, Reject::account_in_liquidation);
}

}  // namespace SVC_FILE
}  // namespace svc::engine
