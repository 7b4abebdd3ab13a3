// Liquidation, insurance, deleveraging, halts and the operator's exits (docs/trading.md, section 9).

#include <gtest/gtest.h>

#include <map>

#include "sim/engine/liquidation.h"
#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

MarketSpec fee_market(std::string id = "X-USDX-PERP") {
  MarketSpec spec = plain_market(std::move(id));
  spec.liquidation_fee = Ppm{5'000};
  return spec;
}

class Distress : public testing::Test {
 protected:
  Distress() : venue({fee_market()}) { venue.fund({alice, bob}, "1000").fund({carol, dave}, "1000000").mark("100"); }

  // alice goes long this quantity @ 100 against carol.
  void alice_long(std::string_view quantity) {
    venue.rest({sell(std::string(quantity) + " @ 100").by(carol)});
    ASSERT_EQ(venue.place(buy(std::string(quantity) + " @ 100").by(alice)).reject, Reject::none);
  }
  [[nodiscard]] std::string liquidations() const {
    std::string text;
    for (const Trade& trade : venue.events<Trade>()) {
      if (!trade.is_liquidation) continue;
      if (!text.empty()) text += ", ";
      text += std::to_string(trade.quantity.value) + " @ " + std::to_string(trade.price.value);
    }
    return text;
  }
  [[nodiscard]] std::string fund() const { return format_usdx(venue.engine.venue().insurance_fund); }

  Venue venue;
};

TEST_F(Distress, ABucketExactlyAtItsRequirementIsHealthy) {
  alice_long("95");  // equity 1000 + 95(p - 100) against 4.75p
  venue.rest({buy("200 @ 90").by(dave)});
  venue.mark("95");
  EXPECT_EQ(liquidations(), "");
  venue.mark("94");
  EXPECT_NE(liquidations(), "");
}

// A small leg of a bucket that is insolvent through another market: its zero price is below zero.
TEST(Deleveraging, AtANegativeZeroPriceLeavesAStateThatAnImageMakesAgain) {
  const auto markets = [] { return std::vector{fee_market("X-USDX-PERP"), fee_market("Y-USDX-PERP")}; };
  Venue venue(markets());
  venue.fund({alice}, "1000").fund({carol}, "1000000").mark("100", "X-USDX-PERP").mark("100", "Y-USDX-PERP");
  venue.rest({sell("95 @ 100").by(carol), sell("1 @ 100").in("Y-USDX-PERP").by(alice)});
  ASSERT_EQ(venue.place(buy("95 @ 100").by(alice)).reject, Reject::none);
  ASSERT_EQ(venue.place(buy("1 @ 100").in("Y-USDX-PERP").by(carol)).reject, Reject::none);
  venue.mark("30", "X-USDX-PERP");
  EXPECT_EQ(venue.position(alice), Lots{0});
  const auto closed = venue.events<PositionClosed>();
  EXPECT_TRUE(std::ranges::any_of(closed, [](const PositionClosed& one) { return one.exit_quote < 0; }));
  Engine engine({.markets = markets()});
  EXPECT_TRUE(engine.restore(venue.engine.image()));
  EXPECT_EQ(engine.state_hash(), venue.engine.state_hash());
}

TEST_F(Distress, SellingAtOrAboveTheZeroPricePaysTheFeeOutOfTheSurplus) {
  alice_long("95");
  venue.rest({buy("200 @ 94").by(dave)});
  venue.mark("94");
  EXPECT_EQ(liquidations(), "95 @ 94");
  EXPECT_EQ(venue.position(alice), Lots{0});
  // Left: 1000 - 95*6 = 430, minus 8930 * 0.005 = 44.65.
  EXPECT_EQ(venue.balance(alice), "385.35");
  EXPECT_EQ(fund(), "44.65");
}

TEST_F(Distress, TheFeeNeverExceedsTheSurplus) {
  alice_long("95");
  venue.rest({buy("200 @ 90").by(dave)});
  venue.mark("94");
  // At 90 exactly 50 are left after a loss of 950; the fee would be 42.75.
  EXPECT_EQ(liquidations(), "95 @ 90");
  EXPECT_EQ(venue.balance(alice), "7.25");
  venue.mark("94");
  EXPECT_EQ(fund(), "42.75");
}

TEST_F(Distress, WithoutBuyersASolventBucketWaitsForTheNextEvent) {
  alice_long("95");
  const auto resting = venue.place(sell("1 @ 120").by(alice));
  const auto waiting = venue.place(sell("1").type(OrderType::stop_market).at_trigger("90").by(alice));
  venue.mark("94");
  EXPECT_EQ(venue.told(resting).cancel_reason, CancelReason::liquidation);
  EXPECT_EQ(venue.told(waiting).cancel_reason, CancelReason::liquidation);
  EXPECT_EQ(venue.events<LiquidationStarted>().size(), 1u);
  EXPECT_EQ(liquidations(), "");
  venue.place(buy("95 @ 93").by(dave));
  EXPECT_EQ(liquidations(), "95 @ 93");
}

// Nothing that happens elsewhere matters to a bucket that waits; whatever does matter is seen at once.
TEST_F(Distress, ABucketThatWaitsGoesOnWhenTheFundCanPay) {
  alice_long("95");
  venue.rest({buy("200 @ 88").by(dave)});
  venue.mark("92");  // equity 240: below the backstop, and the fund is empty
  venue.place(sell("1 @ 110").by(bob));
  venue.place(buy("1 @ 70").by(bob));
  EXPECT_EQ(liquidations(), "");
  EXPECT_TRUE(venue.engine.account(alice).in_liquidation);
  venue.apply(FundInsurance{usdx("500")});
  EXPECT_EQ(liquidations(), "95 @ 88");
}

TEST_F(Distress, ABucketThatWaitsGoesOnWhenTheBestBidChanges) {
  alice_long("95");
  venue.rest({buy("1 @ 80").by(dave)});
  venue.mark("94");
  venue.place(buy("1 @ 79").by(bob));
  EXPECT_EQ(liquidations(), "");
  venue.place(buy("40 @ 93").by(dave));
  EXPECT_EQ(liquidations(), "40 @ 93");
}

TEST_F(Distress, ABucketThatWaitsIsLeftAloneOnceADepositHeals) {
  alice_long("95");
  venue.mark("94");
  EXPECT_TRUE(venue.engine.account(alice).in_liquidation);
  venue.fund({alice}, "1000");
  EXPECT_FALSE(venue.engine.account(alice).in_liquidation);
  venue.place(buy("95 @ 93").by(dave));
  EXPECT_EQ(liquidations(), "");
}

TEST_F(Distress, ALargePositionIsClosedInTwoAttemptsWithACoolDown) {
  MarketSpec spec = fee_market();
  spec.partial_threshold = usdx("5000");
  Venue fresh({spec});
  fresh.fund({alice}, "1000").fund({carol, dave}, "1000000").mark("100").rest({sell("95 @ 100").by(carol)});
  fresh.place(buy("95 @ 100").by(alice));
  fresh.rest({buy("500 @ 94").by(dave)}).mark("94");
  EXPECT_EQ(fresh.position(alice), Lots{76}) << "20 % of 95, rounded up to a lot";
  // Selling at the mark releases maintenance and costs only the fee, so the bucket may become healthy.
  EXPECT_FALSE(fresh.engine.account(alice).in_liquidation);
  fresh.mark("93");
  fresh.mark("92");
  const bool second_episode = fresh.position(alice) < Lots{76};
  EXPECT_TRUE(second_episode);
}

TEST_F(Distress, AFirstAttemptInAnotherMarginModeIsPartialAgain) {
  MarketSpec spec = fee_market();
  spec.partial_threshold = usdx("1000");
  MarketSpec other = fee_market();
  other.id = "Y-USDX-PERP";
  Venue fresh({spec, other});
  fresh.fund({alice}, "1000").fund({carol, dave}, "1000000").mark("100").mark("100", other.id);
  fresh.rest({sell("50 @ 100").by(carol), sell("48 @ 100").in(other.id).by(carol)});
  fresh.place(buy("50 @ 100").by(alice));
  fresh.place(buy("48 @ 100").in(other.id).by(alice));
  // Both are under water together; only the first has buyers. Nothing of it is left, and the account waits.
  fresh.rest({buy("10 @ 93").by(dave)}).mark("93").mark("93", other.id);
  ASSERT_EQ(fresh.position(alice), Lots{40});
  fresh.rest({buy("40 @ 90").by(dave)});
  fresh.pass(30'000);
  ASSERT_EQ(fresh.position(alice), Lots{0});
  ASSERT_NE(fresh.position(alice, other.id), Lots{0});
  ASSERT_EQ(fresh.apply(SetMarginMode{alice, {0}, MarginMode::isolated}).reject, Reject::none);
  fresh.fund({alice}, "100000").mark("100");
  fresh.rest({sell("50 @ 100").by(carol)});
  fresh.place(buy("50 @ 100").by(alice));
  fresh.rest({buy("500 @ 94").by(dave)}).mark("94");
  EXPECT_EQ(fresh.position(alice), Lots{40}) << "20 % of 50";
}

TEST_F(Distress, DuringTheCoolDownASolventBucketIsLeftAlone) {
  MarketSpec spec = fee_market();
  spec.partial_threshold = usdx("5000");
  Venue fresh({spec});
  fresh.fund({alice}, "1000").fund({carol, dave}, "1000000").mark("100").rest({sell("95 @ 100").by(carol)});
  fresh.place(buy("95 @ 100").by(alice));
  // The first attempt finds no buyer, but starts the cool-down anyway.
  fresh.mark("94");
  fresh.rest({buy("500 @ 94").by(dave)});
  EXPECT_EQ(fresh.position(alice), Lots{95});
  EXPECT_EQ(fresh.engine.next_timer_ms(), fresh.now_ms + 30'000);
  fresh.pass(29'999);
  EXPECT_EQ(fresh.position(alice), Lots{95});
  fresh.pass(1);
  EXPECT_EQ(fresh.position(alice), Lots{0});
}

TEST_F(Distress, BelowTheBackstopTheFundPaysForASweepBeyondTheZeroPrice) {
  venue.apply(FundInsurance{usdx("500")});
  alice_long("95");
  venue.rest({buy("200 @ 88").by(dave)});
  venue.mark("92");  // equity 240, maintenance 437: below two thirds of it
  // Each lot at 88 falls short of the zero price of 89.47...: 95 * 88 = 8360 against 8500.
  EXPECT_EQ(liquidations(), "95 @ 88");
  EXPECT_EQ(venue.balance(alice), "0");
  EXPECT_EQ(fund(), "360");
}

// Each attempt is a market order of alice, reported with its end; an attempt without a fill is not reported.
TEST_F(Distress, EachAttemptThatFillsSomethingIsAnOrderOfItsAccount) {
  venue.apply(FundInsurance{usdx("500")});
  alice_long("95");
  venue.mark("94");
  EXPECT_TRUE(venue.events<OrderChanged>().empty()) << "nobody was there";
  venue.rest({buy("40 @ 93").by(dave)});
  std::map<OrderId, Lots> sold;
  for (const Fill& fill : venue.events<Fill>()) {
    if (fill.account != alice) continue;
    EXPECT_EQ(fill.fee, Usdx{}) << "a liquidation fee is no fee for trading";
    EXPECT_GT(fill.liquidation_fee, Usdx{});
    sold[fill.order] += fill.quantity;
  }
  ASSERT_EQ(sold.size(), 1u);
  std::vector<OrderRecord> told;
  for (const OrderChanged& changed : venue.events<OrderChanged>())
    if (changed.order.account == alice) told.push_back(changed.order);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front().id, sold.begin()->first);
  EXPECT_EQ(told.front().filled, sold.begin()->second);
  EXPECT_EQ(told.front().side, Side::sell);
  EXPECT_EQ(told.front().type, OrderType::market);
  EXPECT_EQ(told.front().status, OrderStatus::cancelled) << "it was to sell more";
  EXPECT_EQ(told.front().cancel_reason, CancelReason::expired);
  for (const Trade& trade : venue.events<Trade>()) EXPECT_EQ(trade.taker_order, told.front().id);
}

TEST_F(Distress, AFundThatCannotPayForAllPaysForAsMuchAsItCan) {
  venue.apply(FundInsurance{usdx("10")});
  alice_long("95");
  venue.rest({buy("200 @ 88").by(dave)});
  venue.mark("92");
  EXPECT_EQ(venue.events<Trade>().size(), 1u);
  EXPECT_GE(venue.engine.venue().insurance_fund, Usdx{});
  EXPECT_LT(venue.engine.venue().insurance_fund, usdx("2"));
  EXPECT_TRUE(venue.engine.account(alice).in_liquidation);
}

// Across tiers, part of the position can cost more per lot than the whole: the zero price of 15 lots is 131.5, of
// all 30 it is 133.3.
TEST_F(Distress, AnAffordableSweepIsNotReducedBecauseAPartIsUnaffordable) {
  MarketSpec spec = fee_market();
  spec.tiers = {{{}, {1, 10}, {1, 20}}, {usdx("1000"), {1, 6}, {1, 12}}, {usdx("3000"), {1, 3}, {1, 7}}};
  Venue fresh({spec});
  fresh.fund({alice}, "1000").fund({carol, dave}, "1000000").mark("100").rest({buy("30 @ 100").by(carol)});
  ASSERT_EQ(fresh.place(sell("30 @ 100").by(alice)).reject, Reject::none);
  fresh.rest({sell("30 @ 132").by(dave)}).mark("140");
  EXPECT_EQ(fresh.position(alice), Lots{0});
  EXPECT_EQ(fresh.position(dave), Lots{-30});
  EXPECT_TRUE(fresh.events<Deleveraged>().empty());
}

TEST_F(Distress, ABankruptBucketIsDeleveragedAgainstTheBestRanked) {
  alice_long("95");
  venue.rest({sell("5 @ 100").by(dave)});
  venue.place(buy("5 @ 100").by(bob));
  venue.mark("89");  // alice: 1000 - 1045 = -45
  const auto events = venue.events<Deleveraged>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events.front().target, alice);
  Usdx given_up{};
  Lots closed{};
  for (const AdlClosure& closure : events.front().closures) {
    given_up += closure.settlement_amount;
    closed += closure.quantity;
  }
  EXPECT_EQ(closed, Lots{95});
  EXPECT_EQ(given_up, usdx("45"));
  EXPECT_EQ(venue.position(alice), Lots{0});
  EXPECT_EQ(venue.balance(alice), "0");
  EXPECT_EQ(venue.engine.market({0}, venue.now_ms).trade_count, 2u) << "a transfer is no trade";
}

// The zero price is worked out anew for each counterparty, from what is left of the bucket's two positions.
TEST(Deleveraging, TellsTheSumOfWhatItsClosuresPaid) {
  const Address erin{{5}};
  Venue venue({fee_market("A"), fee_market("B")});
  venue.fund({alice}, "1000").fund({carol, dave, erin}, "1000000").mark("100", "A").mark("100", "B");
  for (const Address& each : {carol, dave, erin}) venue.rest({sell("17 @ 100").in("A").by(each)});
  venue.rest({sell("37 @ 100").in("B").by(carol)});
  ASSERT_EQ(venue.place(buy("51 @ 100").in("A").by(alice)).reject, Reject::none);
  ASSERT_EQ(venue.place(buy("37 @ 100").in("B").by(alice)).reject, Reject::none);
  venue.apply(OracleTick{{{{0}, Ticks{89}, Ticks{89}}, {{1}, Ticks{87}, Ticks{87}}}});
  const auto events = venue.events<Deleveraged>();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events.front().closures.size(), 3u);
  EXPECT_NE(events.front().quote, events.front().bankruptcy_quote);
  EXPECT_EQ(events.front().quote, usdx("5100") + events.front().realized);
}

TEST_F(Distress, TheFundAbsorbsFirstAndThenTheCloseIsAtTheMark) {
  venue.apply(FundInsurance{usdx("45")});
  alice_long("95");
  venue.mark("89");
  const auto events = venue.events<Deleveraged>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events.front().absorbed_by_fund, usdx("45"));
  EXPECT_EQ(events.front().closures.front().settlement_amount, Usdx{});
  EXPECT_EQ(fund(), "0");
}

