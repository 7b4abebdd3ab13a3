// Orders that wait for the mark price (docs/trading.md, rules 3.3 to 3.5).

#include <gtest/gtest.h>

#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

class Triggered : public testing::Test {
 protected:
  Triggered() { venue.fund({alice, bob, carol}).mark("100"); }

  Venue venue;
};

struct Crossing {
  OrderType type;
  Side side;
  const char* before;
  const char* at;
};

TEST_F(Triggered, EqualityFiresAndTheOtherSideDoesNot) {
  const Crossing rows[] = {
      {OrderType::stop_market, Side::sell, "91", "90"},
      {OrderType::stop_market, Side::buy, "89", "90"},
      {OrderType::take_profit_market, Side::sell, "89", "90"},
      {OrderType::take_profit_market, Side::buy, "91", "90"},
  };
  for (const Crossing& row : rows) {
    Venue fresh;
    fresh.fund({alice, bob}).mark(row.before);
    fresh.rest({buy("5 @ 85").by(bob), sell("5 @ 95").by(bob)});
    OrderRequest request = row.side == Side::buy ? buy("1") : sell("1");
    const auto order = fresh.place(request.type(row.type).at_trigger("90").by(alice));
    fresh.mark(row.before);
    EXPECT_EQ(fresh.engine.order(order.order.id)->status, OrderStatus::untriggered);
    fresh.mark(row.at);
    EXPECT_EQ(fresh.told(order).status, OrderStatus::filled);
  }
}

TEST_F(Triggered, AConditionAlreadyTrueFiresAtTheNextUpdate) {
  venue.rest({buy("5 @ 95").by(bob)});
  const auto stop = venue.place(sell("1").type(OrderType::stop_market).at_trigger("100").by(alice));
  EXPECT_EQ(stop.order.status, OrderStatus::untriggered);
  venue.mark("100");
  EXPECT_EQ(venue.told(stop).status, OrderStatus::filled);
}

TEST_F(Triggered, KeepsItsTriggerTimeThroughAmends) {
  const auto stop = venue.place(buy("2 @ 105").type(OrderType::stop_limit).at_trigger("104").by(alice));
  EXPECT_EQ(stop.order.triggered_ms, 0);
  venue.mark("104");
  const TimestampMs fired_ms = venue.told(stop).triggered_ms;
  EXPECT_EQ(fired_ms, venue.told(stop).updated_ms);
  EXPECT_GT(fired_ms, 0);
  const auto moved = venue.amend(stop, "104", "");
  EXPECT_EQ(moved.order.triggered_ms, fired_ms);
}

TEST_F(Triggered, AFiredLimitRestsBehindOlderOrders) {
  const auto stop = venue.place(buy("2 @ 105").type(OrderType::stop_limit).at_trigger("104").by(alice));
  venue.rest({buy("1 @ 105").by(bob)}).mark("104");
  EXPECT_EQ(venue.told(stop).status, OrderStatus::open);
  EXPECT_EQ(venue.told(stop).type, OrderType::stop_limit);
  venue.place(sell("1 @ 105").by(carol));
  EXPECT_EQ(name_of(venue.events<Trade>().front().maker), "bob");
}

TEST_F(Triggered, AFiredOrderIsCancelledInTheOrderOfAcceptanceAmongTheOthers) {
  const auto stop = venue.place(buy("2 @ 103").type(OrderType::stop_limit).at_trigger("104").by(alice));
  venue.rest({buy("1 @ 90").by(alice), sell("1 @ 120").by(alice)}).mark("104");
  ASSERT_EQ(venue.told(stop).status, OrderStatus::open);
  std::vector<OrderId> cancelled;
  for (const OrderOutcome& one : venue.apply(CancelAll{alice, std::nullopt}).orders) cancelled.push_back(one.order.id);
  ASSERT_EQ(cancelled.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(cancelled));
}

TEST_F(Triggered, AllHitByOneTickFireInOrderOfAcceptanceAcrossMarkets) {
  Venue two({plain_market("A"), plain_market("B")});
  two.fund({alice, bob}).mark("100", "A").mark("100", "B");
  two.rest({sell("9 @ 120").in("A").by(bob), sell("9 @ 120").in("B").by(bob)});
  two.place(buy("1").in("B").type(OrderType::stop_market).at_trigger("110").by(alice));
  two.place(buy("2").in("A").type(OrderType::stop_market).at_trigger("105").by(alice));
  two.place(buy("3").in("B").type(OrderType::stop_market).at_trigger("101").by(alice));
  two.apply(OracleTick{{{{0}, Ticks{115}, Ticks{115}}, {{1}, Ticks{115}, Ticks{115}}}});
  std::string order;
  for (const Trade& trade : two.events<Trade>()) order += std::to_string(trade.quantity.value) + " ";
  EXPECT_EQ(order, "1 2 3 ");
}

