// Open streams during a return to a snapshot.
#include <gtest/gtest.h>

#include "sim/streams/world.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

using engine::Side;

TEST(StreamsAndSnapshots, ARevertIsReportedAsLostEvents) {
  StreamWorld world;
  const std::string before = world.exchange.image();
  const auto client = world.account_stream(world.alice);
  client->say(subscribe("trades", btc));
  client->say(subscribe("book", btc));
  world.limit(world.alice, Side::buy, 1, 50'000);
  world.dispatch();
  (void)client->heard();
  ASSERT_TRUE(world.exchange.check_image(before));
  ASSERT_TRUE(world.exchange.become(before));
  world.dispatch();
  const auto heard = client->heard();
  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard.front()["op"], "out_of_sync");
  EXPECT_EQ(heard.back()["channel"], "book") << "which is told anew";
  EXPECT_EQ(client->close_code(), std::nullopt);
}

TEST(StreamsAndSnapshots, ARevertSendsTheMarketsAsTheImageHasThem) {
  for (const bool runs : {false, true}) {
    StreamWorld world(runs ? StreamWorld::with_running_clock() : SandboxOptions());
    const auto client = world.account_stream(world.alice);
    const auto observer = world.public_stream();
    client->say(subscribe("book", btc));
    client->say(subscribe("ticker", btc));
    observer->say({{"subscribe", {"market_status:" + btc}}});
    const auto newest = [&](const std::string& channel, const std::vector<Json>& heard) {
      Json found;
      for (const Json& event : heard)
        if (event.value("op", "") == "event" && event["channel"] == channel) found = event;
      return found;
    };
    world.trade(1, 60'000);
    world.limit(world.alice, Side::buy, 1, 50'000);
    world.dispatch();
    const auto then = client->heard();
    const std::string before = world.exchange.image();
    const TimestampMs then_ms = world.clock.now_ms();
    if (runs)
      world.machine.advance(1'000);
    else
      world.pass(3'600'000);
    world.limit(world.alice, Side::buy, 1, 51'000);
    world.dispatch();
    (void)client->heard();
    ASSERT_TRUE(world.exchange.become(before));
    world.dispatch();
    const auto now = client->heard();
    for (const char* channel : {"book", "ticker"}) {
      const Json was = newest(channel, then);
      const Json is = newest(channel, now);
      ASSERT_TRUE(was.is_object() && is.is_object()) << channel;
      EXPECT_EQ(is["engine_envelope"], was["engine_envelope"]) << channel << ": that command was not taken back";
      if (!runs) {
        EXPECT_EQ(is["payload"], was["payload"]) << "the clock goes back as well";
      }
    }
    const auto states = observer->heard("type", "MarketResumed");
    ASSERT_EQ(states.size(), 1u);
    EXPECT_EQ(states[0]["timestamp"], runs ? world.clock.now_ms() : then_ms);
  }
}

TEST(StreamsAndSnapshots, ARevertSendsTheStatusOfMarketsOnThePublicStream) {
  StreamWorld world;
  const std::string before = world.exchange.image();
  const auto client = world.public_stream();
  client->say({{"subscribe", {"market_status:" + btc}}});
  ASSERT_TRUE(world.exchange.sequencer().submit(engine::HaltMarket{.market = {}, .reason = "a drill"}));
  world.dispatch();
  const std::string halted = world.exchange.image();
  const auto last_after = [&](const std::string& image) {
    EXPECT_TRUE(world.exchange.become(image));
    world.dispatch();
    return client->heard().back()["type"];
  };
  EXPECT_EQ(last_after(before), "MarketResumed");
  EXPECT_EQ(last_after(halted), "MarketHalted");
}

TEST(StreamsAndSnapshots, ARevertEndsTokensSoThatNoneWorksTwice) {
  StreamWorld world;
  const std::string token = world.token(world.alice);
  const std::string before = world.exchange.image();
  EXPECT_EQ(world.open("/v1/ws?token=" + token).status, 101);
  ASSERT_TRUE(world.exchange.become(before));
  EXPECT_EQ(world.open("/v1/ws?token=" + token).status, 401);
  EXPECT_EQ(world.open("/v1/ws?token=" + world.token(world.alice)).status, 101);
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