// 80 of 100 are taken from carol's isolated short: she receives that part of her margin and of the gain.
TEST_F(Distress, TheCounterpartyOfADeleveragingIsPaidOut) {
  venue.apply(SetMarginMode{carol, {0}, MarginMode::isolated});
  venue.rest({sell("100 @ 100").by(carol)});
  ASSERT_EQ(venue.place(buy("80 @ 100").by(alice)).reject, Reject::none);
  ASSERT_EQ(venue.place(buy("20 @ 100").by(dave)).reject, Reject::none);
  ASSERT_EQ(venue.balance(carol), "999000");
  venue.mark("85");  // alice: 1000 - 1200
  const auto events = venue.events<Deleveraged>();
  ASSERT_EQ(events.size(), 1u);
  ASSERT_EQ(events.front().closures.size(), 1u);
  EXPECT_EQ(events.front().closures.front().settlement_amount, usdx("200"));
  // 80 % of 1000 of margin, and 80 * (100 - 87.5).
  EXPECT_EQ(venue.balance(carol), "1000800");
  const auto rows = venue.engine.positions(carol);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.front().size, Lots{-20});
  EXPECT_EQ(rows.front().isolated, usdx("200"));
}

TEST_F(Distress, ALiquidationOfAnIsolatedPositionPaysNothingOutWhileItStaysOpen) {
  MarketSpec spec = fee_market();
  spec.partial_threshold = usdx("1000");
  Venue fresh({spec});
  fresh.fund({alice}, "1000").fund({carol, dave}, "1000000").mark("100").rest({sell("50 @ 100").by(carol)});
  fresh.apply(SetMarginMode{alice, {0}, MarginMode::isolated});
  fresh.place(buy("50 @ 100").by(alice));
  fresh.rest({buy("500 @ 94").by(dave)}).mark("94");
  ASSERT_EQ(fresh.position(alice), Lots{40}) << "20 %";
  EXPECT_EQ(fresh.balance(alice), "500");
  // 500 - 10 * 6 - 940 * 0.005
  EXPECT_EQ(fresh.engine.positions(alice).front().isolated, usdx("435.3"));
}

