// Limits of streams: who may open one, how many, and how many frames.
#include <gtest/gtest.h>

#include "sim/streams_desk.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

TEST(StreamUpgrade, NeedsAFreshTokenAndSpendsIt) {
  Desk desk;
  EXPECT_EQ(desk.open("/v1/ws").status, 401);
  EXPECT_EQ(desk.open("/v1/ws?token=abc").status, 401);
  const std::string token = desk.token(desk.alice);
  EXPECT_TRUE(desk.open("/v1/ws?token=" + token).client);
  EXPECT_EQ(desk.open("/v1/ws?token=" + token).status, 401) << "once";
  const std::string late = desk.token(desk.alice);
  desk.clock.advance(limits::stream_token_lifetime_ms);
  EXPECT_EQ(desk.open("/v1/ws?token=" + late).status, 401);
}

TEST(StreamUpgrade, AcceptsThePathsOfItsNetwork) {
  Desk local;
  EXPECT_TRUE(local.open("/v1/ws?token=" + local.token(local.alice)).client);
  EXPECT_TRUE(local.open("/v1/stream").client);
  EXPECT_EQ(local.open("/stream").status, 404);
  EXPECT_EQ(local.open("/ws?token=" + local.token(local.alice)).status, 404);
  Desk testnet({}, api::NetworkId::testnet);
  EXPECT_EQ(testnet.open("/stream").status, 404);
  EXPECT_TRUE(testnet.open("/v1/stream").client);
  EXPECT_EQ(testnet.open("/ws?token=" + testnet.token({})).status, 404);
  EXPECT_TRUE(testnet.open("/v1/ws?token=" + testnet.token({})).client);
}

TEST(StreamUpgrade, OfThePublicStreamChecksAGivenToken) {
  Desk desk;
  EXPECT_TRUE(desk.open("/v1/stream?token=" + desk.token(desk.alice, StreamChannels::public_only)).client);
  EXPECT_EQ(desk.open("/v1/stream?token=abc").status, 401);
}

TEST(StreamUpgrade, FiveConnectionsPerAddressAndTheTokenIsSpent) {
  Desk desk;
  std::vector<std::unique_ptr<Client>> open;
  for (std::size_t i = 0; i < limits::stream_connections_per_address; ++i) open.push_back(desk.public_stream());
  const std::string token = desk.token(desk.alice);
  const auto refused = desk.open("/v1/ws?token=" + token);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.code, "ws_conn_limit_exceeded");
  EXPECT_EQ(desk.open("/v1/ws?token=" + token, "127.0.0.2").status, 401);
  EXPECT_TRUE(desk.account_stream(desk.alice, "127.0.0.2")) << "another address has its own";
  open.back()->vanish();
  EXPECT_TRUE(desk.public_stream()) << "whoever leaves makes room";
}

TEST(StreamUpgrade, AccountsHaveTheConnectionsOfTheirTier) {
  Desk desk;
  std::vector<std::unique_ptr<Client>> open;
  for (int i = 0; i < 5; ++i) open.push_back(desk.account_stream(desk.alice, "10.0.0." + std::to_string(i)));
  EXPECT_EQ(desk.open("/v1/ws?token=" + desk.token(desk.alice), "10.0.0.9").status, 429);
  EXPECT_TRUE(desk.account_stream(desk.bob, "10.0.0.9"));
  RecordBatch records;
  desk.exchange.network().assign_tier(desk.alice, api::Tier::market_maker, records);
  EXPECT_TRUE(desk.account_stream(desk.alice, "10.0.0.10"));
}

TEST(StreamUpgrade, AMarketMakerHasItsHundredConnectionsFromOneAddress) {
  Desk desk;
  RecordBatch records;
  desk.exchange.network().assign_tier(desk.alice, api::Tier::market_maker, records);
  std::vector<std::unique_ptr<Client>> open;
  for (int i = 0; i < 100; ++i) {
    desk.clock.advance(20);  // the address pays for each handshake
    open.push_back(desk.account_stream(desk.alice));
  }
  const auto one_more = desk.open("/v1/ws?token=" + desk.token(desk.alice));
  EXPECT_EQ(one_more.code, "ws_conn_limit_exceeded");
  EXPECT_TRUE(desk.account_stream(desk.bob)) << "whoever else is there has the five of the address";
  open.clear();
}

