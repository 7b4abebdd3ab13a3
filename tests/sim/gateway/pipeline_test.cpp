// The stages common to all operations: host, version, size, headers, log.
#include "signing/key.h"
#include "sim/gateway/memory_venue.h"
#include "sim/gateway/world.h"

namespace svc::sim {
namespace SVC_FILE {

TEST_F(GatewayTest, TheHostChoosesTheNetwork) {
  EXPECT_EQ(status_at("localhost", "/tickers"), 200);
  EXPECT_EQ(last().network, "local");
  EXPECT_EQ(status_at("LOCALHOST:9090", "/tickers"), 200);
  EXPECT_EQ(status_at("localhost.", "/tickers"), 200);
  EXPECT_EQ(status_at("[::1]:9090", "/tickers"), 200);
  EXPECT_EQ(status_at("testnet.localhost:9090", "/tickers"), 404);  // bare root
  EXPECT_EQ(status_at("testnet.localhost:9090", "/v1/tickers"), 200);
  EXPECT_EQ(last().network, "testnet");
}

TEST_F(GatewayTest, NoMethodFindsAStreamAtTheBareRoot) {
  for (const char* method : {"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
    for (const char* path : {"/ws", "/stream"}) EXPECT_EQ(send({method, path, {}, {}}).status, 404) << method << path;
  EXPECT_EQ(send({"POST", "/v1/stream", {}, {}}).status, 405);
}

TEST_F(GatewayTest, AnUnknownHostIsRefusedIfSeveralNetworksAreServed) {
  EXPECT_EQ(status_at("example.org", "/tickers"), 404);
  EXPECT_EQ(last().rule, "unknown_host");
  EXPECT_EQ(status_at("evil-localhost", "/tickers"), 404);
  HttpRequest twice = get("/tickers", {{"Host", "localhost"}, {"Host", "testnet.localhost"}});
  EXPECT_EQ(send(std::move(twice)).status, 404);
}

TEST_F(GatewayTest, ALoneNetworkMayAnswerToEveryHost) {
  NetworkInstance any{network_settings(NetworkId::local)};
  networks = {&any};
  any.handlers.bind<ops::ListTickers>(
      [](RequestContext&, const api::Empty&) -> Answer<ops::ListTickers> { return ResponseOf<ops::ListTickers>{}; });
  rebuild();
  EXPECT_EQ(status_at("anything.example", "/tickers"), 200);
  EXPECT_EQ(status_at("", "/tickers"), 200);
}

TEST_F(GatewayTest, TheRetiredBaseIsGone) {
  EXPECT_EQ(status_at("legacy.localhost:9090", "/v1/tickers"), 410);
  EXPECT_EQ(status_at("localhost", "/legacy/tickers"), 410);
  EXPECT_EQ(status_at("localhost", "/legacy"), 410);
  EXPECT_EQ(status_at("localhost", "/legacyx"), 404);
  EXPECT_EQ(send(get("/legacy/x")).body, R"({"code":"gone","message":"This base is retired"})");
}

TEST_F(GatewayTest, CredentialsOfOneNetworkAreUnknownOnAnother) {
  const auto minted = mint(local);
  EXPECT_EQ(send(signed_read(local, minted)).status, 200);
  HttpRequest elsewhere = signed_read(testnet, minted);
  elsewhere.target = "/v1/orders";
  const HttpResponse refused = send(std::move(elsewhere));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.body, R"({"code":"unauthorized"})");
  EXPECT_EQ(last().rule, "unknown_key");
}

TEST_F(GatewayTest, ASecretInPlaceOfAKeyIdIsNotLogged) {
  HttpRequest swapped = signed_read(local, mint(local));
  const std::string secret(64, 'a');
  swapped.headers.set("X-API-Key", secret);
  EXPECT_EQ(send(std::move(swapped)).status, 401);
  EXPECT_EQ(last().rule, "unknown_key");
  EXPECT_EQ(last().note.value_or("").find(secret), std::string::npos);
}

// The log decides about an order, so that a node of several may pass it on while it shows less than another one.
// (D-1150)
TEST_F(GatewayTest, OnlyAnOrderByAGenuineKeyPassesANodeThatMayNotBeCurrent) {
  int asked = 0;
  bool hears_writer = true;
  local.is_current = [&] { return ++asked < 0; };
  local.hears_writer = [&] { return hears_writer; };
  int placed = 0;
  local.handlers.bind<ops::PlaceOrder>([&](RequestContext&, const api::OrderRequest&) -> Answer<ops::PlaceOrder> {
    ++placed;
    return ResponseOf<ops::PlaceOrder>{};
  });
  const auto minted = mint(local);
  const std::string body =
      R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Market","quantity":"1","time_in_force":"IOC"})";
  const auto order = [&](const MintedKey& key) { return signed_request(local, key, "POST", "/orders", body); };
  EXPECT_EQ(send(order(minted)).status, 201);
  EXPECT_EQ(asked, 0);

  HttpRequest forged = order(minted);
  forged.body = body + ' ';
  HttpRequest by_agent = order(minted);
  by_agent.headers.add("X-Agent", to_string(alice));
  HttpRequest with_action = order(minted);
  with_action.headers.add("X-Action-Signature", "0x00");
  const std::vector<HttpRequest> others{order({.id = "svc_0123456789abcdef", .secret = minted.secret}),
                                        forged,
                                        by_agent,
                                        with_action,
                                        signed_read(local, minted),
                                        signed_request(local, minted, "POST", "/orders/preview", body)};
  for (const HttpRequest& other : others) {
    EXPECT_EQ(send(other).status, 503) << other.target;
    EXPECT_EQ(last().rule, "not_current");
  }
  EXPECT_EQ(asked, static_cast<int>(others.size()));
  hears_writer = false;
  EXPECT_EQ(send(order(minted)).status, 503);
  EXPECT_EQ(placed, 1);
}

TEST_F(GatewayTest, UnknownPathsAreNotFoundInTheEnvelopeOfTheirArea) {
  EXPECT_EQ(send(get("/nothing")).body, R"({"code":"not_found","message":"No operation has this path"})");
  for (const char* path : {"/api/v1/bridge/nothing", "/v1/api/v1/bridge/nothing"})
    EXPECT_EQ(send(get(path)).body, R"({"error":{"code":"not_found","message":"No operation has this path"}})") << path;
  EXPECT_EQ(last().rule, "unknown_path");
}

TEST_F(GatewayTest, HeadIsAnsweredLikeGet) {
  HttpRequest request = get("/tickers");
  request.method = "HEAD";
  EXPECT_EQ(send(std::move(request)).status, 200);
}

TEST_F(GatewayTest, VersionsBelowTheMinimumAreRefusedWithUpgradeInstructions) {
  for (const char* version : {"0.7.9", "v0.7.9", "0.7.99-rc.1", "0.7.0+build"}) {
    const HttpResponse refused = send(get("/tickers", {{"X-Svc-Api-Version", version}}));
    EXPECT_EQ(refused.status, 426) << version;
    EXPECT_EQ(refused.headers.find("X-Svc-Api-Min-Version"), "0.8.0");
  }
  EXPECT_EQ(
      send(get("/tickers", {{"x-svc-api-version", "0.7.9"}})).body,
      R"({"code":"api_version_unsupported","message":"API version 0.7.9 is no longer served; the minimum is 0.8.0",)"
      R"("min_version":"0.8.0","current_version":"0.9.0","spec_url":"http://localhost:9090/openapi.json",)"
      R"("docs_url":"http://localhost:9090/llms.txt"})");
  EXPECT_EQ(last().rule, "version");
}

TEST_F(GatewayTest, AcceptableAbsentAndUnreadableVersionsPass) {
  for (const char* version :
       {"0.8.0", "v0.8.0", "0.8.0-alpha", "0.9.0", "1.0.0", "latest", "0.7", "", "0.7.9.1", "-0.7.0"})
    EXPECT_EQ(send(get("/tickers", {{"X-Svc-Api-Version", version}})).status, 200) << version;
  EXPECT_EQ(send(get("/tickers")).status, 200);
}

TEST_F(GatewayTest, TheVersionIsCheckedBeforeAnythingIsSpent) {
  for (int i = 0; i < 60; ++i) EXPECT_EQ(send(get("/tickers", {{"X-Svc-Api-Version", "0.1.0"}})).status, 426);
  EXPECT_EQ(send(get("/tickers")).status, 200);
  EXPECT_EQ(send(get("/nothing", {{"X-Svc-Api-Version", "0.1.0"}})).status, 404);
}

TEST_F(GatewayTest, DiscoveryPreflightAndUpgradesAreNeverBlockedByVersion) {
  local.serve_document("/openapi.json", document("{}", "application/json"));
  const api::Headers old{{"X-Svc-Api-Version", "0.1.0"}};
  EXPECT_EQ(send(get("/metadata", old)).status, 200);
  EXPECT_EQ(send(get("/v1/metadata", old)).status, 200);
  EXPECT_EQ(send(get("/openapi.json", old)).status, 200);
  HttpRequest preflight = get("/orders", old);
  preflight.method = "OPTIONS";
  EXPECT_EQ(send(std::move(preflight)).status, 204);
  HttpRequest upgrade = get("/v1/stream", old);
  upgrade.headers.add("Upgrade", "WebSocket");
  EXPECT_NE(send(std::move(upgrade)).status, 426);
  EXPECT_EQ(send(get("/v1/stream", old)).status, 426);
}

TEST_F(GatewayTest, DeprecatedVersionsAreServedWithNoticeUntilTheirSunset) {
  options.versions.policy.deprecated_below = api::ApiVersion{0, 9, 0};
  options.versions.deprecated_since_ms = 1'688'169'599'000;
  options.versions.sunset_ms = start_ms + day_ms;  // 2023-11-15
  options.versions.docs_url = "https://docs.example/versioning";
  rebuild();
  const HttpResponse noticed = send(get("/tickers", {{"X-Svc-Api-Version", "0.8.5"}}));
  EXPECT_EQ(noticed.status, 200);
  EXPECT_EQ(noticed.headers.find("Deprecation"), "@1688169599");
  EXPECT_EQ(noticed.headers.find("Sunset"), "Wed, 15 Nov 2023 22:13:20 GMT");
  EXPECT_EQ(noticed.headers.find("Link"), "<https://docs.example/versioning>; rel=\"deprecation\"");
  EXPECT_FALSE(send(get("/tickers", {{"X-Svc-Api-Version", "0.9.0"}})).headers.contains("Deprecation"));
  EXPECT_FALSE(send(get("/tickers")).headers.contains("Deprecation"));
  clock.advance(day_ms);
  const HttpResponse refused = send(get("/tickers", {{"X-Svc-Api-Version", "0.8.5"}}));
  EXPECT_EQ(refused.status, 426);
  EXPECT_EQ(refused.headers.find("X-Svc-Api-Min-Version"), "0.9.0");
}

TEST_F(GatewayTest, BodiesBeyondTheLimitAreRefusedBeforeTheyAreRead) {
  options.body_bytes_max = 10;
  rebuild();
  HttpRequest request{"POST", "/auth/login", {}, std::string(10, ' ')};
  EXPECT_EQ(send(request).status, 501);
  request.body += ' ';
  const HttpResponse refused = send(request);
  EXPECT_EQ(refused.status, 413);
  EXPECT_NE(refused.body.find("\"body_too_large\""), std::string::npos);
}

TEST_F(GatewayTest, NestingBeyondTheLimitIsABrokenBody) {
  const auto nested = [&](std::size_t depth) {
    return HttpRequest{"POST", "/auth/login", {}, std::string(depth, '[') + std::string(depth, ']')};
  };
  EXPECT_EQ(send(nested(limits::record_json_depth_max)).status, 501);
  EXPECT_EQ(send(nested(limits::record_json_depth_max + 1)).status, 400);
}

TEST_F(GatewayTest, PagesOfEveryOriginMayCall) {
  HttpRequest preflight =
      get("/orders", {{"Origin", "https://app.example"}, {"Access-Control-Request-Method", "POST"}});
  preflight.method = "OPTIONS";
  const HttpResponse allowed = send(std::move(preflight));
  EXPECT_EQ(allowed.status, 204);
  EXPECT_EQ(allowed.body, "");
  EXPECT_EQ(allowed.headers.find("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(allowed.headers.find("Access-Control-Allow-Methods"), "OPTIONS, GET, HEAD, POST, DELETE");
  for (const char* name : {"X-Action-Signature", "If-None-Match", "User-Agent"})
    EXPECT_NE(allowed.headers.find("Access-Control-Allow-Headers")->find(name), std::string::npos) << name;

  const HttpResponse read = send(get("/tickers", {{"Origin", "https://app.example"}}));
  EXPECT_EQ(read.headers.find("Access-Control-Allow-Origin"), "*");
  EXPECT_NE(read.headers.find("Access-Control-Expose-Headers")->find("X-RateLimit-Remaining"), std::string::npos);
  EXPECT_TRUE(
      send(get("/orders", {{"Origin", "https://app.example"}})).headers.contains("Access-Control-Allow-Origin"));
  EXPECT_FALSE(send(get("/tickers")).headers.contains("Access-Control-Allow-Origin"));
}

TEST_F(GatewayTest, PreflightOfAnUnknownPathIsNotFound) {
  HttpRequest preflight = get("/nothing");
  preflight.method = "OPTIONS";
  EXPECT_EQ(send(std::move(preflight)).status, 404);
}

TEST_F(GatewayTest, TheLogShowsTheReasonAndNoSecrets) {
  const auto minted = mint(local);
  HttpRequest stale = signed_read(local, minted);
  stale.target += "?token=hidden";
  clock.advance(31'000);
  EXPECT_EQ(send(stale).status, 401);
  const RequestLogEntry entry = last();
  EXPECT_EQ(entry.method, "GET");
  EXPECT_EQ(entry.path, "/orders");
  EXPECT_EQ(entry.operation, "list_orders");
  EXPECT_EQ(entry.status, 401);
  EXPECT_EQ(entry.code, "unauthorized");
  EXPECT_EQ(entry.rule, "timestamp_outside_window");
  EXPECT_EQ(entry.note, "31000 ms behind the server; unknown query parameters: token");
  for (const std::string& text : {entry.path, entry.note.value_or(""), entry.rule.value_or(""),
                                  entry.account.value_or(""), entry.operation.value_or("")}) {
    EXPECT_EQ(text.find(minted.secret.reveal()), std::string::npos);
    EXPECT_EQ(text.find("hidden"), std::string::npos);
  }
}

TEST_F(GatewayTest, TheLogShowsWhoPaidWhat) {
  const auto minted = mint(local);
  EXPECT_EQ(send(signed_read(local, minted)).status, 200);
  EXPECT_EQ(last().credential, "hmac");
  EXPECT_EQ(last().account, to_string(alice));
  EXPECT_EQ(last().bucket, "key");
  EXPECT_EQ(last().cost, 1u);
  EXPECT_EQ(last().rule, std::nullopt);
}

TEST_F(GatewayTest, DocumentsAreServedAtTheRootAndUnderTheBase) {
  testnet.serve_document("/llms.txt", document("hello", "text/plain"));
  for (const char* path : {"/llms.txt", "/v1/llms.txt"}) {
    const HttpResponse response = send(get(path, {{"Host", "testnet.localhost"}}));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "hello");
    EXPECT_EQ(response.headers.find("Content-Type"), "text/plain");
  }
}

TEST_F(GatewayTest, DocumentsAreServedBesideMetadataAndAcceptOnlyGet) {
  for (NetworkInstance* network : {&local, &testnet})
    network->serve_document("/llms.txt", document("hello", "text/plain"));
  for (const char* host : {"localhost", "testnet.localhost"}) {
    for (const std::string base : {"", "/v1", "/indexer", "/v2"})
      EXPECT_EQ(status_at(host, base + "/llms.txt"), status_at(host, base + "/metadata")) << host << base;
  }
  EXPECT_EQ(send({"POST", "/llms.txt", {}, {}}).status, 405);
  EXPECT_EQ(send(get("/openapi.json")).status, 404);
}

TEST_F(GatewayTest, AWriteIsDurableBeforeItsAnswerAndAReadDoesNotWait) {
  NetworkSettings settings = network_settings(NetworkId::local, {"localhost"});
  settings.admin_secret = Secret("operator");
  NetworkInstance network(settings);
  MemoryVenue venue(network, clock);
  bind_account(network.handlers);
  networks = {&network};
  rebuild();
  const api::Headers headers{{"Authorization", "Bearer operator"}};
  const std::string body = R"({"address":"0x00000000000000000000000000000000000000A1","tier":"marketmaker"})";
  EXPECT_EQ(send({"GET", "/admin/tiers", headers, ""}).status, 200);
  EXPECT_EQ(venue.log.last_position(), 0u);
  EXPECT_EQ(send({"PUT", "/admin/tiers", headers, body}).status, 200);
  EXPECT_EQ(venue.log.last_position(), 1u);
  venue.log.takes = false;
  EXPECT_EQ(send({"DELETE", "/admin/tiers/" + to_string(alice), headers, ""}).status, 503);
  EXPECT_EQ(send({"PUT", "/admin/tiers", headers, body}).status, 503);
  EXPECT_EQ(send({"GET", "/admin/tiers", headers, ""}).status, 200);
  EXPECT_EQ(network.services.look()->tiers.of(alice), api::Tier::market_maker) << "what was refused did not happen";
}

struct NoncesTest : GatewayTest {
  signing::PrivateKey agent = *signing::PrivateKey::from_hex(std::string(64, '2'));
  MemoryVenue venue{local, clock};

  void SetUp() override {
    GatewayTest::SetUp();
    (void)served(local.services,
                 RegisterAgent{.agent = agent.address(), .account = alice, .expires_at_ms = start_ms + day_ms},
                 start_ms);
  }

  // A write that no handler answers.
  HttpResponse cancel_all(std::uint64_t nonce) {
    const std::string text =
        signing::agent_canonical({.method = "DELETE", .path = "/orders", .query = {}, .body = {}}, start_ms, nonce);
    return send({"DELETE",
                 "/orders",
                 {{"X-Agent", to_string(agent.address())},
                  {"X-Timestamp", std::to_string(start_ms)},
                  {"X-Nonce", std::to_string(nonce)},
                  {"X-Signature", to_string(agent.sign(signing::agent_request_digest(text)))}},
                 {}});
  }

  std::optional<std::uint64_t> highest() const {
    return local.services.look()->nonces.highest(NonceSequence::requests, agent.address());
  }
};

TEST_F(NoncesTest, OfARequestWithoutACommandAreSpentAloneBeforeItsAnswer) {
  EXPECT_EQ(cancel_all(7).status, 501);
  EXPECT_EQ(venue.log.last_position(), 1u);
  EXPECT_EQ(highest(), 7u);
  EXPECT_EQ(cancel_all(7).status, 401);
  EXPECT_EQ(last().rule, "nonce_not_increasing");
  EXPECT_EQ(venue.log.last_position(), 1u) << "a nonce that is known to be old is not logged";
}

TEST_F(NoncesTest, ThatCannotBeLoggedAreNotSpent) {
  venue.log.takes = false;
  EXPECT_EQ(cancel_all(7).status, 503);
  EXPECT_EQ(highest(), std::nullopt);
  venue.log.takes = true;
  EXPECT_EQ(cancel_all(7).status, 501);
}

// Between the check of a request and its command another request may spend the nonce.
TEST_F(NoncesTest, AreSpentWithTheCommandOfTheirRequestWhichHappensOnlyIfTheyAreFresh) {
  bool overtaken = false;
  local.handlers.bind<ops::CancelAllOrders>(
      [&](RequestContext& context, const ops::CancelAllOrders::Request&) -> Answer<ops::CancelAllOrders> {
        if (overtaken) {
          EXPECT_TRUE(context.venue().sequencer.submit(Unit{.nonces = context.nonces}));
        }
        SVC_TRY(serve(context, FreezeAccount{.account = alice}));
        EXPECT_TRUE(context.nonces.empty()) << "they go with the first command";
        return ResponseOf<ops::CancelAllOrders>{};
      });
  overtaken = true;
  EXPECT_EQ(cancel_all(7).status, 401);
  EXPECT_EQ(last().rule, "nonce_not_increasing");
  EXPECT_FALSE(local.services.look()->switches.is_frozen(alice));
  overtaken = false;
  EXPECT_EQ(cancel_all(8).status, 200);
  EXPECT_TRUE(local.services.look()->switches.is_frozen(alice));
  EXPECT_EQ(venue.log.last_position(), 3u);
}

TEST_F(GatewayTest, UnknownFieldsAreIgnoredAndLoggedIfSwitchedOn) {
  NetworkSettings settings = network_settings(NetworkId::local, {"localhost"});
  settings.admin_secret = Secret("operator");
  NetworkInstance network(settings);
  network.handlers.bind<ops::SetTier>(
      [](RequestContext&, const api::TierOverride& change) -> Answer<ops::SetTier> { return change; });
  networks = {&network};
  options.unknown_fields = UnknownFields::accept;
  rebuild();
  const std::string body =
      R"({"address":"0x00000000000000000000000000000000000000A1","tier":"marketmaker","colour":"red"})";
  const HttpResponse response = send({"PUT", "/admin/tiers", {{"Authorization", "Bearer operator"}}, body});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"address":"0x00000000000000000000000000000000000000a1","tier":"MarketMaker"})");
  EXPECT_EQ(last().note, "ignored unknown fields: colour");
  EXPECT_EQ(last().credential, "admin");
  options.unknown_fields = UnknownFields::refuse;
  rebuild();
  EXPECT_EQ(send({"PUT", "/admin/tiers", {{"Authorization", "Bearer operator"}}, body}).status, 400);
}

TEST_F(GatewayTest, AnActionThatTheBodyCannotFormIsExplainedToItsCaller) {
  const auto minted = mint(local);
  HttpRequest request = signed_request(local, minted, "POST", "/orders", R"({"market_id":7})");
  const api::Headers with_action{{"X-Action-Signature", "0x" + std::string(128, '1') + "1b"},
                                 {"X-Action-Timestamp", std::to_string(start_ms)},
                                 {"X-Action-Nonce", "1"}};
  for (const api::Header& field : with_action) request.headers.add(field.name, field.value);
  const HttpResponse refused = send(std::move(request));
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("\"error\":\"invalid_json\""), std::string::npos) << refused.body;
  EXPECT_EQ(last().rule, "action_not_formed");
  EXPECT_EQ(last().cost, 1u);

  HttpRequest cancel = signed_request(local, minted, "DELETE", "/orders?market_id=");
  for (const api::Header& field : with_action) cancel.headers.add(field.name, field.value);
  const HttpResponse unformed = send(std::move(cancel));
  EXPECT_NE(unformed.body.find("\"invalid_parameter\""), std::string::npos) << unformed.body;

  HttpRequest amend = signed_request(local, minted, "PATCH",
                                     "/orders/00010000-0000-4000-8000-000000000001?market_id=", R"({"price":"1"})");
  for (const api::Header& field : with_action) amend.headers.add(field.name, field.value);
  const HttpResponse of_query = send(std::move(amend));
  EXPECT_NE(of_query.body.find("\"invalid_parameter\""), std::string::npos) << of_query.body;
}

TEST_F(GatewayTest, MalformedHttpIsRefusedWithErrorsOfTheCatalogue) {
  const HttpResponse refused = Gateway::refuse(TransportRefusal::header_too_large);
  EXPECT_EQ(refused.status, 431);
  EXPECT_NE(refused.body.find("\"header_too_large\""), std::string::npos);
  EXPECT_EQ(Gateway::refuse(TransportRefusal::body_too_large).status, 413);
  EXPECT_EQ(Gateway::refuse(TransportRefusal::no_reply).status, 500);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