// The zero price of all 10 is 90. After selling 5 at 94, that of the other 5 is 86.47; the limit does not change.
TEST_F(Distress, TheLimitOfAnAttemptDoesNotMoveWithItsOwnFills) {
  MarketSpec spec = plain_market();
  Venue fresh({spec});
  fresh.fund({alice}, "100").fund({carol, dave}, "1000000").mark("100").rest({sell("10 @ 100").by(carol)});
  fresh.place(buy("10 @ 100").by(alice));
  fresh.rest({buy("5 @ 94").by(dave), buy("5 @ 89").by(dave)}).mark("94");  // equity 40, maintenance 47
  std::string sold;
  for (const Trade& trade : fresh.events<Trade>())
    sold += std::to_string(trade.quantity.value) + " @ " + std::to_string(trade.price.value) + " ";
  EXPECT_EQ(sold, "5 @ 94 ");
  EXPECT_EQ(fresh.position(alice), Lots{5});
}

// alice closes Y below its requirement, which leaves X alone, in a halted market: her orders are cancelled, the
// position stays.
TEST(Liquidation, CancelsOrdersEvenIfAllPositionsAreInHaltedMarkets) {
  Venue venue({plain_market("X"), plain_market("Y")});
  venue.fund({alice}, "1000").fund({carol}, "1000000");
  venue.apply(OracleTick{{{{0}, Ticks{100}, Ticks{100}}, {{1}, Ticks{100}, Ticks{100}}}});
  venue.rest({sell("80 @ 100").in("X").by(carol), sell("5 @ 100").in("Y").by(carol)});
  venue.place(buy("80 @ 100").in("X").by(alice));
  venue.place(buy("5 @ 100").in("Y").by(alice));
  const auto resting = venue.place(sell("1 @ 200").in("X").by(alice));
  const auto waiting = venue.place(sell("1").type(OrderType::stop_market).at_trigger("10").in("Y").by(alice));
  ASSERT_EQ(waiting.reject, Reject::none);
  venue.mark("94", "X");  // equity 520, maintenance 376 and 25
  venue.apply(HaltMarket{{0}, "drill"});
  venue.rest({buy("5 @ 60").in("Y").by(carol)});
  const auto closing = venue.place(sell("5 @ 60").in("Y").by(alice));
  ASSERT_EQ(venue.fills(closing), "5 @ 60");
  ASSERT_EQ(venue.position(alice, "Y"), Lots{0});
  EXPECT_EQ(venue.position(alice, "X"), Lots{80});
  EXPECT_EQ(venue.told(resting).cancel_reason, CancelReason::liquidation);
  EXPECT_EQ(venue.told(waiting).cancel_reason, CancelReason::liquidation);
  const auto started = venue.events<LiquidationStarted>();
  ASSERT_EQ(started.size(), 1u);
  EXPECT_EQ(started.front().market, MarketIndex{0});
}

