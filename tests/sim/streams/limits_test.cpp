// Limits of streams: who may open one, how many, and how many frames.
#include <gtest/gtest.h>

#include "api/tiers.h"
#include "sim/streams/world.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

Address numbered_address(std::uint32_t n) {
  Address account{};
  for (std::size_t at = 0; at < sizeof(n); ++at) account.bytes[at] = static_cast<std::uint8_t>(n >> (8 * at));
  return account;
}

TEST(StreamUpgrade, NeedsAFreshTokenAndSpendsIt) {
  StreamWorld world;
  EXPECT_EQ(world.open("/v1/ws").status, 401);
  EXPECT_EQ(world.open("/v1/ws?token=abc").status, 401);
  const std::string token = world.token(world.alice);
  EXPECT_TRUE(world.open("/v1/ws?token=" + token).client);
  EXPECT_EQ(world.open("/v1/ws?token=" + token).status, 401) << "once";
  const std::string late = world.token(world.alice);
  world.clock.advance(limits::stream_token_lifetime_ms);
  EXPECT_EQ(world.open("/v1/ws?token=" + late).status, 401);
}

TEST(StreamUpgrade, AcceptsThePathsOfItsNetwork) {
  StreamWorld local;
  EXPECT_TRUE(local.open("/v1/ws?token=" + local.token(local.alice)).client);
  EXPECT_TRUE(local.open("/v1/stream").client);
  EXPECT_EQ(local.open("/stream").status, 404);
  EXPECT_EQ(local.open("/ws?token=" + local.token(local.alice)).status, 404);
  StreamWorld testnet({}, api::NetworkId::testnet);
  EXPECT_EQ(testnet.open("/stream").status, 404);
  EXPECT_TRUE(testnet.open("/v1/stream").client);
  EXPECT_EQ(testnet.open("/ws?token=" + testnet.token({})).status, 404);
  EXPECT_TRUE(testnet.open("/v1/ws?token=" + testnet.token({})).client);
}

TEST(StreamUpgrade, OfThePublicStreamChecksAGivenToken) {
  StreamWorld world;
  EXPECT_TRUE(world.open("/v1/stream?token=" + world.token(world.alice, StreamChannels::public_only)).client);
  EXPECT_EQ(world.open("/v1/stream?token=abc").status, 401);
}

TEST(StreamUpgrade, TheLogSaysWhyATokenWasRefused) {
  StreamWorld world;
  const auto rule_of = [&](const std::string& target) {
    EXPECT_EQ(world.open(target).status, 401) << target;
    return world.gateway.log().since().back().rule;
  };
  EXPECT_EQ(rule_of("/v1/ws"), "missing_credential");
  EXPECT_EQ(rule_of("/v1/ws?token=abc"), "unknown_stream_token");
  EXPECT_EQ(rule_of("/v1/stream?token=abc"), "unknown_stream_token");
}

TEST(StreamUpgrade, FiveConnectionsPerAddressAndTheTokenIsSpent) {
  StreamWorld world;
  std::vector<std::unique_ptr<Client>> open;
  for (std::size_t i = 0; i < limits::stream_connections_per_address; ++i) open.push_back(world.public_stream());
  const std::string token = world.token(world.alice);
  const auto refused = world.open("/v1/ws?token=" + token);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.code, "ws_conn_limit_exceeded");
  EXPECT_EQ(world.gateway.log().since().back().note,
            "The address has 5 stream connections, as many as it may have; the token is spent");
  EXPECT_EQ(world.open("/v1/ws?token=" + token, "127.0.0.2").status, 401);
  EXPECT_TRUE(world.account_stream(world.alice, "127.0.0.2")) << "another address has its own";
  open.back()->vanish();
  EXPECT_TRUE(world.public_stream()) << "whoever leaves makes room";
}

TEST(StreamUpgrade, AccountsHaveTheConnectionsOfTheirTier) {
  StreamWorld world;
  std::vector<std::unique_ptr<Client>> open;
  for (int i = 0; i < 5; ++i) open.push_back(world.account_stream(world.alice, "10.0.0." + std::to_string(i)));
  EXPECT_EQ(world.open("/v1/ws?token=" + world.token(world.alice), "10.0.0.9").status, 429);
  EXPECT_TRUE(world.account_stream(world.bob, "10.0.0.9"));
  world.set_tier(world.alice, api::Tier::market_maker);
  EXPECT_TRUE(world.account_stream(world.alice, "10.0.0.10"));
}

