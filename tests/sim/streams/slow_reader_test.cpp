// Slow readers: what they lose, what they cost, and that nobody else notices.
#include <gtest/gtest.h>

#include "sim/streams/world.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

using engine::Side;

// Emits artificial trades directly from the writer: more than `bytes` of frames.
std::uint64_t flood_with_trades(StreamWorld& world, std::size_t bytes) {
  constexpr std::size_t bytes_per_frame = 300;  // slightly less than the real size
  constexpr std::size_t per_command = 50;
  const std::vector<engine::Event> trades(per_command, engine::Trade{.price = Ticks{120'000}, .quantity = Lots{1}});
  std::uint64_t told = 0;
  for (std::uint64_t sequence = 1'000; told * bytes_per_frame < bytes; ++sequence) {
    world.exchange.streams().hub().follow({.sequence = {sequence}, .at_ms = world.clock.now_ms()}, trades);
    world.dispatch();
    told += per_command;
  }
  return told;
}

TEST(SlowReader, EndsOutOfSyncAndCostsNoMoreThanItsBound) {
  StreamWorld world;
  const auto slow = world.account_stream(world.alice);
  const auto quick = world.account_stream(world.bob);
  for (const auto* client : {&slow, &quick}) {
    (*client)->say(subscribe("trades", btc));
    (void)(*client)->heard();
  }
  slow->stall();
  flood_with_trades(world, 2 * limits::stream_queue_bytes_max);
  EXPECT_LE(slow->stream().queued_bytes(), limits::stream_queue_bytes_max + limits::stream_queue_reserve_bytes);
  EXPECT_GE(slow->stream().queued_bytes(), limits::stream_queue_bytes_max / 2);

  const auto heard = quick->heard();
  EXPECT_EQ(heard.back()["seq"], heard.size()) << "the other reader has every event";

  slow->catch_up();
  const auto late = slow->heard();
  EXPECT_EQ(late.back()["op"], "out_of_sync");
  EXPECT_EQ(late[late.size() - 2]["seq"], late.size() - 1) << "no hole before the end";
  EXPECT_GT(late.back()["oldest_seq"].get<std::uint64_t>() + limits::stream_replay_events_max, late.size())
      << "what was missed can still be had, if it asks at once";
  EXPECT_FALSE(slow->close_code());
}

TEST(SlowReader, TakesAllEventsOfOneCommandIfItHadReadEverything) {
  StreamWorld world;
  const auto reader = world.account_stream(world.alice);
  reader->say(subscribe("trades", btc));
  (void)reader->heard();
  reader->stall();
  const std::vector<engine::Event> trades(6'000, engine::Trade{.price = Ticks{120'000}, .quantity = Lots{1}});
  world.exchange.streams().hub().follow({.sequence = {1'000}, .at_ms = world.clock.now_ms()}, trades);
  world.dispatch();
  EXPECT_GT(reader->stream().queued_bytes(), limits::stream_queue_bytes_max);
  world.exchange.streams().hub().follow({.sequence = {1'001}, .at_ms = world.clock.now_ms()}, trades);
  world.dispatch();
  reader->catch_up();
  const auto heard = reader->heard();
  EXPECT_EQ(heard.size(), 6'001u);
  EXPECT_EQ(heard.back()["op"], "out_of_sync") << "the second command found more than a reader may leave unread";
  EXPECT_FALSE(reader->close_code());
}

// Of book and trades. It reads nothing, and more trades are sent than may wait for it.
auto flooded_reader(StreamWorld& world) {
  auto slow = world.account_stream(world.bob);
  slow->say(subscribe("book", btc));
  slow->say(subscribe("trades", btc));
  (void)slow->heard();
  slow->stall();
  flood_with_trades(world, 2 * limits::stream_queue_bytes_max);
  return slow;
}

TEST(SlowReader, FindsTheNewestBookWhenItReadsAgain) {
  StreamWorld world;
  const auto slow = flooded_reader(world);
  for (int i = 0; i < 3; ++i) {
    world.limit(world.alice, Side::buy, 1, 50'000 + i);
    world.dispatch();
  }
  const std::size_t queued = slow->stream().queued_bytes();
  EXPECT_LE(queued, limits::stream_queue_bytes_max + limits::stream_queue_reserve_bytes);
  slow->catch_up();
  const auto heard = slow->heard();
  EXPECT_EQ(heard.back()["channel"], "book");
  EXPECT_EQ(heard.back()["payload"]["bids"].dump(), "[[50002,0.001],[50001,0.001],[50000,0.001]]");
}

TEST(SlowReader, HasTheNewestBookBeforeItsSyncIsAnswered) {
  StreamWorld world;
  const auto slow = flooded_reader(world);
  world.limit(world.alice, Side::buy, 1, 50'000);
  slow->say({{"op", "sync"}});
  slow->catch_up();
  const auto heard = slow->heard();
  EXPECT_EQ(heard[heard.size() - 2]["channel"], "book");
  EXPECT_EQ(heard.back()["op"], "synced");
}

TEST(SlowReader, HasTheNewestBookIfItsQueueEmptiedBeforeItWasMarked) {
  StreamWorld world;
  const auto slow = flooded_reader(world);
  slow->stream().empties_meanwhile = true;
  world.limit(world.alice, Side::buy, 1, 50'000);
  slow->stream().stalled = false;
  const auto heard = slow->heard();
  ASSERT_EQ(heard.back()["channel"], "book");
  EXPECT_EQ(heard.back()["payload"]["bids"].dump(), "[[50000,0.001]]");
  slow->say({{"op", "sync"}});
  EXPECT_EQ(slow->heard().back()["op"], "synced");
}

TEST(SlowReader, DelaysDeliveryWaitersUntilTheNewestWasSentToo) {
  StreamWorld world;
  const auto slow = world.account_stream(world.bob);
  for (const char* channel : {"book", "ticker", "trades"}) slow->say(subscribe(channel, btc));
  (void)slow->heard();
  slow->stall();
  flood_with_trades(world, 2 * limits::stream_queue_bytes_max);
  world.price(61'000);  // the ticker waits for room
  const auto delivered = world.until_delivered();
  (void)slow->heard();
  slow->stream().empties_meanwhile = true;
  world.limit(world.alice, Side::buy, 1, 50'000);  // so does the book, but the queue empties
  slow->take_queue();
  EXPECT_GT(slow->stream().queued_bytes(), 0u) << "the newest of both";
  (void)slow->heard();
  EXPECT_FALSE(delivered.expired());
  slow->catch_up();
  EXPECT_TRUE(delivered.expired());
}

TEST(SlowReader, DelaysDeliveryWaitersUntilItReadsOrDisconnects) {
  StreamWorld world;
  const auto slow = world.account_stream(world.bob);
  const auto other = world.account_stream(world.bob);
  for (const auto* client : {&slow, &other}) {
    (*client)->say(subscribe("orders"));
    (void)(*client)->heard();
    (*client)->stall();
  }
  world.limit(world.bob, Side::buy, 1, 50'000);
  const auto delivered = world.until_delivered();
  EXPECT_FALSE(delivered.expired());
  slow->catch_up();
  EXPECT_FALSE(delivered.expired());
  other->vanish();
  EXPECT_TRUE(delivered.expired());
}

TEST(SlowReader, IsClosedWithAReasonIfEvenAnswersDoNotFit) {
  SandboxOptions options;
  options.limits = {.multiplier = 0};
  StreamWorld world(options);
  const auto slow = world.account_stream(world.alice);
  slow->stall();
  const Json gossip = subscribe(std::string(4'000, 'x'));  // the answer repeats the beginning
  for (int i = 0; i < 2'000 && !slow->stream().aborted; ++i) slow->say(gossip);
  EXPECT_LE(slow->stream().queued_bytes(), limits::stream_queue_bytes_max + limits::stream_queue_reserve_bytes + 1'000)
      << "and a close";
  slow->catch_up();
  EXPECT_EQ(slow->close_code(), api::ws_close::policy);
}

TEST(SlowReader, IsClosedIfItRequestsPongsAndNeverReads) {
  SandboxOptions options;
  options.limits = {.multiplier = 0};
  StreamWorld world(options);
  constexpr std::size_t bound = limits::stream_queue_bytes_max + limits::stream_queue_reserve_bytes;
  const auto slow = world.account_stream(world.alice);
  slow->stall();
  for (int asked = 0; asked < 100'000 && slow->stream().queued_bytes() <= bound; ++asked) slow->ask_for_pong();
  for (int asked = 0; asked < 100; ++asked) slow->ask_for_pong();
  EXPECT_LE(slow->stream().queued_bytes(), bound + 1'000) << "none of them is answered";
  slow->catch_up();
  EXPECT_EQ(slow->close_code(), api::ws_close::policy);
}

TEST(SlowReader, OfThePublicStreamIsToldHowMuchItMissed) {
  StreamWorld world;
  const auto slow = world.public_stream();
  slow->say({{"subscribe", {"trades:*", "book:" + btc}}});
  (void)slow->heard();
  slow->stall();
  const std::uint64_t trades = flood_with_trades(world, 2 * limits::stream_queue_bytes_max);
  world.limit(world.alice, Side::buy, 1, 50'000);
  world.dispatch();
  slow->catch_up();
  const auto heard = slow->heard();
  const auto count = [&](const char* type) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(heard, [&](const Json& frame) { return frame["type"] == type; }));
  };
  ASSERT_EQ(count("gap"), 1u);
  const auto gap = std::ranges::find_if(heard, [](const Json& frame) { return frame["type"] == "gap"; });
  EXPECT_EQ(count("Trade") + (*gap)["missed"].get<std::uint64_t>(), trades);
  const auto newest = std::ranges::find_if(heard.rbegin(), heard.rend(),
                                           [](const Json& frame) { return frame["type"] == "BookUpdate"; });
  ASSERT_NE(newest, heard.rend());
  EXPECT_EQ((*newest)["book"]["bids"][0]["price"], "50000");
}

TEST(StreamFaults, DropRepeatAndSwapEventsAsConfigured) {
  struct Row {
    StreamFault fault;
    std::uint32_t count;
    std::vector<int> seqs;
  };
  const Row rows[] = {{StreamFault::gap, 1, {2, 3, 4, 5}},
                      {StreamFault::dup, 1, {1, 1, 2, 3, 4, 5}},
                      {StreamFault::reorder, 1, {2, 1, 3, 4, 5}},
                      {StreamFault::reorder, 2, {2, 1, 4, 3, 5}}};
  for (const Row& row : rows) {
    StreamWorld world;
    const auto client = world.account_stream(world.alice);
    client->say(subscribe("trades", btc));
    (void)client->heard();
    FaultRule rule;
    rule.operation = "account_stream";
    rule.count = row.count;
    rule.effect = FaultEffect::stream;
    rule.stream = row.fault;
    ASSERT_TRUE(world.gateway.faults().add(rule));
    for (int i = 0; i < 5; ++i) world.trade(1, 60'000);
    world.dispatch();
    std::vector<int> seqs;
    for (const Json& event : client->heard()) seqs.push_back(event["seq"]);
    EXPECT_EQ(seqs, row.seqs) << api::to_string(row.fault);
  }
}

TEST(StreamFaults, AFullTableSpendsTheTokenAsARealOneDoes) {
  StreamWorld world;
  FaultRule rule;
  rule.operation = "account_stream";
  rule.count = 1;
  rule.effect = FaultEffect::error;
  rule.code = api::ErrorCode::ws_conn_limit_exceeded;
  rule.status = 429;
  ASSERT_TRUE(world.gateway.faults().add(rule));
  const std::string token = world.token(world.alice);
  EXPECT_EQ(world.open("/v1/ws?token=" + token).status, 429);
  EXPECT_EQ(world.open("/v1/ws?token=" + token).status, 401);
}

TEST(StreamFaults, LatencyDelaysTheUpgrade) {
  StreamWorld world;
  std::function<void()> later;
  Gateway slow(world.clock.sandbox,
               {.after_ms =
                    [&](std::int64_t ms, std::function<void()> task) {
                      EXPECT_EQ(ms, 400);
                      later = std::move(task);
                    },
                .latency = {.base_ms = 400}},
               {&world.exchange.network()});
  Client client("/v1/stream", "127.0.0.1");
  bool is_open = false;
  slow.upgrade(api::HttpRequest(client.request()), client.head(), Peer{"127.0.0.1"},
               {.refuse = [](const api::HttpResponse&) { FAIL(); },
                .accept =
                    [&](const StreamOpened& opened) {
                      client.opened(opened);
                      is_open = true;
                    }});
  EXPECT_FALSE(is_open);
  ASSERT_TRUE(later);
  later();
  EXPECT_TRUE(is_open);
}

TEST(StreamFaults, DropTheConnection) {
  StreamWorld world;
  const auto client = world.account_stream(world.alice);
  client->say(subscribe("trades", btc));
  FaultRule rule;
  rule.effect = FaultEffect::stream;
  rule.stream = StreamFault::drop;
  ASSERT_TRUE(world.gateway.faults().add(rule));
  world.trade(1, 60'000);
  world.dispatch();
  EXPECT_TRUE(client->stream().aborted);
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
