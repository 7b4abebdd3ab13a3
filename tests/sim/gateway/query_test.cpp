// Unknown query parameters are reported: in the log, in a header field and, on request, by a refusal. (D-720)
#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

SandboxOptions strict_options() {
  SandboxOptions options = test_options();
  options.strict_query = true;
  return options;
}

std::string note_of_last(TestExchange& exchange) {
  return exchange.get("/_svc/requests").body["requests"].back()["note"];
}

constexpr const char* wrong = "/markets/BTC-USDX-PERP/candles?interval=1h&limit=2";

TEST(UnknownQueryParameters, AreIgnoredAndNamedInLogAndHeader) {
  TestExchange exchange;
  const Reply answer = exchange.get(wrong);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.find("X-Svc-Unknown-Query"), "interval");
  EXPECT_EQ(note_of_last(exchange), "unknown query parameters: interval");
  EXPECT_FALSE(
      exchange.get("/markets/BTC-USDX-PERP/candles?timeframe=1h&limit=2").headers.contains("X-Svc-Unknown-Query"));
  EXPECT_EQ(exchange.get("/markets?a=1&&b&a=2").headers.find("X-Svc-Unknown-Query"), "a, b, a");
}

// D-1102
TEST(BodyOfACancel, IsNotReadAndTheLogSaysSo) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  trader.limit("Buy", "0.1", "59000");
  EXPECT_EQ(trader.del_with("/orders", R"({"market_id":"ETH-USDX-PERP"})").status, 200);
  EXPECT_EQ(note_of_last(exchange), "the body was not read: DELETE takes none");
  EXPECT_EQ(trader.get("/orders").body, Json::array());
  EXPECT_EQ(trader.del_with("/orders", "{}").status, 200);
  EXPECT_EQ(exchange.get("/_svc/requests").body["requests"].back()["note"], Json());
}

TEST(UnknownQueryParameters, AreRefusedOnRequest) {
  TestExchange exchange(strict_options());
  const Reply refused = exchange.get(wrong);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.code(), "invalid_parameter");
  EXPECT_EQ(refused.body["message"],
            "unknown query parameter interval; the operation takes timeframe, limit, startTime, endTime");
  EXPECT_EQ(refused.headers.find("X-Svc-Unknown-Query"), "interval");
  EXPECT_EQ(exchange.get("/markets?x=1").body["message"], "unknown query parameter x; the operation takes none");
  EXPECT_EQ(exchange.get("/openapi.json?x=1").status, 400);
  EXPECT_EQ(exchange.get("/markets").status, 200);
  const Trader trader(exchange, 0);
  const Reply placed = trader.post("/orders?dry_run=true", limit_order("Buy", "0.1", "59000"));
  EXPECT_EQ(placed.code(), "invalid_parameter");
  EXPECT_EQ(trader.get("/orders").body, Json::array()) << "nothing was done";
  EXPECT_EQ(exchange.get("/_svc/status").body["strict_query"], true);
}

TEST(UnknownQueryParameters, AreNamedInRefusalsAsWell) {
  TestExchange exchange;
  const Reply broken = exchange.send("POST", "/auth/login?x=1", "{");
  EXPECT_EQ(broken.status, 400);
  EXPECT_EQ(broken.headers.find("X-Svc-Unknown-Query"), "x");
  const Reply old = exchange.send("GET", "/markets?x=1", "", {{"x-svc-api-version", "0.0.1"}});
  EXPECT_EQ(old.status, 426);
  EXPECT_EQ(old.headers.find("X-Svc-Unknown-Query"), "x");
}

TEST(UnknownQueryParameters, RepeatedKnownOnesAreNamed) {
  const std::string twice = "/markets/BTC-USDX-PERP/candles?limit=1&timeframe=1h&limit=2";
  EXPECT_EQ(TestExchange().get(twice).headers.find("X-Svc-Unknown-Query"), "limit (again)");
  EXPECT_EQ(TestExchange(strict_options()).get(twice).status, 400);
}

TEST(UnknownQueryParameters, AreNotReportedForARefusedCredential) {
  TestExchange exchange;
  const Reply refused = exchange.get("/orders?x=1");
  EXPECT_EQ(refused.status, 401);
  EXPECT_FALSE(refused.headers.contains("X-Svc-Unknown-Query"));
}

TEST(UnknownQueryParameters, AreNamedOnlyIfTheyLookLikeNames) {
  TestExchange exchange;
  const std::string token(48, 'a');
  EXPECT_EQ(exchange.get("/markets?" + token).headers.find("X-Svc-Unknown-Query"), "?");
  EXPECT_EQ(exchange.get("/markets?a%0d%0ab=1").headers.find("X-Svc-Unknown-Query"), "?");
  EXPECT_EQ(note_of_last(exchange), "unknown query parameters: ?");
  std::string many = "/markets?p1=";
  for (int i = 2; i <= 20; ++i) many += "&p" + std::to_string(i) + "=";
  EXPECT_EQ(exchange.get(many).headers.find("X-Svc-Unknown-Query"), "p1, p2, p3, p4, p5, p6, p7, p8, ...");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
