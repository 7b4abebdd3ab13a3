#include "sim/control/timeline.h"

#include <gtest/gtest.h>

#include "api/contract/orders.h"
#include "api/secret_names.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

Json entries(TestExchange& exchange, const std::string& query = "") {
  return exchange.get("/_svc/timeline" + query).body["entries"];
}

Json newest(TestExchange& exchange, const std::string& query = "?limit=1") {
  const Json all = entries(exchange, query);
  return all.empty() ? Json() : all.back();
}

Json detail(TestExchange& exchange, const Json& entry) {
  return exchange.get("/_svc/timeline/" + std::to_string(entry["number"].get<std::uint64_t>())).body;
}

std::string header(const Json& message, const std::string& name) {
  for (const Json& line : message["headers"])
    if (line["name"] == name) return line["value"];
  return {};
}

TEST(Timeline, ARefusalOpensToWhatWasSentAndWhatShouldHaveBeenSigned) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const std::string now = std::to_string(test_start_ms);
  const std::string signature(64, '0');
  const Reply refused =
      exchange.send("POST", "/v1/orders?a=1", R"({"market_id":"BTC-USDX-PERP"})",
                    {{"X-API-Key", trader.key_id()}, {"X-Timestamp", now}, {"X-Signature", signature}});
  ASSERT_EQ(refused.status, 401);
  const Json entry = newest(exchange);
  EXPECT_EQ(entry["kind"], "request");
  EXPECT_EQ(entry["operation"], "place_order");
  EXPECT_EQ(entry["status"], 401);
  EXPECT_EQ(entry["code"], "unauthorized");
  EXPECT_EQ(entry["rule"], "signature_mismatch");
  EXPECT_EQ(entry["account"], nullptr);
  EXPECT_EQ(entry["market_id"], "BTC-USDX-PERP");
  EXPECT_EQ(entry["at_ms"], test_start_ms);
  EXPECT_EQ(entry["text"], "POST /v1/orders: unauthorized, signature_mismatch (unknown query parameters: a)");

  const Json shown = detail(exchange, entry);
  EXPECT_EQ(shown["number"], entry["number"]);
  EXPECT_EQ(shown["request"]["method"], "POST");
  EXPECT_EQ(shown["request"]["target"], "/v1/orders?a=1");
  EXPECT_EQ(shown["request"]["body"], R"({"market_id":"BTC-USDX-PERP"})");
  EXPECT_EQ(shown["request"]["cut_bytes"], 0);
  EXPECT_EQ(header(shown["request"], "X-API-Key"), trader.key_id());
  EXPECT_EQ(header(shown["request"], "X-Signature"), "(masked, 64 characters)");
  EXPECT_EQ(shown["answer"]["status"], 401);
  EXPECT_EQ(Json::parse(shown["answer"]["body"].get<std::string>())["code"], "unauthorized");
  const std::string expected = signing::hmac_canonical(
      {.method = "POST", .path = "/orders", .query = "a=1", .body = R"({"market_id":"BTC-USDX-PERP"})"}, test_start_ms);
  EXPECT_EQ(shown["expected"], expected);
}

TEST(Timeline, AWriteIsToldWithItsFillsBeforeIt) {
  TestExchange exchange;
  const Trader maker(exchange, 0), taker(exchange, 1);
  (void)maker.limit("Sell", "0.1", "60000");
  const std::uint64_t before = exchange.get("/_svc/timeline").body["last"];
  (void)taker.limit("Buy", "0.1", "60000");
  const Json told = entries(exchange, "?after=" + std::to_string(before));
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0]["kind"], "fill");
  EXPECT_EQ(told[1]["kind"], "fill");
  EXPECT_NE(told[0]["account"], told[1]["account"]);
  EXPECT_EQ(told[0]["market_id"], "BTC-USDX-PERP");
  EXPECT_EQ(told[2]["kind"], "request");
  EXPECT_EQ(told[2]["status"], 201);
  EXPECT_EQ(told[2]["account"], taker.account());
  EXPECT_EQ(told[2]["rule"], nullptr);
  const Json fill = entries(exchange, "?kind=fill&account=" + taker.account()).back();
  EXPECT_TRUE(fill["text"].get<std::string>().starts_with("bought 0.1 BTC-USDX-PERP at 60000 as taker, fee "))
      << fill["text"];
  EXPECT_EQ(detail(exchange, fill)["request"], nullptr);
  EXPECT_TRUE(detail(exchange, told[2])["expected"].get<std::string>().find("/orders") != std::string::npos);
}

