// /stream: one message, trades, books, halts and venue figures.
#include <gtest/gtest.h>

#include "sim/streams/world.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

using engine::Side;

TEST(PublicStream, SendsTradesAndTheTopOfTheBook) {
  StreamWorld world;
  for (int i = 0; i < 25; ++i) world.limit(world.alice, Side::buy, 1, 50'000 + i);
  world.limit(world.bob, Side::buy, 2, 50'024);
  const auto client = world.public_stream();
  client->say({{"subscribe", {"trades:*", "book:" + btc}}});
  auto heard = client->heard();
  ASSERT_EQ(heard.size(), 1u) << "the book as it stands";
  EXPECT_EQ(heard[0]["type"], "BookUpdate");
  const Json& book = heard[0]["book"];
  EXPECT_EQ(book["bids"].size(), limits::stream_public_book_levels);
  EXPECT_EQ(book["bids"][0].dump(), R"({"price":"50024","quantity":"0.003","order_count":2})");
  EXPECT_EQ(book["asks"].dump(), "[]");
  EXPECT_EQ(book["sequence"], 26);
  world.trade(1, 60'000);
  world.dispatch();
  heard = client->heard("type", "Trade");
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0]["market_id"], btc);
  EXPECT_EQ(heard[0]["trade"]["side"], "buy");
}

TEST(PublicStream, ADispatchTellsWhetherAReaderGotAnything) {
  StreamWorld world(StreamWorld::with_running_clock());
  const auto client = world.public_stream();
  client->say({{"subscribe", {"trades:*"}}});
  world.dispatch();
  world.limit(world.alice, Side::buy, 1, 50'000);
  EXPECT_FALSE(world.dispatch()) << "nobody reads the book";
  world.trade(1, 60'000);
  EXPECT_TRUE(world.dispatch());
  EXPECT_EQ(client->heard("type", "Trade").size(), 1u);
  EXPECT_FALSE(world.dispatch()) << "nothing happened";
}

TEST(PublicStream, EndsAfterAMessageThatIsNotText) {
  StreamWorld world;
  const auto client = world.public_stream();
  client->say_binary(R"({"subscribe":["stats"]})");
  ASSERT_EQ(client->heard("code", "invalid_frame").size(), 1u);
  EXPECT_EQ(client->close_code(), api::ws_close::policy);
}

TEST(PublicStream, IgnoresAllButTheFirstMessageWhateverItIs) {
  StreamWorld world;
  const auto client = world.public_stream();
  client->say({{"subscribe", {"market_status:*"}}});
  client->say_text("no JSON");
  client->say_binary("x");
  EXPECT_TRUE(client->heard().empty());
  EXPECT_EQ(client->close_code(), std::nullopt);
}

TEST(PublicStream, SendsHaltsAndResumptions) {
  StreamWorld world;
  const auto client = world.public_stream();
  client->say({{"subscribe", {"market_status:*"}}});
  EXPECT_TRUE(client->heard().empty());
  const TimestampMs now = world.clock.now_ms();
  ASSERT_TRUE(world.exchange.sequencer().submit(engine::HaltMarket{.market = {}, .reason = "a drill"}));
  ASSERT_TRUE(world.exchange.sequencer().submit(engine::ResumeMarket{.market = {}, .inject = {}}));
  world.dispatch();
  const auto heard = client->heard();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0], (Json{{"type", "MarketHalted"}, {"market_id", btc}, {"reason", "a drill"}, {"timestamp", now}}));
  EXPECT_EQ(heard[1], (Json{{"type", "MarketResumed"}, {"market_id", btc}, {"timestamp", now}}));
}

TEST(PublicStream, SendsAnExistingHalt) {
  StreamWorld world;
  ASSERT_TRUE(world.exchange.sequencer().submit(engine::HaltMarket{.market = {}, .reason = "a drill"}));
  world.dispatch();
  const auto client = world.public_stream();
  client->say({{"subscribe", {"market_status:" + btc}}});
  EXPECT_EQ(client->heard()[0]["type"], "MarketHalted");
}

TEST(PublicStream, SendsStatsOnceASecond) {
  StreamWorld world;
  const auto client = world.public_stream();
  client->say({{"subscribe", {"stats"}}});
  const auto first = client->heard();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0]["type"], "Stats");
  EXPECT_TRUE(first[0]["stats"].contains("events_per_sec"));
  world.pass(0);
  EXPECT_TRUE(client->heard().empty()) << "the first one is not told twice";
  world.pass(limits::stream_stats_ms - 1);
  EXPECT_TRUE(client->heard().empty());
  world.pass(1);
  EXPECT_EQ(client->heard().size(), 1u);
}

TEST(PublicStream, HasTheStatsOfAMovedClockBeforeItsDeliveryIsOver) {
  StreamWorld world;
  const auto client = world.public_stream();
  client->say({{"subscribe", {"stats"}}});
  (void)client->heard();
  world.clock.advance(limits::stream_stats_ms);
  const auto delivered = world.until_delivered();
  EXPECT_FALSE(delivered.expired());
  EXPECT_EQ(client->heard().size(), 1u);
  EXPECT_TRUE(delivered.expired());
}

TEST(PublicStream, AnswersASyncBeforeAndAfterItsSubscription) {
  StreamWorld world;
  const auto client = world.public_stream();
  client->say({{"op", "sync"}});
  EXPECT_EQ(client->heard("type", "synced").size(), 1u);
  client->say({{"subscribe", {"trades:" + btc}}});
  world.trade(1, 60'000);
  client->say({{"op", "sync"}});
  const auto heard = client->heard();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0]["type"], "Trade");
  EXPECT_EQ(heard[1]["type"], "synced");
}

TEST(PublicStream, ReadsOnlyTheFirstMessage) {
  StreamWorld world;
  const auto client = world.public_stream();
  client->say({{"subscribe", {"trades:" + btc}}});
  client->say({{"subscribe", {"book:" + btc}}});
  client->say_text("{");
  EXPECT_TRUE(client->heard().empty());
  EXPECT_FALSE(client->close_code());
}

TEST(PublicStream, EndsWithAnErrorAfterAnInvalidMessage) {
  const std::pair<const char*, const char*> rows[] = {{"{", "invalid_frame"},
                                                      {R"({"subscribe":"stats"})", "invalid_frame"},
                                                      {R"({"subscribe":[]})", "invalid_frame"},
                                                      {R"({"subscribe":["gossip"]})", "unknown_channel"},
                                                      {R"({"subscribe":["trades:"]})", "unknown_market"},
                                                      {R"({"subscribe":["trades:DOGE"]})", "unknown_market"}};
  for (const auto& [text, code] : rows) {
    StreamWorld world;
    const auto client = world.public_stream();
    client->say_text(text);
    const auto heard = client->heard();
    ASSERT_EQ(heard.size(), 1u) << text;
    EXPECT_EQ(heard[0]["type"], "error");
    EXPECT_EQ(heard[0]["code"], code) << text;
    EXPECT_EQ(client->close_code(), api::ws_close::policy) << text;
  }
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