TEST_F(Distress, ScoresRankGainersByLeverageAndLosersAgainstIt) {
  EXPECT_EQ(adl_score(10, 100, 200, 50), 400'000'000);   // 10 % * 4
  EXPECT_EQ(adl_score(-10, 100, 200, 50), -25'000'000);  // -10 % / 4
  EXPECT_EQ(adl_score(1, 3, 1, 1), 333'333'333);         // floored
  EXPECT_EQ(adl_score(-1, 3, 1, 1), -333'333'334);
  EXPECT_EQ(adl_score(0, 100, 200, 50), 0);
}

// Two markets gap together: bob's gains in one are lost in the other, so nobody can take over alice's position.
class Exhaustion : public testing::Test {
 protected:
  Exhaustion() : venue({fee_market("A"), fee_market("B")}) {
    venue.fund({alice, bob}, "1000").fund({carol}, "1000000").mark("100", "A").mark("100", "B");
    venue.rest({sell("50 @ 100").in("A").by(bob)});
    venue.place(buy("50 @ 100").in("A").by(alice));
    venue.rest({sell("40 @ 100").in("B").by(carol)});
    venue.place(buy("40 @ 100").in("B").by(bob));
    resting = venue.place(buy("1 @ 50").in("A").by(carol));
    venue.apply(OracleTick{{{{0}, Ticks{70}, Ticks{70}}, {{1}, Ticks{30}, Ticks{30}}}});
  }

