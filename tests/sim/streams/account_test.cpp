// /ws: subscriptions, events, snapshots, resuming.
#include <gtest/gtest.h>

#include "sim/streams/world.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

using engine::Side;

TEST(AccountStream, TradesArriveNumberedFromOneWithTheRestRecordAsPayload) {
  StreamWorld world(StreamWorld::with_running_clock());
  const auto client = world.account_stream(world.alice);
  client->say(subscribe("trades", btc));
  EXPECT_EQ(client->heard(),
            std::vector<Json>{
                Json::parse(R"({"op":"subscribed","channel":"trades","market":"BTC-USDX-PERP","seq_at_join":0})")});
  world.trade(1, 60'000);
  world.trade(2, 60'000);
  EXPECT_TRUE(client->heard().empty()) << "before anybody told";
  world.dispatch();
  const auto events = client->heard();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["op"], "event");
  EXPECT_EQ(events[0]["seq"], 1);
  EXPECT_EQ(events[1]["seq"], 2);
  EXPECT_EQ(events[1]["payload"]["symbol"], btc);
  EXPECT_EQ(events[1]["payload"]["amount"], 0.002);
  EXPECT_EQ(events[1]["payload"]["price"], 60'000);
  EXPECT_EQ(events[1]["engine_envelope"]["emitted_at"], world.clock.now_ms());
  EXPECT_GT(events[1]["engine_envelope"]["sequence"], events[0]["engine_envelope"]["sequence"]);
}

TEST(AccountStream, AChangedLeverageChangesThePositionAndTheBalances) {
  StreamWorld world;
  world.trade(1, 60'000);
  world.dispatch();
  const auto client = world.account_stream(world.alice);
  client->say(subscribe("positions"));
  client->say(subscribe("balances"));
  (void)client->heard();
  (void)world.exchange.sequencer().submit(engine::SetLeverage{world.alice, {0}, 2});
  world.dispatch();
  const auto events = client->heard();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["channel"], "positions");
  EXPECT_EQ(events[0]["payload"]["leverage"], 2) << events[0];
  EXPECT_EQ(events[1]["channel"], "balances");
  // An account without a position gets no event.
  (void)world.exchange.sequencer().submit(engine::SetLeverage{world.alice, {1}, 2});
  world.dispatch();
  EXPECT_TRUE(client->heard().empty());
}

TEST(AccountStream, ResumesAfterTheGivenSequence) {
  StreamWorld world;
  for (int i = 0; i < 5; ++i) world.trade(1, 60'000);
  world.dispatch();
  for (const Json& since : {Json(2), Json("2")}) {
    const auto client = world.account_stream(world.alice);
    Json frame = subscribe("trades", btc);
    frame["since"] = since;
    client->say(frame);
    const auto heard = client->heard();
    ASSERT_EQ(heard.size(), 4u);
    EXPECT_EQ(heard[0]["seq_at_join"], 5);
    for (std::size_t i = 1; i < heard.size(); ++i) EXPECT_EQ(heard[i]["seq"], i + 2);
    client->vanish();
  }
}

TEST(AccountStream, SinceZeroSendsEverythingStillKept) {
  StreamWorld world;
  world.limit(world.alice, Side::buy, 5, 59'000);
  world.dispatch();
  const auto client = world.account_stream(world.alice);
  Json frame = subscribe("orders");
  frame["since"] = 0;
  client->say(frame);
  const auto heard = client->heard();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[1]["seq"], 1);
  EXPECT_EQ(heard[1]["market"], nullptr);
  const Json& update = heard[1]["payload"]["OrderUpdate"];
  EXPECT_EQ(update["order"]["price"], "59000");
  EXPECT_TRUE(update["order"].contains("client_order_id"));
  EXPECT_EQ(update["sequence"], heard[1]["engine_envelope"]["sequence"]);
}

TEST(AccountStream, ATooOldOrUnknownSequenceIsOutOfSync) {
  StreamWorld world;
  const std::vector<engine::Event> trades(limits::stream_replay_events_max + 3,
                                          engine::Trade{.price = Ticks{120'000}, .quantity = Lots{1}});
  world.exchange.streams().hub().follow({.sequence = {1'000}, .at_ms = world.clock.now_ms()}, trades);
  world.dispatch();
  const auto client = world.account_stream(world.alice);
  const auto resume = [&](std::uint64_t since) {
    Json frame = subscribe("trades", btc);
    frame["since"] = since;
    client->say(frame);
    return client->heard();
  };
  const auto too_old = resume(2);
  ASSERT_EQ(too_old.size(), 1u);
  EXPECT_EQ(too_old[0].dump(), R"({"op":"out_of_sync","channel":"trades","market":"BTC-USDX-PERP","oldest_seq":4})");
  world.trade(1, 60'000);
  world.dispatch();
  EXPECT_TRUE(client->heard().empty()) << "the subscription has ended";
  EXPECT_EQ(resume(1'000'000)[0]["op"], "out_of_sync");
  EXPECT_EQ(resume(4)[0]["op"], "subscribed") << "the edge: 5 is the oldest";
  EXPECT_EQ(resume(3)[0]["op"], "out_of_sync") << "and one beyond";
}

TEST(AccountStream, TheWholeBookComesAtOnce) {
  StreamWorld world;
  world.limit(world.alice, Side::buy, 5, 59'000);
  world.dispatch();
  const auto client = world.account_stream(world.bob);
  client->say(subscribe("book", btc));
  auto heard = client->heard();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[1]["snapshot"], true);
  EXPECT_EQ(heard[1]["seq"], heard[0]["seq_at_join"]);
  EXPECT_EQ(heard[1]["payload"]["bids"].dump(), "[[59000,0.005]]");
  world.limit(world.alice, Side::sell, 7, 61'000);
  world.dispatch();
  heard = client->heard();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_FALSE(heard[0].contains("snapshot"));
  EXPECT_EQ(heard[0]["payload"]["asks"].dump(), "[[61000,0.007]]");
  EXPECT_EQ(heard[0]["payload"]["bids"].size(), 1u);
}

TEST(AccountStream, WhileTheClockIsStoppedEachCommandSendsABookAndATicker) {
  StreamWorld world;
  const auto client = world.account_stream(world.bob);
  client->say(subscribe("book", btc));
  client->say(subscribe("ticker", btc));
  const std::uint64_t joined = client->heard()[0]["seq_at_join"];
  for (int i = 0; i < 3; ++i) world.limit(world.alice, Side::buy, 1, 50'000 + i);
  const auto heard = client->heard();
  ASSERT_EQ(heard.size(), 6u) << "nobody had to look";
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(heard[2 * i]["channel"], "book");
    EXPECT_EQ(heard[2 * i]["seq"], joined + 1 + i);
    EXPECT_EQ(heard[2 * i]["payload"]["bids"].size(), 1 + i) << "as it was after that command";
    EXPECT_EQ(heard[2 * i + 1]["channel"], "ticker");
  }
}

TEST(AccountStream, WhileTheClockIsStoppedBalancesAndPositionsAreThoseOfTheirCommand) {
  StreamWorld world;
  const auto client = world.account_stream(world.bob);
  client->say(subscribe("positions"));
  client->say(subscribe("balances"));
  (void)client->heard();
  world.trade(1, 60'000);
  world.trade(2, 60'000);
  std::vector<std::string> sizes;
  std::vector<std::size_t> positions;
  for (const Json& event : client->heard("op", "event")) {
    if (event["channel"] == "positions") sizes.push_back(event["payload"]["size"]);
    if (event["channel"] == "balances") positions.push_back(event["payload"]["positions"].size());
  }
  EXPECT_EQ(sizes, (std::vector<std::string>{"0.001", "0.003"}));
  EXPECT_EQ(positions, (std::vector<std::size_t>{1, 1}));
}

TEST(AccountStream, WhileTheClockIsStoppedEventsDoNotDependOnAnybodysSpeed) {
  const auto told = [](std::int64_t step_ms, bool has_extra_dispatch) {
    SandboxOptions options;
    options.flow = FlowKind::bots;
    StreamWorld world(options);
    const auto client = world.account_stream(world.bob);
    const auto crowd = world.public_stream();
    for (const char* channel : {"trades", "book", "ticker"}) client->say(subscribe(channel, btc));
    for (const char* channel : {"positions", "balances"}) client->say(subscribe(channel));
    crowd->say({{"subscribe", {"trades:*", "book:*", "market_status:*", "stats"}}});
    world.limit(world.bob, Side::buy, 5, 60'500);
    std::string text;
    for (std::int64_t now = 0; now < 12'000; now += step_ms) {
      world.pass(step_ms);
      if (has_extra_dispatch) world.dispatch();
      for (const Json& frame : client->heard()) text += frame.dump() + '\n';
      for (const Json& frame : crowd->heard()) text += "public " + frame.dump() + '\n';
    }
    return text;
  };
  const std::string first = told(1'000, false);
  EXPECT_GT(std::ranges::count(first, '\n'), 100);
  EXPECT_TRUE(first == told(1'000, true));
  // In one jump the frames of the two connections are not interleaved, but they are the same.
  const auto sorted = [](const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    std::ranges::stable_sort(lines, {}, [](const std::string& line) { return line.starts_with("public"); });
    return lines;
  };
  EXPECT_TRUE(sorted(first) == sorted(told(12'000, false)));
}

// Of an account, while the clock runs: "side size realised" of each event that one dispatch sends.
std::vector<std::string> positions_of(StreamWorld& world, Client& client) {
  world.dispatch();
  std::vector<std::string> told;
  for (const Json& event : client.heard("op", "event")) {
    const Json& position = event["payload"];
    told.push_back(position["side"].get<std::string>() + " " + position["size"].get<std::string>() + " " +
                   position["realized_pnl"].get<std::string>() + " from " + position["entry_price"].get<std::string>());
  }
  return told;
}

TEST(AccountStream, WhileTheClockRunsNoPositionIsShownThatNeverWas) {
  using Told = std::vector<std::string>;
  StreamWorld world(StreamWorld::with_running_clock());
  const auto client = world.account_stream(world.bob);
  client->say(subscribe("positions"));
  (void)client->heard();
  const auto sell = [&](std::int64_t lots, std::int64_t price) {
    world.limit(world.alice, Side::buy, lots, price);
    world.limit(world.bob, Side::sell, lots, price);
  };
  const auto buy = [&](std::int64_t lots, std::int64_t price) {
    world.limit(world.alice, Side::sell, lots, price);
    world.limit(world.bob, Side::buy, lots, price);
  };
  sell(10, 60'000);
  buy(10, 59'800);
  EXPECT_EQ(positions_of(world, *client), (Told{"Short 0 2 from 60000", "Short 0 2 from 60000"})) << "opened, closed";
  buy(10, 60'000);
  EXPECT_EQ(positions_of(world, *client), (Told{"Long 0.01 0 from 60000"}));
  sell(10, 60'100);
  buy(5, 60'200);
  EXPECT_EQ(positions_of(world, *client), (Told{"Long 0 1 from 60000", "Long 0.005 0 from 60200"})) << "reopened";
  sell(15, 60'200);
  EXPECT_EQ(positions_of(world, *client), (Told{"Long 0 0 from 60200", "Short 0.01 0 from 60200"}))
      << "flipped by one command: the one that closed, then the one that opened";
  buy(20, 60'200);
  sell(10, 60'200);
  EXPECT_EQ(positions_of(world, *client), (Told{"Short 0 0 from 60200", "Long 0 0 from 60200", "Long 0 0 from 60200"}))
      << "flipped, closed";
}

TEST(AccountStream, SyncIsAnsweredAfterAllEarlierEvents) {
  StreamWorld world(StreamWorld::with_running_clock());
  const auto client = world.account_stream(world.bob);
  client->say(subscribe("orders"));
  client->say(subscribe("book", btc));
  (void)client->heard();
  world.limit(world.bob, Side::buy, 1, 50'000);
  client->say({{"op", "sync"}});
  const auto heard = client->heard();
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[0]["channel"], "orders");
  EXPECT_EQ(heard[1]["channel"], "book");
  const auto sequence = world.exchange.sequencer().read(
      [](const engine::Engine& engine, TimestampMs) { return engine.sequence().value; });
  EXPECT_EQ(heard[2], (Json{{"op", "synced"}, {"sequence", sequence}}));
}

TEST(AccountStream, WhileTheClockRunsManyChangesAreConflatedIntoOneBook) {
  StreamWorld world(StreamWorld::with_running_clock());
  const auto client = world.account_stream(world.bob);
  client->say(subscribe("book", btc));
  const std::uint64_t joined = client->heard()[0]["seq_at_join"];
  for (int i = 0; i < 10; ++i) world.limit(world.alice, Side::buy, 1, 50'000 + i);
  world.dispatch();
  const auto heard = client->heard();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0]["seq"], joined + 10);
  EXPECT_EQ(heard[0]["payload"]["bids"].size(), 10u);
}

TEST(AccountStream, CandlesFollowTheTradesAndRestartWithTheirInterval) {
  StreamWorld world;
  const auto client = world.account_stream(world.alice);
  client->say(subscribe("candles", btc));
  EXPECT_EQ(client->heard()[0]["interval"], "1m") << "the default";
  Json seconds = subscribe("candles", btc);
  seconds["interval"] = "1s";
  client->say(seconds);
  (void)client->heard();
  world.trade(1, 60'000);
  world.clock.advance(1'000);
  world.trade(2, 60'100);
  world.dispatch();
  std::vector<Json> minute;
  std::vector<Json> second;
  for (const Json& event : client->heard()) (event["interval"] == "1m" ? minute : second).push_back(event["payload"]);
  const std::int64_t start = 1'800'000'000'000;
  EXPECT_EQ(minute.back(), (Json{start, 60'000, 60'100, 60'000, 60'100, 0.003}));
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[1], (Json{start + 1'000, 60'100, 60'100, 60'100, 60'100, 0.002}));
}

TEST(AccountStream, BalancesAndPositionsBeginWithASnapshotAndFollowTheAccount) {
  StreamWorld world;
  world.trade(10, 60'000);
  world.dispatch();
  const auto client = world.account_stream(world.bob);
  client->say(subscribe("positions"));
  client->say(subscribe("balances"));
  auto heard = client->heard();
  ASSERT_EQ(heard.size(), 4u);
  EXPECT_EQ(heard[1]["channel"], "positions");
  EXPECT_EQ(heard[1]["snapshot"], true);
  EXPECT_EQ(heard[1]["payload"]["size"], "0.01");
  EXPECT_EQ(heard[1]["payload"]["side"], "Long");
  EXPECT_EQ(heard[3]["payload"]["positions"].size(), 1u);

  world.limit(world.alice, Side::buy, 10, 60'200);
  world.limit(world.bob, Side::sell, 10, 60'200);
  world.dispatch();
  const auto events = client->heard("op", "event");
  const auto flat = std::ranges::find_if(events, [](const Json& event) { return event["channel"] == "positions"; });
  ASSERT_NE(flat, events.end());
  EXPECT_EQ((*flat)["payload"]["size"], "0");
  EXPECT_EQ((*flat)["payload"]["side"], "Long") << "what it was";
  EXPECT_EQ((*flat)["payload"]["realized_pnl"], "2");
  EXPECT_EQ(events.back()["channel"], "balances");
  EXPECT_TRUE(events.back()["payload"]["positions"].empty());
}

TEST(AccountStream, TheAcknowledgementHasTheNumberOfSnapshotEvents) {
  StreamWorld world;
  const auto client = world.account_stream(world.alice);
  const auto begin = [&](const Json& frame) {
    client->say(frame);
    return client->heard();
  };
  const auto empty = begin(subscribe("positions"));
  ASSERT_EQ(empty.size(), 1u);
  EXPECT_EQ(empty[0]["snapshot_events"], 0) << "there is no position";
  EXPECT_EQ(begin(subscribe("balances"))[0]["snapshot_events"], 1);
  EXPECT_EQ(begin(subscribe("book", btc))[0]["snapshot_events"], 1);
  EXPECT_FALSE(begin(subscribe("fills"))[0].contains("snapshot_events")) << "it has none";
  world.trade(1, 60'000);
  (void)client->heard();
  const auto one = begin(subscribe("positions"));
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0]["snapshot_events"], 1);
  EXPECT_EQ(one[1]["snapshot"], true);
}

TEST(AccountStream, AccountChannelsShowOnlyTheTokensAccount) {
  StreamWorld world;
  const auto alice = world.account_stream(world.alice);
  const auto bob = world.account_stream(world.bob);
  for (const auto* client : {&alice, &bob}) {
    (*client)->say(subscribe("fills"));
    (*client)->say(subscribe("orders"));
    (void)(*client)->heard();
  }
  world.limit(world.alice, Side::sell, 1, 60'000);
  world.dispatch();
  EXPECT_EQ(alice->heard().size(), 1u);
  EXPECT_TRUE(bob->heard().empty());
  world.limit(world.bob, Side::buy, 1, 60'000);
  world.dispatch();
  const auto fills = [](const std::vector<Json>& heard) {
    return std::ranges::count_if(heard, [](const Json& event) { return event["channel"] == "fills"; });
  };
  EXPECT_EQ(fills(alice->heard()), 1);
  EXPECT_EQ(fills(bob->heard()), 1);
}

TEST(AccountStream, TheEngineChannelIsAcknowledgedAndSilent) {
  StreamWorld world;
  const auto client = world.account_stream(world.alice);
  client->say(subscribe("engine"));
  EXPECT_EQ(client->heard()[0].dump(), R"({"op":"subscribed","channel":"engine","market":null,"seq_at_join":0})");
  world.trade(1, 60'000);
  world.dispatch();
  EXPECT_TRUE(client->heard().empty());
}

TEST(AccountStream, UnsubscribingEndsTheEvents) {
  StreamWorld world;
  const auto client = world.account_stream(world.alice);
  client->say(subscribe("trades", btc));
  client->say({{"op", "unsubscribe"}, {"channel", "trades"}, {"market", btc}});
  EXPECT_EQ(client->heard().back().dump(), R"({"op":"unsubscribed","channel":"trades","market":"BTC-USDX-PERP"})");
  world.trade(1, 60'000);
  world.dispatch();
  EXPECT_TRUE(client->heard().empty());
}

TEST(AccountStream, InvalidFramesAreAnsweredAndTheConnectionStaysOpen) {
  StreamWorld world;
  const auto client = world.account_stream(world.alice);
  const auto code_of = [&](const std::string& text) {
    world.clock.advance(1'000);
    client->say_text(text);
    const auto heard = client->heard();
    return heard.size() == 1 && heard[0]["op"] == "error" ? heard[0].value("code", "") : "?";
  };
  EXPECT_EQ(code_of("{"), "invalid_frame");
  EXPECT_EQ(code_of("[]"), "invalid_frame");
  EXPECT_EQ(code_of(R"({"op":"dance","channel":"trades"})"), "unknown_op");
  EXPECT_EQ(code_of(R"({"op":"subscribe","channel":"gossip"})"), "unknown_channel");
  EXPECT_EQ(code_of(R"({"op":"subscribe","channel":"trades"})"), "market_required");
  EXPECT_EQ(code_of(R"({"op":"subscribe","channel":"trades","market":"DOGE-USDX-PERP"})"), "unknown_market");
  EXPECT_EQ(code_of(R"({"op":"subscribe","channel":"orders","market":"BTC-USDX-PERP"})"), "market_not_taken");
  EXPECT_EQ(code_of(R"({"op":"subscribe","channel":"candles","market":"BTC-USDX-PERP","interval":"2m"})"),
            "unknown_interval");
  EXPECT_EQ(code_of(R"({"op":"subscribe","channel":"trades","market":"BTC-USDX-PERP","interval":"1m"})"),
            "interval_not_taken");
  EXPECT_EQ(code_of(R"({"op":"subscribe","channel":"trades","market":"BTC-USDX-PERP","since":-1})"), "invalid_frame");
  client->say(subscribe("engine"));
  EXPECT_EQ(client->heard()[0]["op"], "subscribed");
}

TEST(AccountStream, AnOldTokenOpensPublicChannelsOnly) {
  StreamWorld world;
  auto opening = world.open("/v1/ws?token=" + world.token(world.alice, StreamChannels::public_only));
  ASSERT_TRUE(opening.client);
  opening.client->say(subscribe("orders"));
  EXPECT_EQ(opening.client->heard()[0]["code"], "public_token");
  opening.client->say(subscribe("trades", btc));
  EXPECT_EQ(opening.client->heard()[0]["op"], "subscribed");
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
