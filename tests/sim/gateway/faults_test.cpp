// Faults that the sandbox's user configures, as a client sees them.
#include <gtest/gtest.h>

#include "sim/gateway/coverage.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

Json last_request(TestExchange& exchange) {
  return exchange.get("/_svc/requests").body["requests"].back();
}

struct Faults : testing::Test {
  TestExchange exchange;
};

TEST_F(Faults, AnErrorHasTheFormOfItsOperation) {
  const Trader alice(exchange, 0);
  const Reply set = exchange.control("/faults", {{"code", "INTERNAL_ERROR"}, {"route", "/orders"}, {"count", 1}});
  ASSERT_EQ(set.status, 200) << set.body;
  EXPECT_EQ(set.body,
            Json::parse(R"({"id":1,"route":"/orders","code":"INTERNAL_ERROR","status":500,"count":1,"hits":0})"));
  const Reply refused = alice.post("/orders", limit_order("Buy", "0.1", "59000"));
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(refused.body["code"], "INTERNAL_ERROR");
  EXPECT_EQ(refused.body["error"], "INTERNAL_ERROR");  // the envelope of orders
  EXPECT_EQ(last_request(exchange)["rule"], "fault");
  EXPECT_EQ(last_request(exchange)["note"], "fault 1: answered before it was handled");
  EXPECT_EQ(alice.get("/orders").body, Json::array());
  EXPECT_EQ(alice.post("/orders", limit_order("Buy", "0.1", "59000")).status, 201);  // once only
}

TEST_F(Faults, AStatusIsThatOfTheRuleElseThatOfTheOperation) {
  const Trader alice(exchange, 0);
  const std::string order = "/orders/" + std::string(alice.limit("Buy", "0.1", "59000")["id"]);
  Json rule{{"code", "MarketHalted"}, {"operation", "amend_order"}, {"count", 1}};
  EXPECT_EQ(exchange.control("/faults", rule).body["status"], 409);
  EXPECT_EQ(alice.patch(order, {{"price", "58000"}}).status, 409);
  rule["status"] = 400;  // that of other operations
  EXPECT_EQ(exchange.control("/faults", rule).body["status"], 400);
  EXPECT_EQ(alice.patch(order, {{"price", "58000"}}).status, 400);
}

TEST_F(Faults, FailClosedReadsAnswerOnlyTheirCode) {
  const Trader alice(exchange, 0);
  exchange.control("/faults", {{"code", "authoritative_margin_unavailable"}, {"route", "/account/s*"}});
  for (const char* path : {"/account/summary", "/api/v1/account/summary"}) {
    const Reply reply = alice.get(path);
    EXPECT_EQ(reply.status, 502);
    EXPECT_EQ(reply.body, Json::parse(R"({"code":"authoritative_margin_unavailable"})"));
  }
  EXPECT_EQ(alice.get("/account").status, 200);
}