TEST(StreamUpgrade, AMarketMakerHasItsHundredConnectionsFromOneAddress) {
  StreamWorld world;
  world.set_tier(world.alice, api::Tier::market_maker);
  std::vector<std::unique_ptr<Client>> open;
  for (int i = 0; i < 100; ++i) {
    world.clock.advance(20);  // the address pays for each handshake
    open.push_back(world.account_stream(world.alice));
  }
  const auto one_more = world.open("/v1/ws?token=" + world.token(world.alice));
  EXPECT_EQ(one_more.code, "ws_conn_limit_exceeded");
  EXPECT_TRUE(world.account_stream(world.bob)) << "whoever else is there has the five of the address";
  open.clear();
}

TEST(StreamUpgrade, DisabledLimitsRefuseNobody) {
  SandboxOptions options;
  options.limits = {.multiplier = 0};
  StreamWorld world(options);
  std::vector<std::unique_ptr<Client>> open;
  for (int i = 0; i < 50; ++i) open.push_back(world.account_stream(world.alice));
  for (const auto& client : open) EXPECT_EQ(client->close_code(), std::nullopt);
}

TEST(StreamUpgrade, IsNotBlockedByAnOldVersion) {
  StreamWorld world;
  Client client("/v1/stream", "");
  api::HttpRequest request = client.request();
  request.headers.set("X-Svc-Api-Version", "v0.0.1");
  bool accepted = false;
  world.gateway.upgrade(
      std::move(request), client.head(), Peer{"127.0.0.1"},
      {.refuse = [](const api::HttpResponse&) {}, .accept = [&](const StreamOpened&) { accepted = true; }});
  EXPECT_TRUE(accepted);
}

TEST(StreamUpgrade, TellsThatTheVersionWillEnd) {
  StreamWorld world;
  const TimestampMs now_ms = world.clock.sandbox.now_ms();
  Gateway gateway(world.clock.sandbox,
                  {.versions = {.policy = {.deprecated_below = api::ApiVersion{0, 9, 0}},
                                .deprecated_since_ms = now_ms,
                                .sunset_ms = now_ms + hour_ms}},
                  {&world.exchange.network()});
  for (const bool is_old : {true, false}) {
    Client client("/v1/stream", "");
    client.stall();
    api::HttpRequest request = client.request();
    request.headers.set("X-Svc-Api-Version", is_old ? "0.8.9" : "0.9.0");
    gateway.upgrade(std::move(request), client.head(), Peer{"127.0.0.1"},
                    {.refuse = [](const api::HttpResponse&) { ADD_FAILURE(); },
                     .accept = [&](const StreamOpened& opened) { client.opened(opened); }});
    const std::string& answer = client.stream().waiting;
    for (const char* field : {"\r\nDeprecation: ", "\r\nSunset: ", "\r\nLink: "})
      EXPECT_EQ(answer.find(field) != std::string::npos, is_old) << answer;
  }
}

TEST(StreamUpgrade, APlainRequestIsToldToUpgrade) {
  StreamWorld world;
  for (const char* path : {"/v1/ws", "/v1/stream"}) {
    api::HttpResponse answer;
    world.gateway.handle({.method = "GET", .target = path, .headers = {{"Host", "localhost"}}, .body = ""},
                         Peer{"127.0.0.1"}, [&](api::HttpResponse response) { answer = std::move(response); });
    EXPECT_EQ(answer.status, 426);
    EXPECT_EQ(answer.headers.find("Upgrade"), "websocket");
  }
}

TEST(StreamUpgrade, WithAnInvalidHandshakeIsRefusedAndSpendsNoToken) {
  StreamWorld world;
  const std::string token = world.token(world.alice);
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
    world.gateway.upgrade(std::move(request), client.head(), Peer{"127.0.0.1"},
                          {.refuse = [&](api::HttpResponse response) { refused = std::move(response); },
                           .accept = [&](const StreamOpened&) { ADD_FAILURE() << row.what; }});
    EXPECT_EQ(refused.status, row.status) << row.what;
    EXPECT_EQ(refused.headers.contains(version), row.status == 426) << row.what;
  }
  EXPECT_TRUE(world.open("/v1/ws?token=" + token).client);
}

