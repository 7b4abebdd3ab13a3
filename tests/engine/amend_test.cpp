// Cancel-and-replace as one step (docs/trading.md, rule 3.11), and client ids (rule 3.10).

#include <gtest/gtest.h>

#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

class Amend : public testing::Test {
 protected:
  Amend() {
    venue.fund({alice, bob, carol}).mark("10");
    order = venue.place(buy("5 @ 10").by(alice));
    venue.rest({buy("5 @ 10").by(bob)});
  }

  Venue venue;
  OrderOutcome order;
};

TEST_F(Amend, TheReplacementHasANewIdThatTheOriginalNames) {
  const auto replacement = venue.amend(order, "9", "");
  EXPECT_GT(replacement.order.id, order.order.id);
  EXPECT_EQ(replacement.order.replaces, order.order.id);
  EXPECT_EQ(venue.told(order).status, OrderStatus::cancelled);
  EXPECT_EQ(venue.told(order).cancel_reason, CancelReason::amend_replace);
  EXPECT_EQ(venue.told(order).replaced_by, replacement.order.id);
  EXPECT_EQ(venue.picture(),
            "---\n"
            "10 | 5 bob\n"
            "9 | 5 alice\n");
}

// Whether alice or bob is first at 10 after the amend shows if the order kept its place.
TEST_F(Amend, OnlyAPureDecreaseOrNoChangeKeepsTheQueue) {
  struct Row {
    const char* price;
    const char* size;
    const char* first_fill_of_three;
  };
  for (const Row& row : {Row{"", "4", "alice"}, {"10", "5", "alice"}, {"10", "3", "alice"}, {"", "6", "bob"}}) {
    Venue fresh;
    fresh.fund({alice, bob, carol}).mark("10");
    const auto mine = fresh.place(buy("5 @ 10").by(alice));
    fresh.rest({buy("5 @ 10").by(bob)});
    EXPECT_EQ(fresh.amend(mine, row.price, row.size).reject, Reject::none);
    fresh.place(sell("3").by(carol));
    EXPECT_EQ(name_of(fresh.events<Trade>().front().maker), row.first_fill_of_three) << row.price << " " << row.size;
  }
}

TEST_F(Amend, SizeIsTheTotalIncludingFills) {
  venue.place(sell("2").by(carol));
  EXPECT_EQ(venue.amend(order, "", "2").reject, Reject::invalid_amend);
  const auto replacement = venue.amend(order, "", "3");
  EXPECT_EQ(replacement.order.quantity, Lots{3});
  EXPECT_EQ(replacement.order.filled, Lots{2});
  EXPECT_EQ(venue.told(order).filled, Lots{2});
  EXPECT_EQ(venue.told(order).quantity, Lots{5});
}

// Checked before the market, the price grid and everything else.
TEST_F(Amend, ASizeAlreadyFilledIsRefusedBeforeAnythingElse) {
  venue.place(sell("2").by(carol));
  EXPECT_EQ(venue.amend(order, "9.5", "2").reject, Reject::invalid_amend);
  EXPECT_EQ(venue.amend(order, "", "0").reject, Reject::invalid_amend);
  EXPECT_EQ(venue.amend(order, "", "-1").reject, Reject::invalid_amend);
  EXPECT_EQ(venue.amend(order, "", "1.5").reject, Reject::invalid_amend);
  EXPECT_EQ(venue.amend(order, "", "2.5").reject, Reject::invalid_lot_size);
  EXPECT_EQ(venue.amend(order, "", "99999999999999999999").reject, Reject::invalid_quantity);
  venue.apply(HaltMarket{{0}, "drill"});
  EXPECT_EQ(venue.amend(order, "", "2").reject, Reject::invalid_amend);
  EXPECT_EQ(venue.amend(order, "", "2.5").reject, Reject::market_halted);
  EXPECT_EQ(venue.amend(order, "", "3").reject, Reject::market_halted);
}

TEST_F(Amend, AnAmendAcrossTheSpreadTrades) {
  venue.rest({sell("2 @ 12").by(carol)});
  const auto replacement = venue.amend(order, "12", "");
  EXPECT_EQ(venue.fills(replacement), "2 @ 12");
  EXPECT_EQ(replacement.order.filled, Lots{2});
  EXPECT_EQ(venue.picture(),
            "---\n"
            "12 | 3 alice\n"
            "10 | 5 bob\n");
}

