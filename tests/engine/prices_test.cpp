// Index, basis, mark and funding (docs/trading.md, sections 7 and 8).

#include <gtest/gtest.h>

#include "sim/engine/prices.h"
#include "sim/engine/state.h"
#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

MarketSpec live_market() {
  MarketSpec spec = plain_market();
  spec.oracle_stale_after_ms = 10'000;
  spec.impact_notional = usdx("1000");
  return spec;
}

class Prices : public testing::Test {
 protected:
  Prices() : venue({live_market()}) { venue.fund({alice, bob, carol}, "1000000"); }

  Reject tick(std::int64_t index) { return venue.apply(OracleTick{{{{0}, Ticks{index}, std::nullopt}}}).reject; }
  [[nodiscard]] MarketFigures figures() const { return venue.engine.market({0}, venue.now_ms); }
  void seconds(std::int64_t count) { venue.now_ms += 1000 * count; }

  Venue venue;
};

TEST_F(Prices, WithoutATwoSidedBookTheMarkIsTheIndex) {
  tick(1000);
  EXPECT_EQ(figures().mark, Ticks{1000});
  venue.rest({buy("1 @ 990").by(bob)});
  tick(1005);
  EXPECT_EQ(figures().mark, Ticks{1005});
}

TEST_F(Prices, TheBasisMovesSlowlyTowardsTheMid) {
  tick(1000);
  venue.rest({buy("1 @ 1095").by(bob), sell("1 @ 1105").by(bob)});
  seconds(10);
  tick(1000);  // 100 * 10 / 160 = 6.25
  EXPECT_EQ(figures().mark, Ticks{1006});
  seconds(10);
  tick(1000);  // 6.25 + 93.75 / 16 = 12.109375
  EXPECT_EQ(figures().mark, Ticks{1012});
}

TEST_F(Prices, TheMarkIsTheMedianOfIndexBasisAndBook) {
  tick(1000);
  venue.rest({buy("1 @ 1003").by(bob), sell("2 @ 1105").by(bob)});
  venue.place(buy("1 @ 1105").by(alice));
  venue.rest({sell("1 @ 1010").by(bob)});
  seconds(100);
  tick(1000);  // basis 6.5 * 100 / 250 = 2.6, book median(1003, 1010, 1105) = 1010: the median is 1002.6
  EXPECT_EQ(figures().mark, Ticks{1003});
}

TEST_F(Prices, TheMarkStaysWithinItsBandOfTheIndex) {
  tick(1000);
  venue.rest({buy("1 @ 1900").by(bob), sell("1 @ 1910").by(bob)});
  for (int i = 0; i < 20; ++i) {
    seconds(9);
    tick(1000);
  }
  EXPECT_EQ(figures().mark, Ticks{1100});
}

TEST_F(Prices, ALiquidationIsNotTheLastPriceOfTheMark) {
  EXPECT_EQ(basis_step(0, -7, 10'000, 150'000), 0) << "steps truncate toward zero";
  EXPECT_EQ(basis_step(0, 160, 10'000, 150'000), 10);
}

TEST_F(Prices, AStaleMarketOnlyCancels) {
  tick(1000);
  const auto order = venue.place(buy("1 @ 990").by(alice));
  seconds(10);
  EXPECT_EQ(venue.place(buy("1 @ 990").by(alice)).reject, Reject::none);
  seconds(1);
  EXPECT_TRUE(figures().oracle_stale);
  EXPECT_EQ(venue.place(buy("1 @ 990").by(alice)).reject, Reject::oracle_stale);
  EXPECT_EQ(venue.cancel(order), Reject::none);
}

TEST_F(Prices, AnInjectedMarkMakesTheMarketManualAndNeverStale) {
  venue.apply(OracleTick{{{{0}, Ticks{1000}, Ticks{1234}}}});
  EXPECT_EQ(figures().mark, Ticks{1234});
  EXPECT_EQ(figures().price_mode, PriceMode::manual);
  seconds(100);
  EXPECT_FALSE(figures().oracle_stale);
}

TEST_F(Prices, ABatchWithABadPriceChangesNothing) {
  tick(1000);
  EXPECT_EQ(tick(0), Reject::invalid_price);
  EXPECT_EQ(venue.apply(OracleTick{{{{0}, Ticks{1}, std::nullopt}, {{0}, Ticks{2}, std::nullopt}}}).reject,
            Reject::duplicate_market);
  EXPECT_EQ(venue.apply(OracleTick{{{{7}, Ticks{1}, std::nullopt}}}).reject, Reject::unknown_market);
  EXPECT_EQ(figures().mark, Ticks{1000});
}

TEST_F(Prices, APremiumSampleIsTheImpactPriceAgainstTheIndex) {
  const auto sample = [&] {
    venue.apply(SampleFunding{});
    return venue.events<FundingSampled>().front().premium;
  };
  tick(100);
  venue.rest({buy("4 @ 110").by(bob), buy("10 @ 104").by(bob), sell("1 @ 115").by(bob)});
  EXPECT_EQ(sample(), Ppb{0}) << "nothing has traded yet";
  venue.place(buy("1 @ 115").by(alice));
  // 440 at 110 and 560 at 104: 1000 / (4 + 560/104) = 106.557...
  EXPECT_EQ(sample(), Ppb{65'573'770});
  venue.apply(CancelAll{bob, std::nullopt});
  venue.rest({buy("9 @ 110").by(bob)});
  EXPECT_EQ(sample(), Ppb{0}) << "too thin";
  venue.apply(CancelAll{bob, std::nullopt});
  venue.rest({sell("20 @ 95").by(bob)});
  EXPECT_EQ(sample(), Ppb{-50'000'000});
}