TEST(StreamUpgrade, DisabledLimitsRefuseNobody) {
  SandboxOptions options;
  options.limits = {.multiplier = 0};
  Desk desk(options);
  std::vector<std::unique_ptr<Client>> open;
  for (int i = 0; i < 50; ++i) open.push_back(desk.account_stream(desk.alice));
  EXPECT_EQ(desk.exchange.streams().connections(), 50u);
}

TEST(StreamUpgrade, IsNotBlockedByAnOldVersion) {
  Desk desk;
  Client client("/v1/stream", "");
  api::HttpRequest request = client.request();
  request.headers.set("X-Svc-Api-Version", "v0.0.1");
  bool accepted = false;
  desk.gateway.upgrade(
      std::move(request), client.head(), Peer{"127.0.0.1"},
      {.refuse = [](const api::HttpResponse&) {}, .accept = [&](const StreamOpened&) { accepted = true; }});
  EXPECT_TRUE(accepted);
}

TEST(StreamUpgrade, APlainRequestIsToldToUpgrade) {
  Desk desk;
  for (const char* path : {"/v1/ws", "/v1/stream"}) {
    api::HttpResponse answer;
    desk.gateway.handle({.method = "GET", .target = path, .headers = {{"Host", "localhost"}}, .body = ""},
                        Peer{"127.0.0.1"}, [&](api::HttpResponse response) { answer = std::move(response); });
    EXPECT_EQ(answer.status, 426);
    EXPECT_EQ(answer.headers.find("Upgrade"), "websocket");
  }
}

TEST(StreamUpgrade, WithAnInvalidHandshakeIsRefusedAndSpendsNoToken) {
  Desk desk;
  const std::string token = desk.token(desk.alice);
  struct Row {
    const char* what;
    const char* field;
    std::vector<std::string> values;
    int status;
  };
  const std::string version = "Sec-WebSocket-Version";
  const std::string key = "Sec-WebSocket-Key";
  const std::vector<Row> rows = {
      {"no version", version.c_str(), {}, 426},
      {"an older version", version.c_str(), {"8"}, 426},
      {"two versions", version.c_str(), {"13", "13"}, 426},
      {"no key", key.c_str(), {}, 400},
      {"two keys", key.c_str(), {"dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="}, 400},
      {"a key of three bytes", key.c_str(), {"YWJj"}, 400},
      {"a key that is not Base64", key.c_str(), {"!!!!"}, 400}};
  for (const Row& row : rows) {
    Client client("/v1/ws?token=" + token, "");
    api::HttpRequest request = client.request();
    request.headers.remove(row.field);
    for (const std::string& value : row.values) request.headers.add(row.field, value);
    api::HttpResponse refused;
    desk.gateway.upgrade(std::move(request), client.head(), Peer{"127.0.0.1"},
                         {.refuse = [&](api::HttpResponse response) { refused = std::move(response); },
                          .accept = [&](const StreamOpened&) { ADD_FAILURE() << row.what; }});
    EXPECT_EQ(refused.status, row.status) << row.what;
    EXPECT_EQ(refused.headers.contains(version), row.status == 426) << row.what;
  }
  EXPECT_TRUE(desk.open("/v1/ws?token=" + token).client);
}

