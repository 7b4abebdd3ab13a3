#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

TEST(ControlSurface, StatusDescribesTheSandbox) {
  TestExchange exchange;
  exchange.machine.advance(1'500);
  const Json status = exchange.get("/_svc/status").body;
  EXPECT_EQ(status["url"], "http://127.0.0.1:9090");
  EXPECT_EQ(status["control"], "http://127.0.0.1:9090/_svc");
  EXPECT_EQ(status["network"], "local");
  EXPECT_EQ(status["deployment"], "svc-local");
  EXPECT_EQ(status["domain_name"], "Svc Exchange");
  EXPECT_EQ(status["seed"], 1);
  EXPECT_EQ(status["clock"], (Json{{"mode", "manual"}, {"rate", 0}, {"now_ms", test_start_ms}}));
  EXPECT_EQ(status["uptime_ms"], 1'500);
  EXPECT_EQ(status["sequence"], 11);  // the first prices and ten deposits
  EXPECT_EQ(status["state_hash"].get<std::string>().size(), 18u);
  EXPECT_EQ(status["accounts"].size(), 10u);
  EXPECT_EQ(status["accounts"][0]["balance"], "100000");
}

TEST(ControlSurface, EqualHistoriesHaveEqualStateHashes) {
  const auto hash_after = [](const char* price) {
    TestExchange exchange;
    const Trader trader(exchange, 0);
    (void)trader.limit("Buy", "0.1", price);
    return exchange.get("/_svc/status").body["state_hash"].get<std::string>();
  };
  EXPECT_EQ(hash_after("59000"), hash_after("59000"));
  EXPECT_NE(hash_after("59000"), hash_after("58000"));
}

TEST(ControlSurface, RefusesPagesThatUseTheirOwnHostName) {
  TestExchange exchange;
  EXPECT_EQ(exchange.send("GET", "/_svc/status", "", {{"Host", "localhost:9090"}}).status, 200);
  const Reply refused = exchange.send("GET", "/_svc/status", "", {{"Host", "evil.example"}});
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.code(), "forbidden");
}

TEST(ControlTime, MovesForwardAndReturnsTheNewTime) {
  TestExchange exchange;
  EXPECT_EQ(exchange.control("/time", {{"advance_ms", 5'000}}).body["now_ms"], test_start_ms + 5'000);
  EXPECT_EQ(exchange.control("/time", {{"set_ms", test_start_ms + 7'000}}).body["now_ms"], test_start_ms + 7'000);
  const Reply scaled = exchange.control("/time", {{"mode", "scaled"}, {"rate", 2.5}});
  EXPECT_EQ(scaled.body["mode"], "scaled");
  EXPECT_EQ(scaled.body["rate"], 2.5);
  exchange.machine.advance(1'000);
  EXPECT_EQ(exchange.get("/_svc/time").body["now_ms"], test_start_ms + 9'500);
  exchange.control("/time", {{"mode", "manual"}});
  exchange.machine.advance(1'000);
  EXPECT_EQ(exchange.get("/_svc/time").body["now_ms"], test_start_ms + 9'500);
}

TEST(ControlTime, IsAnsweredAtOnceWhenNoStreamHasAnythingToSend) {
  TestExchange exchange;
  const Reply moved = exchange.control("/time", {{"advance_ms", 1'000}, {"wait_streams", true}});
  EXPECT_EQ(moved.status, 200);
  EXPECT_EQ(moved.body["now_ms"], test_start_ms + 1'000);
}

TEST(ControlTime, RefusesInvalidBodies) {
  TestExchange exchange;
  const struct {
    const char* body;
    const char* message;
  } rows[] = {
      {"{}", "one of mode, advance_ms and set_ms is needed"},
      {R"({"advance_ms":1,"set_ms":2})", "advance_ms and set_ms exclude each other"},
      {R"({"advance_ms":-1})", "time cannot go back: advance_ms must not be negative"},
      {R"({"advance_ms":"1"})", "advance_ms: expected an integer of 64 bits"},
      {R"({"set_ms":1})", "time cannot go back: set_ms must not be before now (1700000000000)"},
      {R"({"mode":"fast"})", "mode: expected one of real, scaled, manual"},
      {R"({"mode":"scaled"})", "rate is a number from 0.000001 to 1000000"},
      {R"({"mode":"real","rate":2})", "rate goes with mode scaled only"},
      {R"({"mode":"scaled","rate":0})", "rate is a number from 0.000001 to 1000000"},
      {R"({"advance":1})", "unknown field advance"},
      {R"({"wait_streams":true})", "one of mode, advance_ms and set_ms is needed"},
      {R"({"advance_ms":1,"wait_streams":"yes"})", "wait_streams: expected true or false"},
  };
  for (const auto& row : rows) {
    const Reply reply = exchange.send("POST", "/_svc/time", row.body);
    EXPECT_EQ(reply.status, 400) << row.body;
    EXPECT_EQ(reply.code(), "invalid_json") << row.body;
    EXPECT_EQ(reply.body["message"], row.message) << row.body;
  }
  EXPECT_EQ(exchange.get("/_svc/time").body["now_ms"], test_start_ms);
}

TEST(ControlTime, GovernsTheAuthenticationWindow) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Reply before = trader.get("/orders");
  EXPECT_EQ(before.status, 200);
  // A client with its own clock signs with a stale time.
  const api::Headers stale{{"X-API-Key", trader.key_id()},
                           {"X-Timestamp", std::to_string(test_start_ms)},
                           {"X-Signature", std::string(64, '0')}};
  exchange.control("/time", {{"advance_ms", 31'000}});
  EXPECT_EQ(exchange.send("GET", "/orders", "", stale).status, 401);
  EXPECT_EQ(exchange.get("/_svc/requests?limit=1").body["requests"][0]["rule"], "timestamp_outside_window");
  EXPECT_EQ(trader.get("/orders").status, 200);
}

TEST(ControlPrices, AreOneOracleTick) {
  TestExchange exchange;
  const Json before = exchange.get("/_svc/time").body;
  const Reply reply = exchange.control("/prices", {{"BTC-USDX-PERP", "61000.5"}, {"SOL-USDX-PERP", 140}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body["sequence"], before["sequence"].get<std::uint64_t>() + 1);
  EXPECT_EQ(reply.body["prices"]["BTC-USDX-PERP"], "61000.5");
  EXPECT_EQ(exchange.get("/markets/BTC-USDX-PERP/mark-price").body["mark_price"], "61000.5");
  EXPECT_EQ(exchange.get("/markets/SOL-USDX-PERP/mark-price").body["mark_price"], "140");
  EXPECT_EQ(exchange.get("/markets/ETH-USDX-PERP/mark-price").body["mark_price"], "3000");
}

TEST(ControlPrices, AreAppliedTogetherOrNotAtAll) {
  TestExchange exchange;
  EXPECT_EQ(exchange.control("/prices", {{"BTC-USDX-PERP", "61000"}, {"NO-MARKET", "1"}}).code(), "UnknownMarket");
  EXPECT_EQ(exchange.control("/prices", {{"BTC-USDX-PERP", "61000"}, {"ETH-USDX-PERP", "3000.001"}}).body["message"],
            "price 3000.001 of ETH-USDX-PERP is not a multiple of the tick 0.01");
  for (const char* price : {"0", "-1", "99999999999", "abc"})
    EXPECT_EQ(exchange.control("/prices", {{"BTC-USDX-PERP", price}}).code(), "InvalidPrice") << price;
  EXPECT_EQ(exchange.control("/prices", Json::object()).status, 400);
  EXPECT_EQ(exchange.get("/markets/BTC-USDX-PERP/mark-price").body["mark_price"], "60000");
}

TEST(ControlFund, CreatesTheAccountAndKeepsTheLedgerExact) {
  TestExchange exchange;
  const std::string account = "0x" + std::string(40, 'a');
  EXPECT_EQ(exchange.control("/fund", {{"account", account}, {"amount", "12.5"}}).body["balance"], "12.5");
  EXPECT_EQ(exchange.control("/fund", {{"account", account}, {"amount", 1}}).body["balance"], "13.5");
  EXPECT_EQ(exchange.control("/fund", {{"account", "0x12"}, {"amount", "1"}}).status, 400);
  EXPECT_EQ(exchange.control("/fund", {{"account", account}, {"amount", "-1"}}).code(), "InvalidAmount");
  EXPECT_EQ(exchange.control("/insurance", {{"amount", "50"}}).body["insurance_fund"], "100050");
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(ControlMarkets, AHaltStopsOrdersNotCancelsUntilItIsResumed) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const std::string resting = trader.limit("Buy", "0.1", "59000")["id"];
  const Reply halted = exchange.control("/markets/BTC-USDX-PERP/halt", {{"reason", "maintenance"}});
  ASSERT_EQ(halted.status, 200) << halted.body;
  EXPECT_EQ(halted.body["status"], "halted");
  const Json status = exchange.get("/markets/BTC-USDX-PERP/status").body;
  EXPECT_EQ(status["status"], "halted");
  EXPECT_EQ(status["halt_reason"], "maintenance");
  EXPECT_EQ(status["halted_at"], test_start_ms);
  EXPECT_EQ(trader.post("/orders", limit_order("Buy", "0.1", "59000")).code(), "MarketHalted");
  EXPECT_EQ(trader.patch("/orders/" + resting, {{"price", "58000"}}).status, 409);
  EXPECT_EQ(trader.del("/orders/" + resting).status, 200);
  EXPECT_EQ(trader.post("/orders", limit_order("Buy", "1", "2900", "ETH-USDX-PERP")).status, 201);

  EXPECT_EQ(exchange.control("/markets/BTC-USDX-PERP/resume", Json::object()).body["status"], "active");
  EXPECT_EQ(exchange.control("/markets/BTC-USDX-PERP/resume", Json::object()).code(), "MarketNotHalted");
  EXPECT_EQ(trader.post("/orders", limit_order("Buy", "0.1", "59000")).status, 201);
}

TEST(ControlMarkets, ASettlementClosesEveryPositionAtItsPrice) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Buy", "0.1", "60000");
  (void)bob.limit("Sell", "0.1", "60000");
  ASSERT_EQ(exchange.control("/markets/BTC-USDX-PERP/halt", {{"reason", "delisting"}}).status, 200);
  const Reply settled = exchange.control("/markets/BTC-USDX-PERP/settle", {{"price", "61000"}});
  ASSERT_EQ(settled.status, 200) << settled.body;
  EXPECT_EQ(settled.body["status"], "delisted");
  EXPECT_EQ(alice.get("/positions").body, Json::array());
  EXPECT_EQ(alice.get("/account").body["balance"], "100101.2");
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(ControlMarkets, RefuseUnknownMarketsAndInvalidBodies) {
  TestExchange exchange;
  EXPECT_EQ(exchange.control("/markets/NO-MARKET/halt", {{"reason", "x"}}).code(), "UnknownMarket");
  EXPECT_EQ(exchange.control("/markets/BTC-USDX-PERP/halt", Json::object()).status, 400);
  EXPECT_EQ(exchange.control("/markets/BTC-USDX-PERP/halt", {{"reason", ""}}).status, 400);
  EXPECT_EQ(exchange.control("/markets/BTC-USDX-PERP/settle", {{"price", "0.3"}}).code(), "InvalidTickSize");
  EXPECT_EQ(exchange.control("/markets/a/b/halt", {{"reason", "x"}}).status, 404);
  EXPECT_EQ(exchange.get("/_svc/markets/BTC-USDX-PERP/halt").status, 405);
}

TEST(ControlRequests, ShowTheReasonForARefusalAndNoSecrets) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  (void)trader.post("/orders", limit_order("Buy", "0.1", "60000.1"));
  const Json entries = exchange.get("/_svc/requests").body["requests"];
  ASSERT_EQ(entries.size(), 3u);  // login, key, order; the control surface does not log itself
  EXPECT_EQ(entries[2]["operation"], "place_order");
  EXPECT_EQ(entries[2]["credential"], "hmac");
  EXPECT_EQ(entries[2]["account"], trader.account());
  EXPECT_EQ(entries[2]["status"], 400);
  EXPECT_EQ(entries[2]["code"], "InvalidTickSize");
  EXPECT_EQ(exchange.get("/_svc/requests?after=2").body["requests"].size(), 1u);
  EXPECT_EQ(exchange.get("/_svc/requests?limit=1").body["requests"][0]["number"], 3);
  EXPECT_EQ(exchange.get("/_svc/requests?after=x").code(), "invalid_parameter");
  EXPECT_EQ(exchange.get("/_svc/requests").body.dump().find(trader.session()), std::string::npos);
}

TEST(ControlSurface, RefusesStrangersUnknownPathsAndWrongMethods) {
  TestExchange exchange;
  const api::HttpRequest status{.method = "GET", .target = "/_svc/status", .headers = {}, .body = {}};
  EXPECT_EQ(exchange.sandbox.handle(status, "192.0.2.7").status, 403);
  EXPECT_EQ(exchange.get("/_svc/nothing").status, 404);
  EXPECT_EQ(exchange.get("/_svc").status, 404);
  const Reply wrong = exchange.get("/_svc/fund");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.find("Allow"), "POST");
}

TEST(ControlSurface, ExistsOnEveryNetworkAtTheHostRoot) {
  for (const api::NetworkId network : {api::NetworkId::testnet, api::NetworkId::mainnet}) {
    SandboxOptions options = test_options();
    options.network = network;
    TestExchange exchange(std::move(options));
    EXPECT_EQ(exchange.get("/_svc/status").status, 200);
    EXPECT_EQ(exchange.get("/v1/_svc/status").status, 404);
    EXPECT_EQ(exchange.get("/markets").status, 404);
    EXPECT_EQ(exchange.get("/v1/markets").status, 200);
  }
}

}  // namespace SVC_FILE
}  // namespace svc::sim