  Venue venue;
  OrderOutcome resting;
};

TEST_F(Exhaustion, HaltsTheMarketAndKeepsTheResidual) {
  const auto halts = venue.events<MarketStatusChanged>();
  ASSERT_FALSE(halts.empty());
  EXPECT_EQ(halts.front().reason, HaltReason::adl_exhausted);
  // Nothing was absorbed or taken over; the result of step 4 is reported anyway, and first.
  bool halted = false;
  std::vector<Deleveraged> before;
  for (const Event& event : venue.log.events()) {
    halted = halted || std::holds_alternative<MarketStatusChanged>(event);
    if (const auto* told = std::get_if<Deleveraged>(&event); told != nullptr && !halted) before.push_back(*told);
  }
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before.front().target, alice);
  EXPECT_TRUE(before.front().closures.empty());
  EXPECT_EQ(before.front().absorbed_by_fund, Usdx{});
  EXPECT_EQ(before.front().bankruptcy_lots, Lots{50});
  const auto market = venue.engine.market({0}, venue.now_ms);
  EXPECT_EQ(market.status, MarketStatus::halted);
  EXPECT_EQ(market.halted_ms, venue.now_ms);
  EXPECT_LT(venue.engine.account(alice).equity, Usdx{});
}

TEST_F(Exhaustion, AHaltedMarketRefusesWhatItMustAndAllowsTheRest) {
  EXPECT_EQ(venue.place(buy("1 @ 70").in("A").by(carol)).reject, Reject::market_halted);
  EXPECT_EQ(venue.amend(resting, "60", "").reject, Reject::market_halted);
  EXPECT_EQ(venue.cancel(resting), Reject::none);
  EXPECT_EQ(venue.apply(Withdraw{alice, usdx("1")}).reject, Reject::market_halted);
  venue.mark("100", "A");
  EXPECT_EQ(venue.engine.market({0}, venue.now_ms).mark, Ticks{70}) << "the mark is frozen";
  EXPECT_EQ(venue.place(buy("1 @ 30").in("B").by(carol)).reject, Reject::none) << "other markets go on";
}