TEST_F(Faults, AJurisdictionRefusalNamesItsReasonInTheHeaderAndSparesCancels) {
  const Trader alice(exchange, 0);
  const std::string id = alice.limit("Buy", "0.1", "59000")["id"];
  exchange.control("/faults", {{"code", "US_RESTRICTED"}});
  const Reply refused = alice.post("/orders", limit_order("Buy", "0.1", "59000"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.code(), "US_RESTRICTED");
  EXPECT_EQ(refused.headers.find("x-svc-block-reason"), "US_RESTRICTED");
  EXPECT_EQ(alice.get("/orders").status, 200);
  EXPECT_EQ(alice.del("/orders/" + id).status, 200);
}

TEST_F(Faults, ARefusedVersionSparesDiscovery) {
  exchange.control("/faults", {{"code", "api_version_unsupported"}});
  EXPECT_EQ(exchange.get("/markets").status, 426);
  for (const char* path : {"/metadata", "/v1/metadata", "/openapi.json", "/asyncapi.json", "/llms.txt"})
    EXPECT_EQ(exchange.get(path).status, 200) << path;
}

TEST_F(Faults, AStormOf429NamesTheBucketThatPays) {
  const Trader alice(exchange, 0);
  exchange.control("/faults", {{"status", 429}});
  const struct {
    Reply reply;
    const char* bucket;
    const char* limit;
  } rows[] = {{alice.post("/orders", limit_order("Buy", "0.1", "59000")), "order", "20"},
              {alice.del("/orders"), "cancel", "20"},
              {exchange.get("/v1/markets"), "ip", "50"}};
  for (const auto& [reply, bucket, limit] : rows) {
    EXPECT_EQ(reply.status, 429) << reply.body;
    EXPECT_EQ(reply.body["code"], "RATE_LIMIT_EXCEEDED");
    EXPECT_EQ(reply.body["bucket"], bucket);
    EXPECT_EQ(reply.body["tier"], "Pro");
    EXPECT_EQ(reply.headers.find("x-ratelimit-bucket"), bucket);
    EXPECT_EQ(reply.headers.find("x-ratelimit-limit"), limit);
    EXPECT_EQ(reply.headers.find("x-ratelimit-remaining"), "0");
    EXPECT_EQ(reply.headers.find("x-ratelimit-reset"), std::to_string(test_start_ms / 1000 + 1));
    EXPECT_EQ(reply.headers.find("retry-after"), "1");
  }
}

TEST_F(Faults, AnUnrecordedMarginAdjustmentIsUndone) {
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  const Json mode{{"market_id", "BTC-USDX-PERP"}, {"margin_mode", "isolated"}};
  ASSERT_EQ(alice.post("/account/margin-mode", mode).status, 200);
  (void)bob.limit("Sell", "0.1", "60000");
  (void)alice.limit("Buy", "0.1", "60000");
  const Json before = alice.get("/account").body;
  const Json hash = exchange.get("/_svc/status").body["state_hash"];

  exchange.control("/faults", {{"code", "IsolatedMarginNotRecorded"}, {"count", 1}});
  const Json adjustment{{"market_id", "BTC-USDX-PERP"}, {"amount", "10"}, {"direction", "add"}};
  const Reply refused = alice.post("/account/margin", adjustment);
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_EQ(refused.code(), "IsolatedMarginNotRecorded");
  EXPECT_EQ(alice.get("/account").body, before);
  EXPECT_EQ(exchange.get("/_svc/status").body["state_hash"], hash);
  EXPECT_EQ(exchange.get("/_svc/invariants").body["violations"], Json::array());
  EXPECT_EQ(alice.post("/account/margin", adjustment).status, 200);  // retry
}

TEST_F(Faults, ALostRequestWasNeverHandled) {
  const Trader alice(exchange, 0);
  exchange.control("/faults", {{"drop_before", true}, {"operation", "place_order"}, {"count", 1}});
  EXPECT_EQ(alice.post("/orders", limit_order("Buy", "0.1", "59000")).status, 0);
  EXPECT_EQ(last_request(exchange)["note"], "fault 1: lost before it was handled");
  EXPECT_EQ(alice.get("/orders").body, Json::array());
}

TEST_F(Faults, ARequestWithALostAnswerWasHandled) {
  const Trader alice(exchange, 0);
  exchange.control("/faults", {{"drop_after_send", true}, {"operation", "place_order"}, {"account", alice.account()}});
  EXPECT_EQ(alice.post("/orders", limit_order("Buy", "0.1", "59000")).status, 0);
  EXPECT_EQ(last_request(exchange)["note"], "fault 1: handled with status 201, the answer dropped");
  EXPECT_EQ(alice.get("/orders").body.size(), 1u);
  EXPECT_EQ(Trader(exchange, 1).post("/orders", limit_order("Buy", "0.1", "59000")).status, 201);
}

TEST_F(Faults, AWrongClockRefusesOnlyCredentials) {
  const Trader alice(exchange, 0);
  exchange.control("/faults", {{"skew_ms", 30'001}, {"count", 1}});
  EXPECT_EQ(exchange.get("/v1/markets").status, 200) << "and is not counted";
  const Reply refused = alice.get("/account");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.body, Json::parse(R"({"code":"unauthorized"})"));
  EXPECT_EQ(last_request(exchange)["rule"], "timestamp_outside_window");
  EXPECT_EQ(exchange.send("DELETE", "/_svc/faults", "").body["removed"], 1);
  exchange.control("/faults", {{"skew_ms", -30'000}});
  EXPECT_EQ(alice.get("/account").status, 200);
}

TEST_F(Faults, AreListedWithTheirHitsAndRemovedByNumber) {
  exchange.control("/faults", {{"status", 503}, {"route", "/markets*"}, {"rate", 1}});
  exchange.control("/faults", {{"ws", "gap"}, {"route", "/ws"}});
  (void)exchange.get("/v1/markets");
  const Json listed = exchange.get("/_svc/faults").body["faults"];
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0]["hits"], 1);
  EXPECT_EQ(listed[1]["ws"], "gap");
  EXPECT_EQ(exchange.send("DELETE", "/_svc/faults/1", "").status, 200);
  EXPECT_EQ(exchange.send("DELETE", "/_svc/faults/1", "").status, 404);
  EXPECT_EQ(exchange.send("DELETE", "/_svc/faults/one", "").status, 404);
  EXPECT_EQ(exchange.get("/v1/markets").status, 200);
}

TEST(Coverage, ListsUsedAndUnusedRoutes) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  (void)alice.get("/api/v1/account");
  (void)exchange.get("/v1/markets/eth/ticker");
  const Json report = exchange.get("/_svc/coverage").body;
  EXPECT_EQ(report["of"]["operations"], 123 + 5);
  const auto row = [&](std::string_view operation, bool twin) {
    for (const Json& one : report["operations"])
      if (one["operation"] == operation && one["twin"] == twin) return one;
    return Json();
  };
  EXPECT_EQ(row("get_account", true)["met"], true);
  EXPECT_EQ(row("get_account", true)["path"], "/api/v1/account");
  EXPECT_EQ(row("get_account", true)["statuses"], Json::parse(R"({"200":1})"));
  EXPECT_EQ(row("get_account", false)["met"], false);
  EXPECT_EQ(row("get_account", false)["requests"], 0);
  EXPECT_EQ(row("get_ticker", false)["codes_met"], Json::array({"INVALID_MARKET_ID"}));
  EXPECT_EQ(row("get_ticker", false)["met"], false);
  const Json& never = report["codes_never_met"];
  EXPECT_EQ(std::count(never.begin(), never.end(), "INVALID_MARKET_ID"), 0);
  EXPECT_EQ(std::count(never.begin(), never.end(), "MarketHalted"), 1);
}

TEST(Coverage, SinceATagCountsOnlyLaterRequests) {
  TestExchange exchange;
  const auto requests = [&](const std::string& from, std::string_view operation) {
    const Json report = exchange.get("/_svc/coverage" + from).body;
    for (const Json& one : report["operations"])
      if (one["operation"] == operation && one["twin"] == false) return one["requests"].get<int>();
    return -1;
  };
  (void)exchange.get("/v1/markets");
  EXPECT_EQ(exchange.send("POST", "/_svc/coverage", R"({"tag":"suite one"})").status, 200);
  (void)exchange.get("/v1/tickers");
  (void)exchange.get("/v1/tickers");
  EXPECT_EQ(requests("", "list_markets"), 1);
  EXPECT_EQ(requests("?from=suite+one", "list_markets"), 0);
  EXPECT_EQ(requests("?from=suite+one", "list_tickers"), 2);
  EXPECT_EQ(exchange.get("/_svc/coverage?from=suite+one").body["met"]["operations"], 1);
  EXPECT_EQ(exchange.get("/_svc/coverage?from=two").status, 404);
  for (const char* bad : {R"({})", R"({"tag":""})", R"({"tag":1})", R"({"tag":"x","more":1})"})
    EXPECT_EQ(exchange.send("POST", "/_svc/coverage", bad).status, 400) << bad;
  for (std::size_t i = 1; i < coverage_tags_max; ++i)
    EXPECT_EQ(exchange.send("POST", "/_svc/coverage", "{\"tag\":\"" + std::to_string(i) + "\"}").status, 200);
  EXPECT_EQ(exchange.send("POST", "/_svc/coverage", R"({"tag":"one more"})").status, 422);
  EXPECT_EQ(exchange.send("POST", "/_svc/coverage", R"({"tag":"suite one"})").status, 200) << "set anew";
}

}  // namespace SVC_FILE
}  // namespace svc::sim