TEST_F(Triggered, AFiredOrderThatFailsItsChecksEndsWithTheReason) {
  const auto broke = venue.place(buy("99999 @ 105").type(OrderType::stop_limit).at_trigger("104").by(alice));
  const auto empty = venue.place(buy("1").type(OrderType::stop_market).at_trigger("104").by(alice));
  const auto only = venue.place(buy("1").type(OrderType::stop_market).at_trigger("104").reduce_only().by(alice));
  const auto post = venue.place(buy("1 @ 105").type(OrderType::stop_limit).at_trigger("104").post_only().by(alice));
  venue.rest({sell("1 @ 110").by(bob)}).cancel(venue.place(sell("1 @ 105").by(bob)));
  venue.apply(CancelAll{bob, std::nullopt});
  venue.mark("104");
  EXPECT_EQ(venue.told(broke).reject, Reject::insufficient_margin);
  EXPECT_EQ(venue.told(empty).reject, Reject::insufficient_liquidity);
  EXPECT_EQ(venue.told(only).reject, Reject::reduce_only_would_increase);
  EXPECT_EQ(venue.told(broke).status, OrderStatus::cancelled);
  EXPECT_EQ(venue.told(broke).cancel_reason, CancelReason::rejected_at_trigger);
  EXPECT_EQ(venue.told(post).status, OrderStatus::open);
}

TEST_F(Triggered, TheyReserveNothingAndCountAsOpen) {
  venue.place(buy("5000 @ 100").type(OrderType::stop_limit).at_trigger("110").by(alice));
  EXPECT_EQ(venue.engine.account(alice).order_margin, Usdx{});
  EXPECT_EQ(venue.engine.account(alice).open_orders, 1u);
  EXPECT_EQ(venue.engine.account(alice).withdrawable, usdx("10000"));
}

TEST_F(Triggered, TrailingStopsFollowTheBestMark) {
  venue.rest({buy("5 @ 80").by(bob)});
  const auto stop = venue.place(sell("1").type(OrderType::trailing_stop).trailing(1000).by(alice));
  venue.mark("110").mark("100");
  EXPECT_EQ(venue.engine.order(stop.order.id)->status, OrderStatus::untriggered);
  venue.mark("99");
  EXPECT_EQ(venue.told(stop).status, OrderStatus::filled);
}

TEST_F(Triggered, TrailingLimitsRestAtTheOffsetFromTheMark) {
  const auto order = venue.place(sell("1").type(OrderType::trailing_limit).trailing(500).limit_offset(150).by(alice));
  EXPECT_EQ(order.order.price, Ticks{0});
  venue.mark("95");
  // 95 * (1 - 0.015) = 93.575, a sell rounds up.
  EXPECT_EQ(venue.told(order).price, Ticks{94});
  EXPECT_EQ(venue.told(order).status, OrderStatus::open);
  // On the book it is a limit order, so its price may be amended.
  EXPECT_EQ(venue.amend(order, "96", "").order.price, Ticks{96});
}

TEST_F(Triggered, AHaltedMarketFiresNothing) {
  venue.rest({buy("5 @ 80").by(bob)});
  const auto stop = venue.place(sell("1").type(OrderType::stop_market).at_trigger("90").by(alice));
  venue.apply(HaltMarket{{0}, "drill"});
  venue.mark("85");
  EXPECT_EQ(venue.engine.order(stop.order.id)->status, OrderStatus::untriggered);
  venue.apply(ResumeMarket{{0}, {}});
  venue.mark("85");
  EXPECT_EQ(venue.told(stop).status, OrderStatus::filled);
}

TEST_F(Triggered, OrdersExpireBeforeAnythingElseOfTheirInstant) {
  const TimestampMs at = venue.now_ms + 1000;
  const auto resting = venue.place(buy("1 @ 90").expires(at).by(alice));
  const auto waiting = venue.place(sell("1").type(OrderType::stop_market).at_trigger("95").expires(at).by(alice));
  EXPECT_EQ(venue.engine.next_timer_ms(), at);
  venue.now_ms = at;
  const auto taker = venue.place(sell("1 @ 90").by(bob));
  EXPECT_EQ(venue.fills(taker), "");
  EXPECT_EQ(venue.told(resting).status, OrderStatus::expired);
  EXPECT_EQ(venue.told(waiting).status, OrderStatus::expired);
  EXPECT_EQ(venue.engine.next_timer_ms(), std::nullopt);
}

TEST_F(Triggered, CancelOnDisconnectLeavesThemAlone) {
  venue.place(sell("1").type(OrderType::stop_market).at_trigger("90").by(alice));
  venue.rest({buy("1 @ 90").by(alice)});
  const Outcome& outcome =
      venue.apply(CancelAll{alice, std::nullopt, CancelScope::resting_orders, CancelReason::cancel_on_disconnect});
  ASSERT_EQ(outcome.orders.size(), 1u);
  EXPECT_EQ(outcome.orders.front().order.cancel_reason, CancelReason::cancel_on_disconnect);
  EXPECT_EQ(venue.engine.open_orders(alice).size(), 1u);
}

}  // namespace SVC_FILE
}  // namespace svc::engine