TEST(StreamSubscriptions, AreCountedOverAllConnectionsOfTheAccount) {
  StreamWorld world;
  const auto first = world.account_stream(world.alice);
  const auto second = world.account_stream(world.alice);
  const char* const intervals[] = {"1s", "1m", "5m", "1h"};
  std::vector<Json> frames;
  for (const engine::MarketSpec& spec : world.exchange.markets().specs()) {
    for (const char* channel : {"trades", "book", "ticker"}) frames.push_back(subscribe(channel, spec.id));
    for (const char* interval : intervals) {
      frames.push_back(subscribe("candles", spec.id));
      frames.back()["interval"] = interval;
    }
  }
  for (const char* channel : {"engine", "orders", "fills", "positions"}) frames.push_back(subscribe(channel));
  ASSERT_EQ(frames.size(), 25u) << "half of what Pro has";
  const auto say = [&](Client& client, const Json& frame) {
    world.machine.advance(100);
    client.say(frame);
    return client.heard().front();
  };
  for (const Json& frame : frames) {
    EXPECT_EQ(say(*first, frame)["op"], "subscribed");
    EXPECT_EQ(say(*second, frame)["op"], "subscribed");
  }
  EXPECT_EQ(say(*second, subscribe("balances"))["code"], "subscription_limit_exceeded");
  EXPECT_EQ(say(*second, frames.front())["op"], "subscribed") << "again, for nothing";
  world.set_tier(world.alice, api::Tier::market_maker);
  EXPECT_EQ(say(*second, subscribe("balances"))["op"], "subscribed") << "the account's present tier decides";
  world.set_tier(world.alice, api::default_tier);
  EXPECT_EQ(say(*second, {{"op", "unsubscribe"}, {"channel", "balances"}})["op"], "unsubscribed");
  EXPECT_EQ(say(*second, subscribe("balances"))["code"], "subscription_limit_exceeded");
  EXPECT_EQ(say(*first, {{"op", "unsubscribe"}, {"channel", "orders"}})["op"], "unsubscribed");
  EXPECT_EQ(say(*second, subscribe("balances"))["op"], "subscribed");
  first->vanish();
  EXPECT_EQ(say(*second, subscribe("liquidations"))["op"], "subscribed");
}

TEST(StreamSubscriptions, OfOneConnectionAreBoundedWhateverItsTier) {
  constexpr std::uint32_t no_ceiling = 0;
  StreamCensus census;
  const auto admitted = census.admit(std::nullopt, "10.0.0.1", {}, 0);
  ASSERT_TRUE(admitted);
  const auto seat = *admitted;
  for (std::size_t i = 0; i < limits::stream_subscriptions_max; ++i) ASSERT_TRUE(seat->add_subscription(no_ceiling));
  EXPECT_FALSE(seat->add_subscription(no_ceiling));
  seat->drop_subscription();
  EXPECT_TRUE(seat->add_subscription(no_ceiling));
}

TEST(StreamFlood, IsAnsweredWithAnErrorAndClosedWith1008) {
  StreamWorld world;
  const auto client = world.account_stream(world.alice);
  for (int i = 0; i < 20; ++i) client->say(subscribe("engine"));
  EXPECT_EQ(client->heard().size(), 20u) << "a burst of two seconds";
  world.machine.advance(99);
  client->say(subscribe("engine"));
  const auto heard = client->heard();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0]["op"], "error");
  EXPECT_EQ(heard[0]["code"], "frame_rate_exceeded");
  EXPECT_EQ(client->close_code(), api::ws_close::policy);
}

// D-1104
TEST(StreamFlood, FramesAreCountedOverAllConnectionsOfTheAccount) {
  StreamWorld world;
  const auto first = world.account_stream(world.alice);
  const auto second = world.account_stream(world.alice);
  const auto of_bob = world.account_stream(world.bob);
  for (int i = 0; i < 10; ++i) {
    first->say(subscribe("engine"));
    second->say(subscribe("engine"));
  }
  EXPECT_EQ(first->close_code(), std::nullopt);
  second->say(subscribe("engine"));
  EXPECT_EQ(second->heard("code", "frame_rate_exceeded").size(), 1u);
  EXPECT_EQ(second->close_code(), api::ws_close::policy);
  EXPECT_EQ(first->close_code(), std::nullopt) << "it sent nothing more";
  of_bob->say(subscribe("engine"));
  EXPECT_EQ(of_bob->close_code(), std::nullopt);
}