TEST_F(Prices, AStateWithTheLargestPremiumsIsRestored) {
  tick(500'000);
  venue.rest({sell("1 @ 500000").by(carol), buy("1 @ 499999").by(bob)});
  venue.place(buy("1 @ 500000").by(alice));
  tick(1);
  for (int i = 0; i < 20'000; ++i) venue.apply(SampleFunding{});
  ASSERT_EQ(venue.events<FundingSampled>().front().premium, Ppb{499'998'000'000'000});
  Engine engine({.markets = {live_market()}});
  ASSERT_TRUE(engine.restore(venue.engine.image()));
  EXPECT_EQ(engine.state_hash(), venue.engine.state_hash());
  EXPECT_EQ(figures().funding_rate, Ppb{1'000'000}) << "at its cap";
}

TEST_F(Prices, TheFundingRateIsPulledTowardsThePremiumWithinItsClampAndCap) {
  const MarketSpec spec = live_market();
  struct Row {
    std::int64_t premium_sum, samples, average, rate;
  };
  const Row rows[] = {
      {0, 60, 0, 12'500},                       // r alone: 0.0001 / 8
      {0, 0, 0, 12'500},                        // no sample counts as no premium
      {60 * 100'000, 60, 100'000, 12'500},      // at the base rate
      {60 * 1'100'000, 60, 1'100'000, 75'000},  // 0.0011 - 0.0005 over eight hours
      {30 * 2'200'000, 30, 1'100'000, 75'000},  // half of the samples missing: the average is diluted
      {60 * -1'000'000, 60, -1'000'000, -62'500},
      {60ll * 100'000'000, 60, 100'000'000, 1'000'000},  // capped at 0.1 % per hour
      {60ll * -100'000'000, 60, -100'000'000, -1'000'000},
      {-59, 60, 0, 12'500},  // truncates toward zero
  };
  for (const Row& row : rows) {
    const FundingRate rate = funding_rate(spec, row.premium_sum, row.samples);
    EXPECT_EQ(rate.average_premium.value, row.average) << row.premium_sum;
    EXPECT_EQ(rate.rate.value, row.rate) << row.premium_sum;
  }
}

TEST_F(Prices, LongsPayAPositiveRateAndTheDustGoesToTheFund) {
  tick(101);
  venue.rest({sell("3 @ 101").by(carol)});
  venue.place(buy("1 @ 101").by(alice));
  venue.place(buy("2 @ 101").by(bob));
  venue.apply(InjectFunding{{0}, Ppb{12'503}, Ticks{101}});
  // 101 * 0.000012503 = 0.001262803; 0.002525606; 0.003788409
  EXPECT_EQ(venue.balance(alice), "999999.998737");
  EXPECT_EQ(venue.balance(bob), "999999.997474");
  EXPECT_EQ(venue.balance(carol), "1000000.003788");
  EXPECT_EQ(venue.engine.venue().insurance_fund, usdx("0.000001"));
  venue.apply(InjectFunding{{0}, Ppb{-12'503}, Ticks{101}});
  EXPECT_EQ(venue.balance(alice), "999999.999999");
}

TEST_F(Prices, ASettlementUsesItsSamplesOnceAndAHaltForgetsThem) {
  tick(100);
  venue.rest({buy("100 @ 110").by(bob), sell("1 @ 111").by(bob)});
  venue.place(buy("1 @ 111").by(alice));
  for (int i = 0; i < 60; ++i) venue.apply(SampleFunding{});
  venue.apply(SettleFunding{});
  EXPECT_EQ(venue.events<FundingSettled>().front().average_premium, Ppb{100'000'000});
  venue.apply(SettleFunding{});
  EXPECT_EQ(venue.events<FundingSettled>().front().average_premium, Ppb{0});
  venue.apply(SampleFunding{});
  venue.apply(HaltMarket{{0}, "drill"});
  venue.apply(SampleFunding{});
  EXPECT_TRUE(venue.events<FundingSampled>().empty());
  venue.apply(SettleFunding{});
  EXPECT_TRUE(venue.events<FundingSettled>().empty());
  venue.apply(ResumeMarket{{0}, {}});
  venue.apply(SettleFunding{});
  EXPECT_EQ(venue.events<FundingSettled>().front().average_premium, Ppb{0});
}

TEST_F(Prices, FundingOfAnIsolatedPositionMovesItsMargin) {
  tick(100);
  venue.apply(SetMarginMode{alice, {0}, MarginMode::isolated});
  venue.rest({sell("10 @ 100").by(bob)});
  venue.place(buy("10 @ 100").by(alice));
  const std::string balance = venue.balance(alice);
  venue.apply(InjectFunding{{0}, Ppb{1'000'000}, Ticks{100}});
  EXPECT_EQ(venue.balance(alice), balance);
  EXPECT_EQ(venue.engine.positions(alice).front().isolated, usdx("99"));
}

}  // namespace SVC_FILE
}  // namespace svc::engine
