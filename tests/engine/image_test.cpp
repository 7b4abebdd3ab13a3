// An image holds the whole state of an engine; anything else is refused.

#include <gtest/gtest.h>

#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

// A state with a bit of everything: both margin modes, resting, waiting, trailing and expiring orders, a fill,
// samples, a halted market.
Venue eventful_venue() {
  Venue venue({plain_market("A-USDX-PERP"), plain_market("B-USDX-PERP")});
  venue.fund({alice, bob, carol}).mark("100", "A-USDX-PERP").mark("100", "B-USDX-PERP");
  venue.apply(SetMarginMode{alice, {0}, MarginMode::isolated});
  venue.apply(SetLeverage{bob, {0}, 3});
  venue.rest(
      {sell("5 @ 101").by(bob), buy("5 @ 101").by(alice).client("first"), sell("4 @ 103").by(bob).client("second"),
       sell("2 @ 103").by(alice).reduce_only(), buy("3 @ 98").by(carol).expires(1'800'000'000'000),
       sell("5").by(alice).type(OrderType::stop_market).at_trigger("90"),
       sell("1").by(alice).type(OrderType::trailing_stop).trailing(500), buy("1 @ 99").in("B-USDX-PERP").by(carol)});
  venue.apply(SampleFunding{});
  venue.apply(HaltMarket{{1}, "a reason"});
  return venue;
}

Engine empty_engine() {
  return Engine({.markets = {plain_market("A-USDX-PERP"), plain_market("B-USDX-PERP")}});
}

TEST(EngineImage, ARestoredEngineHasTheSameHashAndTheSameImage) {
  const Venue venue = eventful_venue();
  Engine engine = empty_engine();
  ASSERT_TRUE(engine.restore(venue.engine.image()));
  EXPECT_EQ(engine.state_hash(), venue.engine.state_hash());
  EXPECT_TRUE(engine.image() == venue.engine.image());
  EXPECT_EQ(engine.violations(), std::vector<std::string>{});
}

TEST(EngineImage, ARestoredEngineRemembersEveryClientId) {
  const Venue venue = eventful_venue();
  Engine engine = empty_engine();
  ASSERT_TRUE(engine.restore(venue.engine.image()));
  EventLog log;
  OrderParams again = venue.params(buy("5 @ 100").client("first"));
  EXPECT_EQ(engine.apply({0, PlaceOrder{alice, again}}, log).reject, Reject::client_id_taken);
  EXPECT_TRUE(engine.order_by_client_id(bob, *ClientId::from("second")));
}

TEST(EngineImage, AnInvalidImageIsRefusedWithoutEffect) {
  const std::string image = eventful_venue().engine.image();
  Venue smaller;
  std::string newer = image;
  newer[newer.find("image") + 5] = static_cast<char>(image_version + 1);  // the version follows the name
  struct Row {
    const char* what;
    std::string image;
    const char* told;
  };
  const std::vector<Row> rows = {
      {"nothing", "", "this is not an image of an engine"},
      {"other text", "{\"a\":1}", "this is not an image of an engine"},
      {"another version", newer, "the image has version 4, this program reads version 3"},
      {"cut short", image.substr(0, image.size() - 1), "the image is damaged"},
      {"too long", image + "x", "the image is damaged"},
      {"other markets", smaller.engine.image(),
       "the image is of a venue with other markets, or with another --flow: without one no price goes stale"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    Engine engine = empty_engine();
    const std::uint64_t before = engine.state_hash();
    const auto done = engine.restore(row.image);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error(), row.told);
    EXPECT_EQ(engine.state_hash(), before);
  }
}

TEST(EngineImage, EveryFlippedByteIsNoticed) {
  const std::string image = eventful_venue().engine.image();
  Engine engine = empty_engine();
  const std::uint64_t before = engine.state_hash();
  for (std::size_t at = 0; at < image.size(); ++at) {
    std::string damaged = image;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_FALSE(engine.restore(damaged)) << "byte " << at;
  }
  EXPECT_EQ(engine.state_hash(), before);
}

}  // namespace SVC_FILE
}  // namespace svc::engine
