// Margin requirements, and what an account may do with its money (docs/trading.md, section 5).

#include <gtest/gtest.h>

#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

MarketSpec charged_market() {
  MarketSpec spec = plain_market();
  spec.maker_fee = Ppm{-1'000};
  spec.taker_fee = Ppm{2'000};
  return spec;
}

class Margin : public testing::Test {
 protected:
  Margin() : venue({charged_market()}) { venue.fund({alice, bob, carol}, "1000").mark("100"); }

  [[nodiscard]] std::string available(const Address& who) const {
    return format_usdx(venue.engine.account(who).available);
  }
  [[nodiscard]] std::string equity(const Address& who) const { return format_usdx(venue.engine.account(who).equity); }
  [[nodiscard]] PositionRow row(const Address& who) const { return venue.engine.positions(who).front(); }
  Reject leverage(const Address& who, std::int64_t value) { return venue.apply(SetLeverage{who, {0}, value}).reject; }
  Reject mode(const Address& who, MarginMode value) { return venue.apply(SetMarginMode{who, {0}, value}).reject; }
  Reject margin(const Address& who, std::string_view amount, MarginDirection direction) {
    return venue.apply(AdjustMargin{who, {0}, usdx(amount), direction}).reject;
  }
  // alice long 10 @ 100, bob short.
  void open_ten() {
    venue.rest({sell("10 @ 100").by(bob)});
    venue.place(buy("10 @ 100").by(alice));
  }

  Venue venue;
};

TEST_F(Margin, AnOrderReservesInitialMarginAndTheTakerFee) {
  venue.rest({buy("10 @ 100").by(alice)});
  EXPECT_EQ(available(alice), "898");  // 1000 - 1000/10 - 1000*0.002
}

TEST_F(Margin, TheLargerSideCounts) {
  venue.rest({buy("10 @ 99").by(alice), sell("10 @ 101").by(alice)});
  EXPECT_EQ(available(alice), "896.98");  // 1000 - (101 + 2.02)
}

TEST_F(Margin, OrdersThatReduceAPositionReserveNothing) {
  open_ten();
  const std::string before = available(alice);
  venue.rest({sell("4 @ 105").by(alice), sell("6 @ 106").by(alice)});
  EXPECT_EQ(available(alice), before);
  venue.rest({sell("5 @ 107").by(alice)});
  EXPECT_EQ(available(alice), format_usdx(usdx(before) - usdx("54.57")));  // 53.5 + 1.07
}

TEST(MarginTiers, AnOrderReservesByTheTierOfAllThatRestsOfIt) {
  MarketSpec spec = plain_market();
  spec.tiers = {{usdx("0"), {1, 10}, {1, 20}}, {usdx("1000"), {1, 5}, {1, 10}}};
  Venue venue({spec});
  venue.fund({alice, bob}, "1000").mark("100").rest({sell("8 @ 100").by(bob)});
  venue.place(buy("8 @ 100").by(alice));
  EXPECT_EQ(format_usdx(venue.engine.account(alice).available), "920");
  venue.rest({sell("18 @ 100").by(alice)});  // 1800; 10 of it open a short
  EXPECT_EQ(format_usdx(venue.engine.account(alice).available), "720");
}

TEST_F(Margin, AnOrderIsRefusedWhenTheStateAfterItWouldLackMargin) {
  EXPECT_EQ(venue.place(buy("99 @ 100").by(alice)).reject, Reject::insufficient_margin);  // 990 + 19.8
  EXPECT_EQ(venue.place(buy("98 @ 100").by(alice)).reject, Reject::none);                 // 980 + 19.6
}

TEST_F(Margin, ATakerIsJudgedOnItsRealFillsAndFees) {
  venue.fund({bob}, "100000").rest({sell("98 @ 90").by(bob)});
  // Bought at 90 and worth 100: the profit counts immediately.
  EXPECT_EQ(venue.place(buy("98 @ 100").by(alice)).reject, Reject::none);
  EXPECT_EQ(equity(alice), format_usdx(usdx("1000") + usdx("980") - usdx("17.64")));
}

TEST_F(Margin, FeesAreTakenFromBothSides) {
  open_ten();
  EXPECT_EQ(venue.balance(alice), "998");
  EXPECT_EQ(venue.balance(bob), "1001");
  EXPECT_EQ(venue.engine.venue().fee_treasury, usdx("1"));
}

TEST_F(Margin, AStrictReductionNeedsNoFreeMarginButMayNotBankrupt) {
  open_ten();
  venue.fund({carol}, "100000").rest({buy("5 @ 40").by(carol)});
  venue.apply(Withdraw{alice, venue.engine.account(alice).withdrawable});
  EXPECT_EQ(available(alice), "0");
  EXPECT_EQ(venue.place(sell("1 @ 90").by(alice)).reject, Reject::none);
  EXPECT_EQ(venue.place(sell("5 @ 40").ioc().by(alice)).reject, Reject::insufficient_margin);
}

TEST_F(Margin, AMakerWithoutMarginForTheFillIsDroppedAndMatchingContinues) {
  const auto stale = venue.place(buy("90 @ 100").by(alice));
  venue.fund({carol, bob}, "100000").mark("50");
  venue.rest({buy("60 @ 49").by(bob)});
  const auto order = venue.place(sell("60 @ 49").by(carol));
  EXPECT_EQ(venue.fills(order), "60 @ 49");
  EXPECT_EQ(venue.told(stale).cancel_reason, CancelReason::margin_breach);
}

TEST_F(Margin, WhatAMakerAheadBearsIsToldBeforehand) {
  venue.rest({buy("90 @ 100").by(alice)});
  venue.fund({carol, bob}, "100000").mark("50");
  const OrderId behind = venue.place(buy("60 @ 49").by(bob)).order.id;
  const auto filled = [&](std::int64_t lots) { return venue.engine.filled_ahead(behind, carol, Lots{lots}).value; };
  EXPECT_EQ(filled(19), 19);
  EXPECT_EQ(filled(20), 0) << "1000 - 20 * 50 is less than the maintenance margin, so it would be dropped";
  venue.mark("100");
  EXPECT_EQ(filled(100), 90);
}

TEST_F(Margin, LoweringLeverageNeedsTheAdditionalMargin) {
  open_ten();
  EXPECT_EQ(leverage(alice, 0), Reject::invalid_leverage);
  EXPECT_EQ(leverage(alice, 11), Reject::invalid_leverage);
  EXPECT_EQ(leverage(alice, 2), Reject::none);
  EXPECT_EQ(available(alice), "498");
  EXPECT_EQ(leverage(alice, 1), Reject::insufficient_margin);
  EXPECT_EQ(available(alice), "498");
  EXPECT_EQ(venue.engine.settings(alice, {0}).leverage, 2);
}

TEST_F(Margin, LeverageRepricesRestingOrders) {
  venue.rest({buy("10 @ 100").by(alice)});
  EXPECT_EQ(leverage(alice, 5), Reject::none);
  EXPECT_EQ(available(alice), "798");
  EXPECT_EQ(venue.events<OrderMarginChanged>().front().amount, usdx("202"));
}

TEST_F(Margin, TheModeIsLockedWhileAnythingIsOpen) {
  const auto order = venue.place(buy("1 @ 90").by(alice));
  EXPECT_EQ(mode(alice, MarginMode::isolated), Reject::margin_mode_locked);
  EXPECT_EQ(mode(alice, MarginMode::cross), Reject::none);
  venue.cancel(order);
  EXPECT_EQ(mode(alice, MarginMode::isolated), Reject::none);
}

TEST_F(Margin, AnIsolatedFillMovesItsMarginAndPaysItsFeeFromTheCrossBalance) {
  mode(alice, MarginMode::isolated);
  open_ten();
  EXPECT_EQ(row(alice).isolated, usdx("100"));
  EXPECT_EQ(venue.balance(alice), "898");
  venue.mark("105");
  EXPECT_EQ(available(alice), "898") << "isolated profit backs nothing else";
}

TEST_F(Margin, APartialIsolatedClosePaysOutItsShare) {
  mode(alice, MarginMode::isolated);
  open_ten();
  venue.rest({buy("4 @ 103").by(carol)});
  venue.place(sell("4").by(alice));
  // part 40, realized 12, fee 0.824
  EXPECT_EQ(row(alice).isolated, usdx("60"));
  EXPECT_EQ(venue.balance(alice), "949.176");
}

TEST_F(Margin, ALosingPartialIsolatedCloseTakesFromWhatStays) {
  mode(alice, MarginMode::isolated);
  open_ten();
  margin(alice, "500", MarginDirection::add);
  venue.rest({buy("1 @ 20").by(carol)});
  venue.place(sell("1 @ 20").ioc().by(alice));
  // part 60, realized -80, fee 0.04: 20.04 is owed and taken from the remaining 540
  EXPECT_EQ(row(alice).isolated, usdx("519.96"));
  EXPECT_EQ(venue.balance(alice), "398");
}

TEST_F(Margin, AFullIsolatedCloseThatWouldOweIsRefused) {
  mode(alice, MarginMode::isolated);
  open_ten();
  venue.rest({buy("10 @ 80").by(carol)});
  EXPECT_EQ(venue.place(sell("10").by(alice)).reject, Reject::insufficient_margin);
}

TEST_F(Margin, AFlipSplitsTheFeeWithTheClosingPartRoundedUp) {
  mode(alice, MarginMode::isolated);
  venue.rest({sell("1 @ 100").by(bob)});
  venue.place(buy("1 @ 100").by(alice));
  venue.rest({buy("3 @ 101").by(carol)});
  venue.place(sell("3").by(alice));
  EXPECT_EQ(row(alice).size, Lots{-2});
  EXPECT_EQ(row(alice).isolated, usdx("20.2"));
  // 1000 - 0.2 - 10 | +10 + 1 - 0.202 | -20.2 - 0.404
  EXPECT_EQ(venue.balance(alice), "979.994");
}

TEST_F(Margin, AddingAndRemovingMarginHaveTheirFloors) {
  EXPECT_EQ(margin(alice, "1", MarginDirection::add), Reject::no_open_position);
  mode(alice, MarginMode::isolated);
  open_ten();
  EXPECT_EQ(margin(bob, "1", MarginDirection::add), Reject::margin_mode_not_isolated);
  EXPECT_EQ(margin(alice, "0", MarginDirection::add), Reject::invalid_amount);
  EXPECT_EQ(margin(alice, "898.000001", MarginDirection::add), Reject::insufficient_balance);
  EXPECT_EQ(margin(alice, "50", MarginDirection::add), Reject::none);
  EXPECT_EQ(venue.balance(alice), "848");
  EXPECT_EQ(margin(alice, "50.000001", MarginDirection::remove), Reject::insufficient_margin);
  EXPECT_EQ(margin(alice, "50", MarginDirection::remove), Reject::none);
  venue.mark("110");  // equity 200; the floor is 110
  EXPECT_EQ(margin(alice, "90", MarginDirection::remove), Reject::none);
  EXPECT_EQ(row(alice).isolated, usdx("10"));
}

TEST_F(Margin, OnlyFreeMarginCanBeWithdrawn) {
  open_ten();
  venue.rest({buy("10 @ 90").by(alice)});
  EXPECT_EQ(available(alice), "806.2");  // 998 - 100 - 90 - 1.8
  EXPECT_EQ(venue.apply(Withdraw{alice, usdx("806.200001")}).reject, Reject::insufficient_balance);
  EXPECT_EQ(venue.apply(Withdraw{alice, usdx("806.2")}).reject, Reject::none);
  EXPECT_EQ(venue.apply(Withdraw{alice, usdx("0")}).reject, Reject::invalid_amount);
}

TEST_F(Margin, TransfersNeedAFlatSource) {
  open_ten();
  EXPECT_EQ(venue.apply(Transfer{alice, carol, usdx("1")}).reject, Reject::account_not_flat);
  EXPECT_EQ(venue.apply(Transfer{carol, alice, usdx("1000.000001")}).reject, Reject::insufficient_balance);
  EXPECT_EQ(venue.apply(Transfer{carol, dave, usdx("400")}).reject, Reject::none);
  EXPECT_EQ(venue.balance(dave), "400");
  EXPECT_EQ(venue.balance(carol), "600");
}

TEST_F(Margin, ARefusalOpensNoAccount) {
  const auto accounts = venue.engine.accounts();
  const Address nobody = trader("nobody");
  EXPECT_EQ(venue.apply(Withdraw{nobody, usdx("1")}).reject, Reject::insufficient_balance);
  EXPECT_EQ(venue.apply(Withdraw{nobody, usdx("0")}).reject, Reject::invalid_amount);
  EXPECT_EQ(venue.apply(Transfer{nobody, dave, usdx("1")}).reject, Reject::insufficient_balance);
  EXPECT_EQ(venue.apply(Transfer{nobody, nobody, usdx("1")}).reject, Reject::invalid_amount);
  EXPECT_EQ(margin(nobody, "1", MarginDirection::add), Reject::no_open_position);
  EXPECT_EQ(venue.engine.accounts(), accounts);
}

TEST_F(Margin, TheLiquidationPriceIsTheLastHealthyTick) {
  venue.fund({bob}, "100000");
  venue.rest({sell("50 @ 100").by(bob)});
  venue.place(buy("50 @ 100").by(alice));
  // 990 + 50(p - 100) >= 50p/20  <=>  p >= 84.42...
  EXPECT_EQ(row(alice).liquidation_price, Ticks{85});
  venue.mark("85");
  EXPECT_FALSE(venue.engine.account(alice).in_liquidation);
  venue.mark("84");
  EXPECT_TRUE(venue.engine.account(alice).in_liquidation);
}

TEST_F(Margin, ClosedPositionsAreReportedWithEntryExitAndResult) {
  open_ten();
  venue.rest({buy("6 @ 103").by(carol), buy("4 @ 102").by(carol)});
  venue.place(sell("10").by(alice));
  const auto closed = venue.events<PositionClosed>();
  ASSERT_EQ(closed.size(), 1u);
  EXPECT_EQ(closed.front().side, Side::buy);
  EXPECT_EQ(closed.front().size, Lots{10});
  EXPECT_TRUE(closed.front().entry_quote == usdx("1000").value);
  EXPECT_TRUE(closed.front().exit_quote == usdx("1026").value);
  EXPECT_TRUE(closed.front().exit_lots == 10);
  EXPECT_EQ(closed.front().realized_pnl, usdx("26"));
}

TEST_F(Margin, APreviewIsRefusedForASlippageThatNoOrderMayHave) {
  venue.rest({buy("1 @ 99").by(bob), sell("4 @ 100").by(bob)});
  const auto order = [&](std::int32_t bps) { return PlaceOrder{alice, venue.params(buy("1").max_slippage(bps))}; };
  EXPECT_EQ(venue.engine.preview(order(limits::bps_max), venue.now_ms).reject, Reject::none);
  EXPECT_EQ(venue.engine.preview(order(limits::bps_max + 1), venue.now_ms).reject, Reject::invalid_price);
}

TEST_F(Margin, PreviewShowsTheOutcomeAndChangesNothing) {
  venue.rest({sell("4 @ 100").by(bob), sell("6 @ 101").by(bob)});
  const std::uint64_t before = venue.engine.state_hash();
  const Preview preview = venue.engine.preview({alice, venue.params(buy("12 @ 101").by(alice))}, venue.now_ms);
  EXPECT_EQ(preview.reject, Reject::none);
  EXPECT_EQ(preview.fill_lots, Lots{10});
  EXPECT_EQ(preview.fill_quote, usdx("1006"));
  EXPECT_EQ(preview.fees, usdx("2.012"));
  EXPECT_EQ(preview.equity, usdx("991.988"));
  EXPECT_EQ(preview.required_initial_margin, usdx("120.604"));  // 100 for the position, 20.2 + 0.404 for the rest
  EXPECT_EQ(preview.projected_notional, usdx("1000"));
  const Preview refused = venue.engine.preview({dave, venue.params(buy("1 @ 101").by(dave))}, venue.now_ms);
  EXPECT_EQ(refused.reject, Reject::insufficient_margin);
  EXPECT_EQ(venue.engine.state_hash(), before);
}

}  // namespace SVC_FILE
}  // namespace svc::engine
