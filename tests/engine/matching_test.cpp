// Price-time priority and times in force (docs/trading.md, sections 3 and 4).

#include <gtest/gtest.h>

#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

class Matching : public testing::Test {
 protected:
  Matching() { venue.fund({alice, bob, carol}).mark("10"); }

  Venue venue;
};

TEST_F(Matching, BetterPricesFillFirstAndOlderOrdersBeforeYounger) {
  venue.rest({sell("3 @ 12").by(bob), sell("2 @ 11").by(bob), sell("4 @ 11").by(carol)});
  EXPECT_EQ(venue.picture(),
            "12 | 3 bob\n"
            "11 | 2 bob, 4 carol\n"
            "---\n");

  const auto taken = venue.place(buy("7 @ 12").by(alice));

  EXPECT_EQ(venue.fills(taken), "2 @ 11, 4 @ 11, 1 @ 12");
  EXPECT_EQ(taken.order.status, OrderStatus::filled);
  EXPECT_EQ(venue.picture(),
            "12 | 2 bob\n"
            "---\n");
}

TEST_F(Matching, TheRestOfALimitOrderRests) {
  venue.rest({sell("2 @ 11").by(bob)});

  const auto order = venue.place(buy("5 @ 11").by(alice));

  EXPECT_EQ(venue.fills(order), "2 @ 11");
  EXPECT_EQ(order.order.status, OrderStatus::partially_filled);
  EXPECT_EQ(venue.picture(),
            "---\n"
            "11 | 3 alice\n");
}

TEST_F(Matching, ImmediateOrCancelNeverRests) {
  venue.rest({sell("2 @ 11").by(bob)});

  const auto order = venue.place(buy("5 @ 11").ioc().by(alice));

  EXPECT_EQ(venue.fills(order), "2 @ 11");
  EXPECT_EQ(order.order.status, OrderStatus::cancelled);
  EXPECT_EQ(order.order.cancel_reason, CancelReason::expired);
  EXPECT_EQ(venue.picture(), "---\n");
}

TEST_F(Matching, FillOrKillThatCannotFillLeavesEveryMakerAlone) {
  venue.rest({sell("2 @ 11").by(bob), sell("2 @ 12").by(bob)});

  const auto killed = venue.place(buy("5 @ 12").fok().by(alice));

  EXPECT_EQ(killed.reject, Reject::none);
  EXPECT_EQ(killed.order.status, OrderStatus::cancelled);
  EXPECT_EQ(killed.order.cancel_reason, CancelReason::expired);
  EXPECT_EQ(venue.picture(),
            "12 | 2 bob\n"
            "11 | 2 bob\n"
            "---\n");
  EXPECT_EQ(venue.fills(venue.place(buy("4 @ 12").fok().by(alice))), "2 @ 11, 2 @ 12");
}

TEST_F(Matching, PostOnlyIsRefusedOnPriceAloneEvenAgainstOneself) {
  venue.rest({sell("2 @ 11").by(alice)});

  EXPECT_EQ(venue.place(buy("1 @ 11").post_only().by(alice)).reject, Reject::would_take_liquidity);
  EXPECT_EQ(venue.place(buy("1 @ 10").post_only().by(alice)).order.status, OrderStatus::open);
}

TEST_F(Matching, AMarketOrderWalksTheBookAndNeverRests) {
  venue.rest({buy("2 @ 10").by(bob), buy("2 @ 9").by(carol)});

  const auto order = venue.place(sell("5").by(alice));

  EXPECT_EQ(venue.fills(order), "2 @ 10, 2 @ 9");
  EXPECT_EQ(order.order.status, OrderStatus::cancelled);
  EXPECT_EQ(order.order.cancel_reason, CancelReason::expired);
  EXPECT_EQ(venue.place(sell("1").by(alice)).reject, Reject::insufficient_liquidity);
}

TEST_F(Matching, WithoutSelfTradePreventionAnAccountTradesWithItself) {
  venue.rest({sell("2 @ 11").by(alice)});

  EXPECT_EQ(venue.fills(venue.place(buy("2 @ 11").by(alice))), "2 @ 11");
  EXPECT_EQ(venue.position(alice), Lots{0});
}

}  // namespace SVC_FILE
}  // namespace svc::engine