TEST_F(Exhaustion, ResumingNeedsTheDeficitAndKeepsTheInjectionEitherWay) {
  EXPECT_EQ(venue.apply(ResumeMarket{{1}, {}}).reject, Reject::market_not_halted);
  EXPECT_EQ(venue.apply(ResumeMarket{{0}, usdx("1")}).reject, Reject::insufficient_recapitalization);
  const Usdx kept = venue.engine.venue().insurance_fund;
  EXPECT_GE(kept, usdx("1"));
  EXPECT_EQ(venue.apply(ResumeMarket{{0}, usdx("10000")}).reject, Reject::none);
  EXPECT_EQ(venue.engine.market({0}, venue.now_ms).status, MarketStatus::active);
  EXPECT_EQ(venue.position(alice, "A"), Lots{0});
  EXPECT_EQ(venue.engine.account(alice).equity, Usdx{});
  // Every absorbed debt is in an event, and event numbers are unique in the venue.
  const auto resumed = venue.events<Deleveraged>();
  Usdx absorbed{};
  for (const InsuranceChanged& changed : venue.events<InsuranceChanged>())
    if (changed.cause == FundCause::bad_debt) absorbed -= changed.delta;
  Usdx told{};
  std::uint64_t number = venue.engine.market({0}, venue.now_ms).adl_event_count +
                         venue.engine.market({1}, venue.now_ms).adl_event_count - resumed.size();
  for (const Deleveraged& event : resumed) {
    EXPECT_TRUE(event.by_resume);
    EXPECT_EQ(event.number, ++number);
    told += event.absorbed_by_fund;
  }
  EXPECT_GT(told, Usdx{});
  EXPECT_EQ(told, absorbed);
  EXPECT_EQ(venue.place(buy("1 @ 70").in("A").by(carol)).reject, Reject::none);
}

