// An order that meets an order of the same account (docs/trading.md, rule 3.7).

#include <gtest/gtest.h>

#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

class SelfTrade : public testing::Test {
 protected:
  SelfTrade() {
    venue.fund({alice, bob}).mark("10");
    own = venue.place(sell("3 @ 10").by(alice));
    venue.rest({sell("4 @ 11").by(bob)});
  }

  Venue venue;
  OrderOutcome own;
};

TEST_F(SelfTrade, CancelNewestStopsTheTakerAndKeepsTheMaker) {
  const auto order = venue.place(buy("5 @ 11").stp(StpMode::cancel_newest).by(alice));
  EXPECT_EQ(venue.fills(order), "");
  EXPECT_EQ(order.order.status, OrderStatus::cancelled);
  EXPECT_EQ(order.order.cancel_reason, CancelReason::stp_cancel_newest);
  EXPECT_EQ(venue.picture(),
            "11 | 4 bob\n"
            "10 | 3 alice\n"
            "---\n");
}

TEST_F(SelfTrade, CancelOldestCancelsTheMakerAndContinues) {
  const auto order = venue.place(buy("5 @ 11").stp(StpMode::cancel_oldest).by(alice));
  EXPECT_EQ(venue.fills(order), "4 @ 11");
  EXPECT_EQ(venue.told(own).cancel_reason, CancelReason::stp_cancel_oldest);
  EXPECT_EQ(venue.picture(),
            "---\n"
            "11 | 1 alice\n");
}

TEST_F(SelfTrade, DecrementShrinksBothByTheSmaller) {
  const auto order = venue.place(buy("5 @ 11").stp(StpMode::decrement_and_cancel).by(alice));
  EXPECT_EQ(venue.told(own).status, OrderStatus::cancelled);
  EXPECT_EQ(venue.told(own).cancel_reason, CancelReason::stp_decrement_and_cancel);
  EXPECT_EQ(venue.told(own).quantity, Lots{0});
  EXPECT_EQ(venue.fills(order), "2 @ 11");
  EXPECT_EQ(order.order.status, OrderStatus::filled);
  EXPECT_EQ(order.order.quantity, Lots{2});
}

TEST_F(SelfTrade, ATakerDecrementedToNothingIsCancelled) {
  const auto order = venue.place(buy("2 @ 11").stp(StpMode::decrement_and_cancel).by(alice));
  EXPECT_EQ(order.order.status, OrderStatus::cancelled);
  EXPECT_EQ(order.order.cancel_reason, CancelReason::stp_decrement_and_cancel);
  EXPECT_EQ(order.order.quantity, Lots{0});
  EXPECT_EQ(venue.told(own).quantity, Lots{1});
  EXPECT_EQ(venue.told(own).status, OrderStatus::open);
}

TEST_F(SelfTrade, AKilledFillOrKillLeavesItsOwnMakersAlone) {
  for (const StpMode mode : {StpMode::cancel_newest, StpMode::cancel_oldest, StpMode::decrement_and_cancel}) {
    const auto order = venue.place(buy("7 @ 11").fok().stp(mode).by(alice));
    EXPECT_EQ(order.order.status, OrderStatus::cancelled);
    EXPECT_EQ(order.order.filled, Lots{0});
    EXPECT_EQ(venue.picture(),
              "11 | 4 bob\n"
              "10 | 3 alice\n"
              "---\n");
  }
}

// A decrement that leaves part of the taker does not end the matching, so the missing quantity is reported as
// expired.
TEST_F(SelfTrade, AKilledFillOrKillReportsWhatEndedItsMatching) {
  struct Row {
    OrderRequest order;
    CancelReason reason;
  };
  const Row rows[] = {
      {buy("5 @ 11").stp(StpMode::decrement_and_cancel), CancelReason::expired},  // 3 decremented, 2 filled
      {buy("9 @ 11").stp(StpMode::decrement_and_cancel), CancelReason::expired},  // 3 decremented, the book ends
      {buy("3 @ 11").stp(StpMode::decrement_and_cancel), CancelReason::stp_decrement_and_cancel},  // nothing is left
      {buy("5 @ 11").stp(StpMode::cancel_newest), CancelReason::stp_cancel_newest},
      {buy("5 @ 11").stp(StpMode::cancel_oldest), CancelReason::expired},
  };
  for (const Row& row : rows) {
    const auto order = venue.place(row.order.fok().by(alice));
    EXPECT_EQ(order.order.status, OrderStatus::cancelled) << row.order.quantity;
    EXPECT_EQ(order.order.cancel_reason, row.reason) << row.order.quantity;
    EXPECT_EQ(order.order.filled, Lots{0});
    EXPECT_EQ(venue.engine.order(own.order.id)->quantity, Lots{3});
  }
}

TEST_F(SelfTrade, TheTakersModeGoverns) {
  venue.rest({sell("1 @ 9").stp(StpMode::cancel_oldest).by(alice)});
  EXPECT_EQ(venue.fills(venue.place(buy("1 @ 9").by(alice))), "1 @ 9");
}

}  // namespace SVC_FILE
}  // namespace svc::engine
