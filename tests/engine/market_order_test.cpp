// Slippage caps and price bands (docs/trading.md, rules 3.8 and 3.9).

#include <gtest/gtest.h>

#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

MarketSpec banded_market() {
  MarketSpec spec = plain_market();
  spec.price_band = {1, 10};
  return spec;
}

Venue stocked_venue() {
  Venue venue({banded_market()});
  venue.fund({alice, bob}, "100000").mark("1000");
  venue.rest(
      {buy("10 @ 998").by(bob), sell("10 @ 1002").by(bob), sell("10 @ 1008").by(bob), sell("10 @ 1020").by(bob)});
  return venue;
}

class MarketOrder : public testing::Test {
 protected:
  Venue venue = stocked_venue();
};

// The mid is 1000. The running VWAP after 10 @ 1002 is 20 bps above it, after 10 more @ 1008 50 bps.
struct Cap {
  std::int32_t bps;
  const char* fills;
  CancelReason reason;
};

TEST_F(MarketOrder, AFillBeyondTheCapIsNotMadeEvenInPart) {
  const Cap rows[] = {
      {0, "", CancelReason::slippage_cap},
      {19, "", CancelReason::slippage_cap},
      {20, "10 @ 1002", CancelReason::slippage_cap},
      {49, "10 @ 1002", CancelReason::slippage_cap},
      {50, "10 @ 1002, 10 @ 1008", CancelReason::slippage_cap},
  };
  for (const Cap& row : rows) {
    Venue fresh = stocked_venue();
    const auto order = fresh.place(buy("25").max_slippage(row.bps).by(alice));
    EXPECT_EQ(order.reject, Reject::none);
    EXPECT_EQ(fresh.fills(order), row.fills) << row.bps;
    EXPECT_EQ(order.order.cancel_reason, row.reason) << row.bps;
  }
}

TEST_F(MarketOrder, TheCapIsIgnoredByLimitOrders) {
  EXPECT_EQ(venue.fills(venue.place(buy("15 @ 1008").max_slippage(0).by(alice))), "10 @ 1002, 5 @ 1008");
}

TEST_F(MarketOrder, WithoutACapMatchingEndsAtTheBand) {
  venue.mark("920");  // buys up to 1012
  const auto order = venue.place(buy("25").by(alice));
  EXPECT_EQ(venue.fills(order), "10 @ 1002, 10 @ 1008");
  EXPECT_EQ(order.order.cancel_reason, CancelReason::price_band_exceeded);
}

TEST_F(MarketOrder, TheBandBindsOnTheAggressiveSideOnly) {
  EXPECT_EQ(venue.place(buy("1 @ 1100").by(alice)).reject, Reject::none);
  EXPECT_EQ(venue.place(buy("1 @ 1101").by(alice)).reject, Reject::price_band_exceeded);
  EXPECT_EQ(venue.place(buy("1 @ 1").by(alice)).reject, Reject::none);
  EXPECT_EQ(venue.place(sell("1 @ 899").by(alice)).reject, Reject::price_band_exceeded);
  EXPECT_EQ(venue.place(sell("1 @ 5000").by(alice)).reject, Reject::none);
}

TEST_F(MarketOrder, RestingOrdersAreNotCheckedAgain) {
  venue.mark("2000");
  EXPECT_EQ(venue.fills(venue.place(sell("1 @ 1800").by(alice))), "");
  EXPECT_EQ(venue.picture().find("998 | 10 bob") != std::string::npos, true);
}

TEST_F(MarketOrder, ItCanBeFillOrKill) {
  const auto killed = venue.place(buy("31").fok().by(alice));
  EXPECT_EQ(killed.order.cancel_reason, CancelReason::expired);
  EXPECT_EQ(killed.order.filled, Lots{0});
  EXPECT_EQ(venue.place(buy("25").fok().max_slippage(20).by(alice)).order.cancel_reason, CancelReason::slippage_cap);
  EXPECT_EQ(venue.fills(venue.place(buy("30").fok().by(alice))), "10 @ 1002, 10 @ 1008, 10 @ 1020");
}

}  // namespace SVC_FILE
}  // namespace svc::engine