TEST(Timeline, ASuccessfulReadIsToldOnlyWhileSomebodyWatches) {
  TestExchange exchange;
  const auto last = [&] { return exchange.get("/_svc/timeline").body["last"].get<std::uint64_t>(); };
  EXPECT_EQ(exchange.get("/v1/markets").status, 200);
  EXPECT_EQ(last(), 0u);
  EXPECT_EQ(exchange.get("/v1/markets/NONE/ticker").status, 404);
  EXPECT_EQ(last(), 1u);
}

TEST(Timeline, AnEncodedMarketOfAQueryIsNamed) {
  TestExchange exchange;
  for (const char* market : {"BTC-USDX-PERP", "BTC%2DUSDX%2DPERP"}) {
    EXPECT_EQ(exchange.get("/v1/orders?market_id=" + std::string(market)).status, 401);
    EXPECT_EQ(newest(exchange)["market_id"], "BTC-USDX-PERP") << market;
  }
}

// D-1102
TEST(Timeline, NamesNoMarketOfABodyThatIsNotRead) {
  TestExchange exchange;
  EXPECT_EQ(exchange.send("DELETE", "/v1/orders", R"({"market_id":"ETH-USDX-PERP"})").status, 401);
  EXPECT_EQ(newest(exchange)["market_id"], nullptr);
}

TEST(Timeline, KeepsNoSecret) {
  TestExchange exchange;
  const Trader trader(exchange, 0);  // signs in and mints a key
  const Reply token = trader.post("/ws/token");
  ASSERT_LT(token.status, 300);
  const Reply key = exchange.send("POST", "/v1/keys", "{}", {{"Authorization", "Bearer " + trader.session()}});
  std::string told;
  for (const Json& entry : entries(exchange)) told += detail(exchange, entry).dump();
  EXPECT_NE(told.find("(masked, "), std::string::npos);
  EXPECT_EQ(told.find(trader.session()), std::string::npos);
  EXPECT_EQ(told.find(token.body["token"].get<std::string>()), std::string::npos);
  ASSERT_TRUE(key.body.contains("secret")) << key.status << key.body;
  EXPECT_EQ(told.find(key.body["secret"].get<std::string>()), std::string::npos);
}

TEST(Timeline, SearchesTheAnswerOfAnOperationThatIsNotListed) {
  const api::Operation unlisted = api::ops::PlaceOrder::op;
  const KeptExchange kept(&unlisted, {.method = "POST", .target = "/orders", .headers = {}, .body = {}},
                          {.status = unlisted.success, .headers = {}, .body = R"({"token":"abc"})"}, "");
  EXPECT_EQ(kept.answer.text, R"x({"token":"(masked, 3 characters)"})x");
}

TEST(Timeline, KeepsNothingOfAState) {
  TestExchange exchange;
  const Json state = exchange.get("/_svc/state").body;
  ASSERT_EQ(exchange.send("PUT", "/_svc/state", state.dump()).status, 200);
  const Json told = entries(exchange, "?operation=load_state");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(detail(exchange, told[0])["request"], nullptr);
  EXPECT_EQ(told[0]["text"].get<std::string>().find('{'), std::string::npos) << told;
}

TEST(Timeline, KeepsNoSecretInAnotherFormEither) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  (void)trader.get("/orders?token=abcdef");
  for (const char* body :
       {"private_key=abcdef", "{'private_key': 'abcdef'}", "{token: \"abcdef\"}", R"({"tok\u0065n":"abcdef"})",
        R"({"secret":["abcdef"]})", R"({"Signature":"abcdef"})", "PRIVATE_KEY=abcdef", R"({"Token":{"of":"abcdef"}})"})
    (void)exchange.send("POST", "/v1/auth/login", body);
  std::string told;
  for (const Json& entry : entries(exchange)) told += detail(exchange, entry).dump();
  EXPECT_EQ(told.find("abcdef"), std::string::npos) << told;
}