TEST_F(Exhaustion, SettlingClosesEveryPositionAndTheWinnersPayTheDeficit) {
  EXPECT_EQ(venue.apply(SettleMarket{{0}, Ticks{70}}).reject, Reject::none);
  EXPECT_EQ(venue.engine.market({0}, venue.now_ms).status, MarketStatus::delisted);
  EXPECT_EQ(venue.position(alice, "A"), Lots{0});
  EXPECT_EQ(venue.position(bob, "A"), Lots{0});
  EXPECT_GE(venue.engine.account(alice).equity, Usdx{});
  EXPECT_EQ(venue.place(buy("1 @ 70").in("A").by(carol)).reject, Reject::market_halted);
}

TEST_F(Distress, AHaircutIsFlooredPerWinner) {
  EXPECT_EQ(after_haircut(usdx("10"), usdx("30"), usdx("10")), usdx("6.666666"));
  EXPECT_EQ(after_haircut(usdx("10"), usdx("30"), Usdx{}), usdx("10"));
  EXPECT_EQ(after_haircut(Usdx{}, Usdx{}, Usdx{}), Usdx{});
}

TEST_F(Distress, AnOperatorHaltWithoutDeficitResumesDirectly) {
  alice_long("10");
  EXPECT_EQ(venue.apply(HaltMarket{{0}, "maintenance"}).reject, Reject::none);
  EXPECT_EQ(venue.apply(HaltMarket{{0}, "again"}).reject, Reject::market_halted);
  EXPECT_EQ(venue.apply(ResumeMarket{{0}, {}}).reject, Reject::none);
  EXPECT_EQ(venue.position(alice), Lots{10});
}

TEST_F(Distress, AnIsolatedLiquidationNeverTouchesTheCrossBalance) {
  venue.apply(SetMarginMode{alice, {0}, MarginMode::isolated});
  alice_long("50");
  EXPECT_EQ(venue.balance(alice), "500");
  venue.rest({buy("100 @ 95").by(dave)});
  venue.mark("94");
  EXPECT_EQ(venue.position(alice), Lots{0});
  // 500 of margin, 250 of loss at 95, fee 4750 * 0.005.
  EXPECT_EQ(venue.balance(alice), "726.25");
  venue.mark("50");
  EXPECT_EQ(venue.balance(alice), "726.25");
}

TEST_F(Distress, ItemsOfABatchSeeTheLiquidationsOfTheOnesBefore) {
  alice_long("95");
  venue.mark("94");
  PlaceBatch batch{dave, {venue.params(buy("95 @ 93").by(dave)), venue.params(buy("1 @ 92").by(dave))}};
  const Outcome& outcome = venue.apply(batch);
  ASSERT_EQ(outcome.orders.size(), 2u);
  EXPECT_EQ(outcome.orders[0].order.status, OrderStatus::filled) << "as the command left it";
  EXPECT_EQ(liquidations(), "95 @ 93");
}

}  // namespace SVC_FILE
}  // namespace svc::engine