TEST_F(Amend, AFailedAmendLeavesTheOriginalInItsPlace) {
  EXPECT_EQ(venue.amend(order, "", "100000").reject, Reject::insufficient_margin);
  EXPECT_EQ(venue.amend(order, "10.5", "").reject, Reject::invalid_tick_size);
  EXPECT_EQ(venue.amend(order, "", "0.5").reject, Reject::invalid_lot_size);
  EXPECT_EQ(venue.amend(order, "", "").reject, Reject::invalid_amend);
  EXPECT_EQ(venue.picture(),
            "---\n"
            "10 | 5 alice, 5 bob\n");
  const auto maker = venue.place(buy("1 @ 8").post_only().by(alice));
  venue.rest({sell("1 @ 12").by(carol)});
  EXPECT_EQ(venue.amend(maker, "12", "").reject, Reject::would_take_liquidity);
}

TEST_F(Amend, AnOrderThatUsesAllMarginCanStillBeMoved) {
  // 5 @ 10 reserves 5; almost everything else is reserved too.
  const auto large = venue.place(buy("9994 @ 10").by(alice));
  ASSERT_EQ(large.reject, Reject::none);
  EXPECT_EQ(venue.amend(large, "9", "9994").reject, Reject::none);
}

TEST_F(Amend, TerminalAndForeignOrdersCannotBeAmended) {
  venue.cancel(order);
  EXPECT_EQ(venue.amend(order, "9", "").reject, Reject::invalid_amend);
  OrderOutcome unknown = order;
  unknown.order.id = {999};
  EXPECT_EQ(venue.amend(unknown, "9", "").reject, Reject::order_not_found);
  OrderOutcome foreign = venue.place(buy("1 @ 9").by(bob));
  foreign.order.account = alice;
  EXPECT_EQ(venue.amend(foreign, "8", "").reject, Reject::order_not_found);
  EXPECT_EQ(venue.cancel(order), Reject::order_not_found);
  EXPECT_EQ(venue.cancel(foreign), Reject::order_not_found);
}

TEST_F(Amend, AHaltedMarketAmendsNothingButCancels) {
  venue.apply(HaltMarket{{0}, "drill"});
  EXPECT_EQ(venue.amend(order, "9", "").reject, Reject::market_halted);
  EXPECT_EQ(venue.cancel(order), Reject::none);
}

TEST_F(Amend, ConditionalsChangeLimitPriceAndSize) {
  const auto stop = venue.place(buy("5 @ 20").type(OrderType::stop_limit).at_trigger("15").by(alice));
  const auto amended = venue.amend(stop, "18", "4");
  EXPECT_EQ(amended.order.status, OrderStatus::untriggered);
  EXPECT_EQ(amended.order.price, Ticks{18});
  EXPECT_EQ(amended.order.trigger, Ticks{15});
  const auto plain = venue.place(buy("5").type(OrderType::stop_market).at_trigger("15").by(alice));
  EXPECT_EQ(venue.amend(plain, "18", "").reject, Reject::invalid_amend);
  EXPECT_EQ(venue.amend(plain, "", "3").order.quantity, Lots{3});
}

TEST_F(Amend, ARepeatedClientIdReturnsTheOpenOrder) {
  const auto first = venue.place(buy("2 @ 9").client("a").by(alice));
  const auto again = venue.place(buy("2 @ 9").client("a").by(alice));
  EXPECT_EQ(again.reject, Reject::none);
  EXPECT_EQ(again.order.id, first.order.id);
  EXPECT_EQ(venue.engine.open_orders(alice).size(), 2u);
  EXPECT_EQ(venue.place(buy("3 @ 9").client("a").by(alice)).reject, Reject::client_id_taken);
  EXPECT_EQ(venue.place(buy("2 @ 9").client("a").by(bob)).reject, Reject::none);
}

TEST_F(Amend, AClientIdStaysTakenAfterItsOrderEnded) {
  venue.cancel(venue.place(buy("2 @ 9").client("a").by(alice)));
  EXPECT_EQ(venue.place(buy("2 @ 9").client("a").by(alice)).reject, Reject::client_id_taken);
}

TEST_F(Amend, TheReplacementInheritsTheClientIdAndIsWhatARepeatIsComparedWith) {
  const auto first = venue.place(buy("2 @ 9").client("a").by(alice));
  const auto replacement = venue.amend(first, "8", "3");
  EXPECT_EQ(venue.place(buy("3 @ 8").client("a").by(alice)).order.id, replacement.order.id);
  EXPECT_EQ(venue.place(buy("2 @ 9").client("a").by(alice)).reject, Reject::client_id_taken);
  EXPECT_EQ(venue.engine.order_by_client_id(alice, *ClientId::from("a"))->id, replacement.order.id);
}

}  // namespace SVC_FILE
}  // namespace svc::engine