TEST(Timeline, TellsLeversAndSnapshotsButNotWhatOnlyLooks) {
  TestExchange exchange;
  const std::string alice = "0x00000000000000000000000000000000000000a1";
  exchange.control("/fund", {{"account", alice}, {"amount", "5"}});
  (void)exchange.get("/_svc/status");
  exchange.control("/fund", {{"account", alice}, {"amount", "-5"}});  // refused: nothing changed
  exchange.control("/snapshots", {{"name", "one"}});
  exchange.control("/snapshots/one/revert", Json::object());
  exchange.control("/markets/BTC-USDX-PERP/halt", {{"reason", "test"}});
  const Json told = entries(exchange);
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[0]["kind"], "lever");
  EXPECT_EQ(told[0]["operation"], "fund_account");
  EXPECT_EQ(told[0]["account"], alice);
  EXPECT_EQ(told[0]["text"], R"(Give an account play money: {"account":")" + alice + R"(","amount":"5"})");
  EXPECT_EQ(told[1]["kind"], "snapshot");
  EXPECT_EQ(told[2]["kind"], "snapshot");
  EXPECT_EQ(told[2]["text"], "Take everything back to a snapshot one");
  EXPECT_EQ(told[3]["market_id"], "BTC-USDX-PERP");
  EXPECT_EQ(detail(exchange, told[0])["answer"]["status"], 200);
}

TEST(Timeline, TellsAFaultBeforeTheRequestThatMetIt) {
  TestExchange exchange;
  exchange.control("/faults", {{"operation", "list_markets"}, {"code", "internal_error"}});
  ASSERT_EQ(exchange.get("/v1/markets").status, 500);
  const Json told = entries(exchange, "?after=1");
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0]["kind"], "fault");
  EXPECT_EQ(told[0]["operation"], "list_markets");
  EXPECT_EQ(told[0]["text"], "fault 1: answered before it was handled (GET /v1/markets)");
  EXPECT_EQ(told[1]["kind"], "request");
  EXPECT_EQ(told[1]["rule"], "fault");
}

TEST(Timeline, TellsFundingOfPeopleAndOfTheMarket) {
  TestExchange exchange;
  const Trader maker(exchange, 0), taker(exchange, 1);
  (void)maker.limit("Sell", "0.1", "60000");
  (void)taker.limit("Buy", "0.1", "60000");
  exchange.control("/prices", {{"BTC-USDX-PERP", "60100"}});
  exchange.control("/time", {{"advance_ms", hour_ms}});
  const Json told = entries(exchange, "?kind=funding");
  EXPECT_FALSE(told.empty());
  for (const Json& entry : told)
    EXPECT_NE(entry["text"].get<std::string>().find("at rate"), std::string::npos) << entry["text"];
}