TEST(StreamFlood, ANewConnectionBringsNoNewBurst) {
  StreamWorld world;
  const auto first = world.account_stream(world.alice);
  for (int i = 0; i < 20; ++i) first->say(subscribe("engine"));
  EXPECT_EQ(first->close_code(), std::nullopt);
  first->vanish();
  const auto second = world.account_stream(world.alice);
  second->say(subscribe("engine"));
  EXPECT_EQ(second->close_code(), api::ws_close::policy);
  world.machine.advance(second_ms);
  const auto third = world.account_stream(world.alice);
  for (int i = 0; i < 10; ++i) third->say(subscribe("engine"));
  EXPECT_EQ(third->close_code(), std::nullopt) << "ten a second";
}

// D-1104
TEST(StreamFlood, OfTwoCeilingsTheLargestCountsAlsoAfterAQuietMoment) {
  StreamCensus census;
  const Address account = numbered_address(1);
  const auto larger = *census.admit(account, std::nullopt, {}, 0);
  const auto smaller = *census.admit(account, std::nullopt, {}, 0);
  EXPECT_FALSE(larger->count_frame(20, 0));
  const TimestampMs later = 10 * second_ms;
  for (int i = 0; i < 39; ++i) ASSERT_FALSE(smaller->count_frame(10, later)) << i;
  EXPECT_FALSE(larger->count_frame(20, later));
  EXPECT_EQ(smaller->count_frame(10, later), 20u);
  EXPECT_EQ(larger->count_frame(20, later), 20u);
}

TEST(StreamCensus, ForgetsIdleAccountsThatHaveTheirWholeBurst) {
  StreamCensus census;
  const auto admit = [&](std::uint32_t n, TimestampMs now_ms) {
    return *census.admit(numbered_address(n), std::nullopt, {}, now_ms);
  };
  const auto open = admit(0, 0);
  for (std::uint32_t n = 1; n < limits::stream_accounts_max; ++n) (void)admit(n, 0)->count_frame(10, 0);
  (void)admit(limits::stream_accounts_max, 0);
  EXPECT_GT(census.accounts(), limits::stream_accounts_max) << "a new connection brings no new burst";
  for (std::uint32_t n = 1; n <= limits::stream_accounts_max; ++n)
    (void)admit(limits::stream_accounts_max + n, second_ms);
  EXPECT_LE(census.accounts(), limits::stream_accounts_max + 1);
  EXPECT_TRUE(open->add_subscription(1)) << "its account is remembered";
}

TEST(StreamFlood, PingsAreFramesAsWell) {
  StreamWorld world;
  const auto client = world.account_stream(world.alice);
  for (int i = 0; i < 20; ++i) client->ask_for_pong();
  EXPECT_EQ(client->close_code(), std::nullopt);
  client->ask_for_pong();
  EXPECT_EQ(client->heard("code", "frame_rate_exceeded").size(), 1u);
  EXPECT_EQ(client->close_code(), api::ws_close::policy);
}

TEST(StreamFlood, OneMoreFramePassesForEachTenthOfASecond) {
  StreamWorld world;
  const auto client = world.account_stream(world.alice);
  for (int i = 0; i < 20; ++i) client->say(subscribe("engine"));
  // Of the machine's time: the sandbox's clock stands here, and a client pings all the same.
  for (int i = 0; i < 20; ++i) {
    world.machine.advance(100);
    client->say(subscribe("engine"));
  }
  EXPECT_EQ(client->heard().size(), 40u);
  EXPECT_FALSE(client->close_code());
}

struct StreamPeer : testing::Test {
  StreamWorld world;
};

TEST_F(StreamPeer, IsPingedAndDroppedWhenSilent) {
  const auto client = world.account_stream(world.alice);
  world.machine.advance(limits::stream_ping_ms - 1);
  world.exchange.streams().look_after();
  (void)client->heard();
  EXPECT_EQ(client->pings(), 0u);
  world.machine.advance(1);
  world.exchange.streams().look_after();
  (void)client->heard();
  EXPECT_EQ(client->pings(), 1u) << "answered, so it lives";
  client->stall();
  world.machine.advance(limits::stream_silence_ms_max - 1);
  world.exchange.streams().look_after();
  EXPECT_FALSE(client->stream().aborted);
  world.machine.advance(1);
  world.exchange.streams().look_after();
  EXPECT_TRUE(client->stream().aborted);
}

TEST_F(StreamPeer, IsNotDroppedBecauseTheSandboxsClockJumps) {
  const auto client = world.account_stream(world.alice);
  world.clock.advance(day_ms);
  world.exchange.streams().look_after();
  EXPECT_FALSE(client->stream().aborted);
}