TEST(StreamSubscriptions, AreCountedOverAllConnectionsOfTheAccount) {
  Desk desk;
  const auto first = desk.account_stream(desk.alice);
  const auto second = desk.account_stream(desk.alice);
  const char* const intervals[] = {"1s", "1m", "5m", "1h"};
  std::vector<Json> frames;
  for (const engine::MarketSpec& spec : desk.exchange.markets().specs()) {
    for (const char* channel : {"trades", "book", "ticker"}) frames.push_back(subscribe(channel, spec.id));
    for (const char* interval : intervals) {
      frames.push_back(subscribe("candles", spec.id));
      frames.back()["interval"] = interval;
    }
  }
  for (const char* channel : {"engine", "orders", "fills", "positions"}) frames.push_back(subscribe(channel));
  ASSERT_EQ(frames.size(), 25u) << "half of what Pro has";
  const auto say = [&](Client& client, const Json& frame) {
    desk.clock.advance(100);
    client.say(frame);
    return client.heard().front();
  };
  for (const Json& frame : frames) {
    EXPECT_EQ(say(*first, frame)["op"], "subscribed");
    EXPECT_EQ(say(*second, frame)["op"], "subscribed");
  }
  EXPECT_EQ(say(*second, subscribe("balances"))["code"], "subscription_limit_exceeded");
  EXPECT_EQ(say(*second, frames.front())["op"], "subscribed") << "again, for nothing";
  EXPECT_EQ(say(*first, {{"op", "unsubscribe"}, {"channel", "orders"}})["op"], "unsubscribed");
  EXPECT_EQ(say(*second, subscribe("balances"))["op"], "subscribed");
  first->vanish();
  EXPECT_EQ(say(*second, subscribe("liquidations"))["op"], "subscribed");
}

TEST(StreamFlood, IsAnsweredWithAnErrorAndClosedWith1008) {
  Desk desk;
  const auto client = desk.account_stream(desk.alice);
  for (int i = 0; i < 20; ++i) client->say(subscribe("engine"));
  EXPECT_EQ(client->heard().size(), 20u) << "a burst of two seconds";
  desk.clock.advance(99);
  client->say(subscribe("engine"));
  const auto heard = client->heard();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0]["op"], "error");
  EXPECT_EQ(heard[0]["code"], "frame_rate_exceeded");
  EXPECT_EQ(client->close_code(), api::ws_close::policy);
}

TEST(StreamFlood, OneMoreFramePassesForEachTenthOfASecond) {
  Desk desk;
  const auto client = desk.account_stream(desk.alice);
  for (int i = 0; i < 20; ++i) client->say(subscribe("engine"));
  for (int i = 0; i < 20; ++i) {
    desk.clock.advance(100);
    client->say(subscribe("engine"));
  }
  EXPECT_EQ(client->heard().size(), 40u);
  EXPECT_FALSE(client->close_code());
}

TEST(StreamPeer, IsPingedAndDroppedWhenSilent) {
  Desk desk;
  const auto client = desk.account_stream(desk.alice);
  desk.machine.advance(limits::stream_ping_ms - 1);
  desk.exchange.streams().look_after();
  (void)client->heard();
  EXPECT_EQ(client->pings(), 0u);
  desk.machine.advance(1);
  desk.exchange.streams().look_after();
  (void)client->heard();
  EXPECT_EQ(client->pings(), 1u) << "answered, so it lives";
  client->stall();
  desk.machine.advance(limits::stream_silence_ms_max - 1);
  desk.exchange.streams().look_after();
  EXPECT_FALSE(client->stream().aborted);
  desk.machine.advance(1);
  desk.exchange.streams().look_after();
  EXPECT_TRUE(client->stream().aborted);
}

TEST(StreamPeer, IsNotDroppedBecauseTheSandboxsClockJumps) {
  Desk desk;
  const auto client = desk.account_stream(desk.alice);
  desk.clock.advance(day_ms);
  desk.exchange.streams().look_after();
  EXPECT_FALSE(client->stream().aborted);
}

TEST(StreamPeer, IsToldThatTheServerStops) {
  Desk desk;
  const auto client = desk.account_stream(desk.alice);
  client->server_stops();
  EXPECT_EQ(client->close_code(), api::ws_close::going_away);
}

TEST(StreamPeer, IsDroppedIfItDoesNotAnswerAClose) {
  Desk desk;
  const auto client = desk.public_stream();
  client->stall();
  client->say({{"subscribe", {"gossip"}}});
  desk.exchange.streams().look_after();
  EXPECT_FALSE(client->stream().aborted);
  desk.machine.advance(limits::stream_close_ms);
  desk.exchange.streams().look_after();
  EXPECT_TRUE(client->stream().aborted);
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
