// Orders that may only reduce a position (docs/trading.md, rule 3.6).

#include <gtest/gtest.h>

#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

class ReduceOnly : public testing::Test {
 protected:
  ReduceOnly() {
    venue.fund({alice, bob, carol}).mark("10");
    venue.rest({sell("10 @ 10").by(bob)});
    venue.place(buy("10 @ 10").by(alice));  // alice is long 10
  }

  Venue venue;
};

TEST_F(ReduceOnly, TheSideMustOpposeThePosition) {
  EXPECT_EQ(venue.place(buy("1 @ 9").reduce_only().by(alice)).reject, Reject::reduce_only_would_increase);
  EXPECT_EQ(venue.place(sell("1 @ 11").reduce_only().by(carol)).reject, Reject::reduce_only_would_increase);
}

TEST_F(ReduceOnly, TheQuantityIsClampedToThePosition) {
  const auto order = venue.place(sell("25 @ 11").reduce_only().by(alice));
  EXPECT_EQ(order.order.quantity, Lots{10});
  EXPECT_EQ(order.order.status, OrderStatus::open);
}

TEST_F(ReduceOnly, ABetterOrderCutsTheWorstOnes) {
  const auto worst = venue.place(sell("6 @ 13").reduce_only().by(alice));
  const auto middle = venue.place(sell("4 @ 12").reduce_only().by(alice));
  const auto best = venue.place(sell("5 @ 11").reduce_only().by(alice));
  EXPECT_EQ(best.order.quantity, Lots{5});
  EXPECT_EQ(venue.told(worst).quantity, Lots{1});
  EXPECT_EQ(venue.told(middle).quantity, Lots{4});
  EXPECT_EQ(venue.picture(),
            "13 | 1 alice\n"
            "12 | 4 alice\n"
            "11 | 5 alice\n"
            "---\n");
}

TEST_F(ReduceOnly, ANewOrderThatIsWorstOfAllIsCutItself) {
  venue.rest({sell("10 @ 11").reduce_only().by(alice)});
  const auto order = venue.place(sell("3 @ 12").reduce_only().by(alice));
  EXPECT_EQ(order.reject, Reject::none);
  EXPECT_EQ(order.order.status, OrderStatus::cancelled);
  EXPECT_EQ(order.order.cancel_reason, CancelReason::reduce_only);
}

TEST_F(ReduceOnly, ClosingThePositionTrimsThemAtOnceAndForGood) {
  const auto order = venue.place(sell("10 @ 12").reduce_only().by(alice));
  venue.rest({buy("4 @ 9").by(bob)});
  venue.place(sell("4").by(alice));
  EXPECT_EQ(venue.told(order).quantity, Lots{6});
  venue.rest({sell("4 @ 10").by(bob)});
  venue.place(buy("4").by(alice));
  EXPECT_EQ(venue.position(alice), Lots{10});
  EXPECT_EQ(venue.engine.open_orders(alice).front().quantity, Lots{6});
}

TEST_F(ReduceOnly, ARestingOneFillsAtMostItsPresentPosition) {
  // alice has 10 and sells 8 normally and 10 reduce-only behind; the taker wants 15.
  venue.rest({sell("8 @ 11").by(alice), sell("10 @ 12").reduce_only().by(alice), sell("9 @ 13").by(bob)});
  const auto taken = venue.place(buy("15 @ 13").by(carol));
  EXPECT_EQ(venue.fills(taken), "8 @ 11, 2 @ 12, 5 @ 13");
  EXPECT_EQ(venue.position(alice), Lots{0});
}

TEST_F(ReduceOnly, ConditionalsMayBePlacedFlatAndEndWhenThePositionDoes) {
  const auto flat = venue.place(sell("5").type(OrderType::stop_market).at_trigger("8").reduce_only().by(carol));
  EXPECT_EQ(flat.order.status, OrderStatus::untriggered);
  const auto stop = venue.place(sell("5").type(OrderType::stop_market).at_trigger("8").reduce_only().by(alice));
  venue.rest({buy("10 @ 9").by(bob)});
  venue.place(sell("10").by(alice));
  EXPECT_EQ(venue.told(stop).cancel_reason, CancelReason::reduce_only);
  EXPECT_EQ(venue.engine.open_orders(carol).size(), 1u);
}

TEST_F(ReduceOnly, ASelfTradeWithoutAPositionDoesNotCountAsBecomingFlat) {
  const auto stop = venue.place(sell("5").type(OrderType::stop_market).at_trigger("8").reduce_only().by(carol));
  venue.rest({sell("2 @ 10").by(carol)});
  EXPECT_EQ(venue.fills(venue.place(buy("2 @ 10").by(carol))), "2 @ 10");
  EXPECT_EQ(venue.position(carol), Lots{0});
  EXPECT_EQ(venue.engine.order(stop.order.id)->status, OrderStatus::untriggered);
}

// The taker's leg alone would make alice flat.
TEST_F(ReduceOnly, ASelfTradeIsJudgedAfterBothItsLegs) {
  const auto stop = venue.place(sell("5").type(OrderType::stop_market).at_trigger("8").reduce_only().by(alice));
  venue.rest({buy("10 @ 9").by(alice)});
  EXPECT_EQ(venue.fills(venue.place(sell("10 @ 9").by(alice))), "10 @ 9");
  EXPECT_EQ(venue.position(alice), Lots{10});
  EXPECT_EQ(venue.engine.order(stop.order.id)->status, OrderStatus::untriggered);
}

TEST_F(ReduceOnly, AFlipIsNotFlat) {
  const auto stop = venue.place(sell("5").type(OrderType::stop_market).at_trigger("8").reduce_only().by(alice));
  venue.rest({buy("15 @ 9").by(bob)});
  venue.place(sell("15").by(alice));
  EXPECT_EQ(venue.position(alice), Lots{-5});
  EXPECT_EQ(venue.engine.order(stop.order.id)->status, OrderStatus::untriggered);
}

}  // namespace SVC_FILE
}  // namespace svc::engine