// A revocation ends what the key or agent opened, and what it was about to open.
TEST_F(StreamPeer, LeavesWithTheCredentialThatAdmittedIt) {
  const Address agent = *parse_address("0x00000000000000000000000000000000000000a9");
  const MintedKey key = world.served(CreateKey{.account = world.alice});
  (void)world.served(RegisterAgent{
      .agent = agent, .account = world.alice, .expires_at_ms = world.clock.now_ms() + limits::agent_lifetime_min_ms});
  const auto mint = [&](const std::variant<Address, std::string>& by) {
    const StreamGrant grant{.account = world.alice, .by = {{.account = world.alice, .by = by}}};
    return "/v1/ws?token=" + std::string(world.served(MintStreamToken{.grant = grant}).reveal());
  };
  auto of_agent = world.open(mint(agent)).client;
  auto of_key = world.open(mint(key.id)).client;
  const std::string agents_next = mint(agent);
  const std::string keys_next = mint(key.id);
  (void)world.served(RevokeAgent{.account = world.alice, .agent = agent});
  EXPECT_EQ(world.open(agents_next).status, 401);
  (void)of_agent->heard();
  of_agent->say({{"op", "subscribe"}, {"channel", "balances"}});
  EXPECT_TRUE(of_agent->heard().empty()) << "the revocation was answered before";
  EXPECT_EQ(of_agent->close_code(), api::ws_close::policy);
  EXPECT_EQ(of_key->close_code(), std::nullopt);

  auto silent = world.open(mint(key.id)).client;
  of_key->say({{"op", "subscribe"}, {"channel", "orders"}});
  (void)of_key->heard();
  (void)world.served(DeleteKey{.account = world.alice, .id = key.id});
  EXPECT_EQ(world.open(keys_next).status, 401);
  world.limit(world.alice, engine::Side::buy, 1, 50'000);
  EXPECT_TRUE(of_key->heard().empty()) << "no event of after it is told";
  EXPECT_EQ(of_key->close_code(), api::ws_close::policy);
  world.exchange.streams().look_after();
  EXPECT_EQ(silent->close_code(), api::ws_close::policy);
}

// D-1110
TEST_F(StreamPeer, IsToldToComeBackWhenTheStateIsReplacedByOneWithoutItsKey) {
  const std::string before = world.exchange.image();
  const MintedKey key = world.served(CreateKey{.account = world.alice});
  const StreamGrant grant{.account = world.alice, .by = {{.account = world.alice, .by = key.id}}};
  const auto token = world.served(MintStreamToken{.grant = grant});
  auto peer = world.open("/v1/ws?token=" + std::string(token.reveal())).client;
  peer->say({{"op", "subscribe"}, {"channel", "orders"}});
  (void)peer->heard();
  EXPECT_EQ(peer->close_code(), std::nullopt);
  ASSERT_TRUE(world.exchange.become(before));
  world.exchange.streams().look_after();
  (void)peer->heard();
  EXPECT_EQ(peer->close_code(), api::ws_close::service_restart);
}

// D-916
TEST_F(StreamPeer, IsNotAdmittedByATokenOfAnAgentThatWasRevokedAndRegisteredAnew) {
  const Address agent = *parse_address("0x00000000000000000000000000000000000000a9");
  const RegisterAgent registration{
      .agent = agent, .account = world.alice, .expires_at_ms = world.clock.now_ms() + limits::agent_lifetime_min_ms};
  const auto mint = [&] {
    const StreamGrant grant{.account = world.alice, .by = {{.account = world.alice, .by = agent}}};
    return "/v1/ws?token=" + std::string(world.served(MintStreamToken{.grant = grant}).reveal());
  };
  (void)world.served(registration);
  const std::string before = mint();
  (void)world.served(RevokeAgent{.account = world.alice, .agent = agent});
  (void)world.served(registration);
  EXPECT_EQ(world.open(before).status, 401);
  EXPECT_EQ(world.open(mint()).status, 101);
}

TEST_F(StreamPeer, IsToldThatTheServerStops) {
  const auto client = world.account_stream(world.alice);
  client->server_stops();
  EXPECT_EQ(client->close_code(), api::ws_close::going_away);
}

TEST_F(StreamPeer, IsDroppedIfItDoesNotAnswerAClose) {
  const auto client = world.public_stream();
  client->stall();
  client->say({{"subscribe", {"gossip"}}});
  world.exchange.streams().look_after();
  EXPECT_FALSE(client->stream().aborted);
  world.machine.advance(limits::stream_close_ms);
  world.exchange.streams().look_after();
  EXPECT_TRUE(client->stream().aborted);
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