TEST(Timeline, LeavesTheFillsOfBotsOut) {
  SandboxOptions options = test_options();
  options.flow = FlowKind::bots;
  TestExchange exchange(options);
  exchange.control("/time", {{"advance_ms", 60'000}});
  EXPECT_FALSE(exchange.get("/v1/markets/BTC-USDX-PERP/trades").body.empty());
  EXPECT_EQ(entries(exchange, "?kind=fill"), Json::array());
}

TEST(Timeline, TellsALiquidation) {
  TestExchange exchange;
  const Trader maker(exchange, 0), taker(exchange, 1);
  (void)maker.limit("Sell", "10", "60000");
  (void)taker.limit("Buy", "10", "60000");
  (void)maker.limit("Buy", "20", "59000");
  ASSERT_EQ(exchange.control("/accounts/" + taker.account() + "/liquidate", Json::object()).status, 200);
  const Json told = newest(exchange, "?kind=liquidation");
  EXPECT_EQ(told["account"], taker.account());
  EXPECT_EQ(told["market_id"], "BTC-USDX-PERP");
  EXPECT_NE(told["text"].get<std::string>().find("maintenance margin"), std::string::npos);
}

TEST(Timeline, IsFilteredAndPaged) {
  TestExchange exchange;
  (void)exchange.get("/v1/nowhere");
  (void)exchange.send("POST", "/v1/orders", "{}");
  (void)exchange.send("POST", "/v1/orders", "{}");
  const auto numbers = [&](const std::string& query) {
    std::vector<std::uint64_t> found;
    for (const Json& entry : entries(exchange, query)) found.push_back(entry["number"]);
    return found;
  };
  using Numbers = std::vector<std::uint64_t>;
  EXPECT_EQ(numbers(""), (Numbers{1, 2, 3}));
  EXPECT_EQ(numbers("?limit=2"), (Numbers{2, 3}));
  EXPECT_EQ(numbers("?after=0&limit=2"), (Numbers{1, 2}));
  EXPECT_EQ(numbers("?after=1"), (Numbers{2, 3}));
  EXPECT_EQ(numbers("?after=3"), Numbers{});
  EXPECT_EQ(numbers("?after=99"), Numbers{});
  EXPECT_EQ(numbers("?before=3&limit=1"), (Numbers{2}));
  EXPECT_EQ(numbers("?before=1"), Numbers{});
  EXPECT_EQ(numbers("?before=0"), Numbers{});
  EXPECT_EQ(numbers("?after=1&before=3"), (Numbers{2}));
  EXPECT_EQ(numbers("?limit=0"), Numbers{});
  EXPECT_EQ(numbers("?status=404"), (Numbers{1}));
  EXPECT_EQ(numbers("?status=4xx"), (Numbers{1, 2, 3}));
  EXPECT_EQ(numbers("?status=5xx"), Numbers{});
  EXPECT_EQ(numbers("?operation=place_order"), (Numbers{2, 3}));
  EXPECT_EQ(numbers("?kind=fill"), Numbers{});
  for (const char* query : {"?status=x", "?status=600", "?status=6xx", "?status=0xx", "?kind=nothing", "?account=1",
                            "?after=x", "?before=-1", "?limit="})
    EXPECT_EQ(exchange.get(std::string("/_svc/timeline") + query).status, 400) << query;
  EXPECT_EQ(exchange.get("/_svc/timeline/4").status, 404);
  EXPECT_EQ(exchange.get("/_svc/timeline/0").status, 404);
}

TEST(Timeline, ALongBodyIsCutAndTheCutIsSaid) {
  TestExchange exchange;
  const std::string fits(limits::timeline_body_bytes_max, 'x');
  (void)exchange.send("POST", "/v1/nowhere", fits);
  EXPECT_EQ(detail(exchange, newest(exchange))["request"]["cut_bytes"], 0);
  (void)exchange.send("POST", "/v1/nowhere", fits + "x");
  const Json request = detail(exchange, newest(exchange))["request"];
  EXPECT_EQ(request["body"], fits);
  EXPECT_EQ(request["cut_bytes"], 1);
}

class TimelineBounds : public ::testing::Test {
 protected:
  void use(const std::string& body = "{}") {
    timeline.control_used(api::control::Fund::op,
                          {.method = "POST", .target = "/_svc/fund", .headers = {}, .body = body}, {}, {},
                          test_start_ms);
  }
  std::size_t kept() { return timeline.page({}, 0, {}, limits::timeline_page_max).entries.size(); }

  const MarketTable markets{engine::standard_markets()};
  Timeline timeline{markets};
};

TEST_F(TimelineBounds, TheOldestEntriesAreDroppedAndNumbersGoOn) {
  for (std::size_t i = 0; i < limits::timeline_entries_max; ++i) use();
  EXPECT_TRUE(timeline.find(1));
  use();
  EXPECT_FALSE(timeline.find(1));
  EXPECT_TRUE(timeline.find(2));
  EXPECT_EQ(timeline.last(), limits::timeline_entries_max + 1);
  EXPECT_EQ(kept(), limits::timeline_page_max);
  EXPECT_EQ(timeline.page({}, 0, {}, 1).entries.front().number, 2u);
}

TEST_F(TimelineBounds, TheOldestRequestsAreDroppedAndTheirEntriesStay) {
  const std::string body(limits::timeline_body_bytes_max, 'x');
  const std::size_t too_many = limits::timeline_bytes_max / body.size() + 1;
  for (std::size_t i = 0; i < too_many; ++i) use(body);
  ASSERT_TRUE(timeline.find(1));
  EXPECT_FALSE(timeline.find(1)->request);
  EXPECT_TRUE(timeline.find(too_many)->request);
  std::size_t bytes = 0;
  for (std::size_t number = 1; number <= too_many; ++number)
    if (const auto entry = timeline.find(number); entry->request) bytes += entry->request->body.size();
  EXPECT_LE(bytes, limits::timeline_bytes_max);
  EXPECT_GT(bytes, limits::timeline_bytes_max / 2);
}

TEST_F(TimelineBounds, ALineIsPlainAndShort) {
  use("{\"account\":\"\x1b[2J\n" + std::string(1'000, 'x'));
  const std::string text = timeline.find(1)->text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.size(), limits::timeline_text_bytes_max + 3);
}

TEST_F(TimelineBounds, ALineHasNoControlCharacterOfTheUpperHalf) {
  use("{\"name\":\"\u00e9\u009bK\x9bK\"}");
  EXPECT_TRUE(timeline.find(1)->text.ends_with(": {\"name\":\"\u00e9\\u009bK\\u009bK\"}")) << timeline.find(1)->text;
}

TEST_F(TimelineBounds, ALineCannotBeTurnedAndABodyOfSeveralLinesIsOne) {
  use("{\n\t\"name\": \"a\u202eb\xe4\"}");
  EXPECT_TRUE(timeline.find(1)->text.ends_with(": {  \"name\": \"a\\u202eb\\u00e4\"}")) << timeline.find(1)->text;
}

// The body of an answer as it is kept.
std::string kept_body(std::string_view body) {
  const api::HttpResponse answer{.status = 200, .headers = {}, .body = std::string(body)};
  return KeptExchange(nullptr, {}, answer, "").answer.text;
}

TEST(TimelineMask, CoversSecretMembersWhateverTheTextIs) {
  const struct {
    const char* text;
    const char* shown;
  } rows[] = {
      {"", ""},
      {"{}", "{}"},
      {R"_({"token":"abc"})_", R"_({"token":"(masked, 3 characters)"})_"},
      {R"_({"a":1,"secret" : "abc","b":2})_", R"_({"a":1,"secret" : "(masked, 3 characters)","b":2})_"},
      {R"_({"a":{"signature":"0x12"}})_", R"_({"a":{"signature":"(masked, 4 characters)"}})_"},
      {R"_([{"token":"a"},{"token":"bc"}])_",
       R"_([{"token":"(masked, 1 characters)"},{"token":"(masked, 2 characters)"}])_"},
      {R"_({"token":"a\"b"})_", R"_({"token":"(masked, 4 characters)"})_"},
      {R"_({"token":"abc)_", R"_({"token":"(masked, 3 characters))_"},
      {R"_({"token":"abc\)_", R"_({"token":"(masked, 4 characters))_"},
      {R"_({"token":7,"secret":"x"})_", R"_({"token":7,"secret":"(masked, 1 characters)"})_"},
      {R"_({"name":"token","value":"x"})_", R"_({"name":"token","value":"x"})_"},
      {R"_({"name":"\"token\":\"x\""})_", R"_({"name":"\"token\":\"x\""})_"},
      {R"_({"a":x","token":"abc"})_", R"_({"a":x","token":"(masked, 3 characters)"})_"},
      {R"_({"Signature":"abc","API_SECRET":"a"})_",
       R"_({"Signature":"(masked, 3 characters)","API_SECRET":"(masked, 1 characters)"})_"},
      {R"_(no json: "token":"x")_", R"_(no json: "token":"(masked, 1 characters)")_"},
  };
  for (const auto& row : rows) EXPECT_EQ(kept_body(row.text), row.shown) << row.text;
}

TEST(TimelineMask, CoversSecretParameters) {
  EXPECT_EQ(mask_query("/ws"), "/ws");
  EXPECT_EQ(mask_query("/ws?"), "/ws?");
  EXPECT_EQ(mask_query("/ws?token=abc&a=1"), "/ws?token=(masked, 3 characters)&a=1");
  EXPECT_EQ(mask_query("/ws?a=1&%74oken=abc"), "/ws?a=1&%74oken=(masked, 3 characters)");
  EXPECT_EQ(mask_query("/ws?a=1&token&b"), "/ws?a=1&token&b");
}

TEST(TimelineMask, CoversSecretParametersInAnyCase) {
  EXPECT_EQ(mask_query("/ws?Token=abc&a=1"), "/ws?Token=(masked, 3 characters)&a=1");
  EXPECT_EQ(mask_query("/ws?%54OKEN=abc"), "/ws?%54OKEN=(masked, 3 characters)");
}

TEST(TimelineMask, CoversParametersThatAreSpelledOtherwise) {
  EXPECT_EQ(mask_query("/ws?;token=abc"), "/ws?;token=(masked, 3 characters)");
  EXPECT_EQ(mask_query("/ws?a=1&token%3dabc"), "/ws?a=1&(masked, 11 characters)");
  EXPECT_EQ(mask_query("/ws?Token%3Dabc%ZZ"), "/ws?(masked, 14 characters)");
  EXPECT_EQ(mask_query("/ws?a=b;token=abc&c=d"), "/ws?a=(masked, 11 characters)&c=d");
  EXPECT_EQ(mask_query("/x?next=%2Fws%3Ftoken%3Dabc"), "/x?next=(masked, 19 characters)");
  EXPECT_EQ(mask_query("/x?next=%2Fws%3Ftoken%3Dabc%ZZ"), "/x?next=(masked, 22 characters)");
  EXPECT_EQ(mask_query("/x?next=token%253Dabc"), "/x?next=(masked, 13 characters)");
  EXPECT_EQ(mask_query("/x?operation=mint_token&when=a=b"), "/x?operation=mint_token&when=a=b");
}

TEST(Timeline, KeepsNoSecretOfAnAddressInAHeaderField) {
  TestExchange exchange;
  const std::string token(48, 'a');
  EXPECT_EQ(exchange
                .send("GET", "/v1/account", "",
                      {{"Referer", "http://app/?token=" + token},
                       {"X-Original-Query", "a=1&token=" + token},
                       {"X-Of-A-Page", "http://app/#token=" + token + "?x"},
                       {"X-Of-A-Path", "http://app/;token=" + token + "?x=1"}})
                .status,
            401);
  const Json shown = detail(exchange, newest(exchange));
  EXPECT_EQ(header(shown["request"], "Referer"), "http://app/?token=(masked, 48 characters)");
  EXPECT_EQ(shown.dump().find(token), std::string::npos) << shown;
}

TEST(Timeline, KeepsNoSecretThatWasSentInTheFieldOfAnotherName) {
  TestExchange exchange;
  const std::string secret(64, 'a');
  const std::pair<const char*, std::string> fields[] = {
      {"X-API-Key", secret}, {"X-Agent", "0x" + secret}, {"X-Seed", secret}};
  for (const auto& [name, value] : fields) {
    EXPECT_EQ(
        exchange
            .send("GET", "/v1/account", "", {{name, value}, {"X-Timestamp", "1700000000000"}, {"X-Signature", "00"}})
            .status,
        401);
    const Json shown = detail(exchange, newest(exchange));
    EXPECT_EQ(shown.dump().find(secret), std::string::npos) << shown;
  }
}

TEST(TimelineMask, KnowsTheHeadersOfCredentials) {
  for (const char* name : {"authorization", "X-Signature", "x-action-signature", "Cookie", "Set-Cookie",
                           "Proxy-Authorization", "X-Api-Secret", "X-Private-Key", "X-ADMIN-SECRET", "X-Authorization",
                           "X-Forwarded-Authorization", "Sec-WebSocket-Protocol"})
    EXPECT_TRUE(api::is_secret_header(name)) << name;
  for (const char* name : {"X-API-Key", "X-Timestamp", "Host", "Sec-WebSocket-Key", "Link", ""})
    EXPECT_FALSE(api::is_secret_header(name)) << name;
}

}  // namespace SVC_FILE
}  // namespace svc::sim
