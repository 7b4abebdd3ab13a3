// Which requests a fault hits, and how often.
#include <gtest/gtest.h>

#include "api/operation_table.h"
#include "base/limits.h"
#include "sim/control/control_handlers.h"
#include "sim/gateway/fault_book.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

const api::Operation& operation(std::string_view name) {
  return *api::find_operation(name)->operation;
}

FaultSubject request(std::string_view name, std::string_view path, std::optional<Address> account = {}) {
  return {.operation = operation(name), .path = path, .account = account};
}

FaultRule error_on(std::string route) {
  FaultRule rule;
  rule.route = std::move(route);
  rule.effect = FaultEffect::error;
  return rule;
}

TEST(FaultGlob, AStarMatchesAnyText) {
  const struct {
    const char* glob;
    const char* text;
    bool fits;
  } rows[] = {
      {"/orders", "/orders", true},
      {"/orders", "/orders/1", false},
      {"/orders*", "/orders", true},
      {"/orders/*", "/orders/1", true},
      {"/orders/*", "/orders", false},
      {"*", "", true},
      {"*/ticker", "/a/b/ticker", true},
      {"/a*c*e", "/abcde", true},
      {"/a*c*e", "/abcd", false},
      {"/*a*a*a*b", "/aaaaaaaaaa", false},
      {"", "", true},
  };
  for (const auto& row : rows) EXPECT_EQ(glob_fits(row.glob, row.text), row.fits) << row.glob << " " << row.text;
}

TEST(FaultRule, ATwinMatchesAsTheOperationItCopies) {
  EXPECT_TRUE(fits(error_on("/orders"), request("place_order", "/orders")));
  EXPECT_TRUE(fits(error_on("/orders"), request("place_order", "/api/v1/orders")));
  EXPECT_TRUE(fits(error_on("/api/v1/*"), request("place_order", "/api/v1/orders")));
  EXPECT_FALSE(fits(error_on("/api/v1/*"), request("place_order", "/orders")));
}

TEST(FaultRule, AllItsConditionsMustMatch) {
  const Address alice = *parse_address("0x00000000000000000000000000000000000000a1");
  FaultRule rule = error_on("/orders*");
  rule.operation = "place_order";
  rule.method = api::Method::post;
  rule.account = alice;
  EXPECT_TRUE(fits(rule, request("place_order", "/orders", alice)));
  EXPECT_FALSE(fits(rule, request("place_order", "/orders")));
  EXPECT_FALSE(fits(rule, request("cancel_all_orders", "/orders", alice)));
  rule.method = api::Method::get;
  EXPECT_FALSE(fits(rule, request("place_order", "/orders", alice)));
}

TEST(FaultBook, ARuleStopsAfterItsCountAndCountsItsHits) {
  FaultBook book(1);
  FaultRule rule = error_on("/orders");
  rule.count = 2;
  EXPECT_EQ(book.add(rule)->id, 1u);
  EXPECT_TRUE(book.erring(request("list_orders", "/orders")));
  EXPECT_FALSE(book.erring(request("list_fills", "/fills")));
  EXPECT_TRUE(book.erring(request("list_orders", "/orders")));
  EXPECT_FALSE(book.erring(request("list_orders", "/orders")));
  EXPECT_EQ(book.list().front().hits, 2u);
}

std::string pattern(std::uint64_t seed) {
  FaultBook book(seed);
  FaultRule rule = error_on("");
  rule.rate_ppm = 250'000;
  (void)book.add(rule);
  std::string hits;
  for (int i = 0; i < 400; ++i) hits += book.erring(request("list_orders", "/orders")) ? '1' : '0';
  return hits;
}

TEST(FaultBook, ARateHitsItsShareByTheSeed) {
  const std::string hits = pattern(1);
  const auto count = std::count(hits.begin(), hits.end(), '1');
  EXPECT_GT(count, 70);
  EXPECT_LT(count, 130);
  EXPECT_EQ(hits, pattern(1));
  EXPECT_NE(hits, pattern(2));
}

TEST(FaultBook, NumbersAreNeverUsedAgainAndRulesAreBounded) {
  FaultBook book(1);
  for (std::size_t i = 0; i < limits::fault_rules_max; ++i) ASSERT_TRUE(book.add(error_on("/orders")));
  EXPECT_FALSE(book.add(error_on("/orders")));
  EXPECT_TRUE(book.remove(7));
  EXPECT_FALSE(book.remove(7));
  EXPECT_EQ(book.add(error_on("/orders"))->id, limits::fault_rules_max + 1);
  EXPECT_EQ(book.clear(), limits::fault_rules_max);
  EXPECT_TRUE(book.empty());
}

TEST(FaultBook, DelaysAndSkewsAddUpAndTheFirstErrorCounts) {
  FaultBook book(1);
  FaultRule rule;
  rule.latency_ms = 40;
  (void)book.add(rule);
  (void)book.add(rule);
  rule = {};
  rule.effect = FaultEffect::skew;
  rule.skew_ms = -500;
  (void)book.add(rule);
  (void)book.add(rule);
  rule = error_on("");
  rule.code = api::ErrorCode::bad_gateway;
  (void)book.add(rule);
  rule.code = api::ErrorCode::internal_error;
  (void)book.add(rule);
  const FaultSubject any = request("list_orders", "/orders");
  EXPECT_EQ(book.leaving(any).latency_ms, 80);
  EXPECT_EQ(book.arriving(any).skew_ms, -1'000);
  EXPECT_EQ(book.erring(any)->rule.code, api::ErrorCode::bad_gateway);
  EXPECT_EQ(book.list().back().hits, 0u);
}

TEST(FaultBook, ARuleForEverythingRefusesOnlyWhatMayBeRefusedSo) {
  FaultBook book(1);
  FaultRule rule = error_on("");
  rule.code = api::ErrorCode::client_id_taken;
  (void)book.add(rule);
  EXPECT_FALSE(book.erring(request("get_account", "/account")));
  EXPECT_TRUE(book.erring(request("place_order", "/orders")));
  rule.route = "/account";
  (void)book.add(rule);
  EXPECT_TRUE(book.erring(request("get_account", "/account"))) << "its route is named";
}

TEST(FaultBook, JurisdictionsClosedToWritesRefuseNoReadsAndNoCancels) {
  FaultBook book(1);
  FaultRule rule = error_on("");
  rule.code = api::ErrorCode::us_restricted;
  (void)book.add(rule);
  EXPECT_FALSE(book.erring(request("list_orders", "/orders")));
  EXPECT_FALSE(book.erring(request("cancel_order", "/orders/1")));
  EXPECT_TRUE(book.erring(request("place_order", "/orders")));
  EXPECT_TRUE(book.erring(request("set_leverage", "/leverage")));
}

std::string refusal(std::string_view json) {
  const auto rule = parse_fault(json);
  return rule ? "" : rule.error();
}

TEST(FaultRule, ConditionsLookAtMembersOfTheRequest) {
  const struct {
    const char* when;
    bool fits;
  } rows[] = {
      {"body.side=Buy", true},
      {"body.side=Sell", false},
      {"body.price>=60000", true},
      {"body.price>60000.0", false},
      {"body.side=Buy && body.price>=60000", true},
      {"body.side=Buy && body.price>60000", false},
      {"body.reduce_only", false},
      {"body.post_only", true},
      {"body.nothing", false},
      {"body.nothing!=1", false},
      {"body.legs.1.size=2", true},
      {"body.legs.2.size=2", false},
      {"body.amount>1", true},
      {"body.amount<1234567890123456789012.5", false},
      {"query.limit<5", true},
      {"query.text=a b", true},
      {"query.cursor", false},
      {"method=POST", true},
      {"operation=place_order", true},
      {"path=/orders", true},
      {"account", false},
  };
  for (const auto& row : rows) {
    FaultRule rule = error_on("/orders");
    rule.when = *TextConditions::parse(row.when);
    FaultSubject subject = request("place_order", "/orders");
    subject.query = "limit=3&text=a+b";
    subject.body =
        R"({"side":"Buy","price":"60000","reduce_only":false,"post_only":true,"legs":[{"size":1},{"size":2}],)"
        R"("amount":"1234567890123456789012.50"})";
    EXPECT_EQ(fits(rule, subject), row.fits) << row.when;
    const std::string too_deep = R"({"side":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
    for (const std::string_view body : {std::string_view("no json"), std::string_view(too_deep)}) {
      subject.body = body;
      EXPECT_EQ(fits(rule, subject), row.fits && std::string_view(row.when).find("body") == std::string_view::npos);
    }
  }
}

TEST(FaultBody, IsReadStrictly) {
  const struct {
    const char* body;
    const char* message;
  } rows[] = {
      {"{}", "one of status, code, latency_ms, drop_before, drop_after_send, skew_ms and ws is needed"},
      {R"({"status":503})", ""},
      {R"({"status":409})", "status 409 does not say which error: name its code"},
      {R"({"status":200})", "status is a whole number from 400 to 599"},
      {R"({"code":"Nonsense"})", "no error code \"Nonsense\"; docs/errors.md lists them"},
      {R"({"code":"frame_rate_exceeded"})",
       "code frame_rate_exceeded is sent as a frame of a stream, never as an answer"},
      {R"({"code":"INTERNAL_ERROR","latency_ms":5})", ""},
      {R"({"code":"INTERNAL_ERROR","skew_ms":5})", "a rule does one thing: an error, a drop, a skew or a stream fault"},
      {R"({"skew_ms":0})", "skew_ms is a whole number other than 0, at most 34560000000 either way"},
      {R"({"skew_ms":5,"latency_ms":5})", "latency_ms goes alone, or with an error or a drop"},
      {R"({"drop_before":true,"account":"0x00000000000000000000000000000000000000a1"})",
       "drop_before and skew_ms act before anybody is known: leave out account"},
      {R"({"skew_ms":5,"when":"account=0x00000000000000000000000000000000000000a1"})",
       "drop_before and skew_ms act before anybody is known: leave out account"},
      {R"({"status":503,"operation":"list_markets","account":"0x00000000000000000000000000000000000000a1"})",
       "no request has this route, method and conditions together; GET /_svc/coverage lists the routes"},
      {R"({"skew_ms":5,"operation":"list_markets"})",
       "no request has this route, method and conditions together; GET /_svc/coverage lists the routes"},
      {R"({"drop_after_send":1})", "drop_after_send: expected true or false"},
      {R"({"latency_ms":600000})", ""},
      {R"({"latency_ms":600001})", "latency_ms is a whole number from 1 to 600000"},
      {R"({"ws":"lose"})", "ws: expected one of gap, drop, dup, reorder"},
      {R"({"ws":"gap"})", ""},
      {R"({"status":503,"rate":0})", "rate is a number above 0 and at most 1, with up to 6 decimals"},
      {R"({"status":503,"rate":1})", ""},
      {R"({"status":503,"rate":"1.000001"})", "rate is a number above 0 and at most 1, with up to 6 decimals"},
      {R"({"status":503,"count":0})", "count is a whole number from 1 to 1000000000"},
      {R"({"status":503,"operation":"buy"})", "no operation \"buy\"; names are as in GET /_svc/coverage"},
      {R"({"status":503,"route":"orders"})", "route is a path such as /orders/*, at most 256 bytes"},
      {R"({"status":503,"method":"get"})", "method: expected one of GET, POST, PUT, PATCH, DELETE"},
      {R"({"status":503,"account":"alice"})", "account: expected an address: 0x and 40 hex digits"},
      {R"({"status":503,"often":true})", "unknown field often"},
      {R"({"status":503,"when":"body.side=Buy"})", ""},
      {R"({"ws":"gap","when":"body.side=Buy"})",
       "when looks at requests, and ws is about events: leave out one of them"},
  };
  for (const auto& row : rows) EXPECT_EQ(refusal(row.body), row.message) << row.body;
}

// A test that relies on a rule that never hits would test nothing.
TEST(FaultBody, AConditionThatCannotHoldIsRefusedWithTheGrammar) {
  const struct {
    const char* when;
    const char* why;  // nullptr: it is accepted
  } rows[] = {
      {"body.side=Buy", nullptr},
      {"body.side=Sell && body.price>=70000", nullptr},
      {"body.0.price>=70000 && body.0.side!=Sell", nullptr},
      {"body.reduce_only && body.reduce_only=true", nullptr},
      {"body.client_id=stop 9", nullptr},
      {"query.market_id=BTC-USDX-PERP", nullptr},
      {"operation=place_order && method=POST && path=/orders", nullptr},
      {"account=0x00000000000000000000000000000000000000a1", nullptr},
      {"body.price>1 && body.price<2 && body.price!=1.5", nullptr},
      {"body.side=Sell || body.side=Buy", "a value stands without quotes or a further operator"},
      {"body.side='Sell'", "a value stands without quotes or a further operator"},
      {"body.side=\\\"Sell\\\"", "a value stands without quotes or a further operator"},
      {"body.client_id=~stop", "a value stands without quotes or a further operator"},
      {"body.client_id~stop", "the name of a member has letters, digits"},
      {"body.side in Buy", "the name of a member has letters, digits"},
      {"body.price>6e4", "only a decimal in plain digits is compared by size"},
      {"body.price=6e4", "body.price is a decimal in plain digits, not \"6e4\""},
      {"body.price=", "a value stands without quotes"},
      {"body.side=sell", "body.side is one of Buy, Sell, not \"sell\""},
      {"body.side>5", "body.side is one of Buy, Sell, not \"5\""},
      {"body.reduce_only=1", "body.reduce_only is true or false, not \"1\""},
      {"body.market_id=btc", "body.market_id is a market such as BTC-USDX-PERP, not \"btc\""},
      {"body.qty>1", "no operation takes \"qty\" in the body"},
      {"body.orders.0.price>1", "no operation takes \"orders.0.price\" in the body"},
      {"query.side=Buy", "query.side is one of buy, sell, not \"Buy\""},
      {"query.nothing", "no operation takes \"nothing\" in the query"},
      {"bdy.side=Buy", "no member \"bdy.side\" of a request"},
      {"method=post", "method is GET, POST, PUT, PATCH or DELETE, not \"post\""},
      {"method>5", "method is no number"},
      {"operation=buy", "no operation \"buy\"; names are as in GET /_svc/coverage"},
      {"path=orders", "path begins with a slash, not \"orders\""},
      {"account=alice", "account is 0x and 40 hex digits in lower case, not \"alice\""},
      {"body.side=Buy && body.side=Sell", "nothing meets all conditions on body.side"},
      {"body.side!=Sell && body.side!=Buy", "nothing meets all conditions on body.side"},
      {"body.reduce_only!=true && body.reduce_only!=false", "nothing meets all conditions on body.reduce_only"},
      {"body.price>5 && body.price<5", "nothing meets all conditions on body.price"},
      {"a b", "the name of a member has letters, digits"},
      {"", "the name of a member has letters, digits"},
  };
  for (const auto& row : rows) {
    const std::string said = refusal(std::string(R"({"status":503,"when":")") + row.when + "\"}");
    if (row.why == nullptr) {
      EXPECT_EQ(said, "") << row.when;
      continue;
    }
    EXPECT_NE(said.find(row.why), std::string::npos) << row.when << ": " << said;
    EXPECT_TRUE(
        said.ends_with("; when is MEMBER, or MEMBER with =, !=, <, <=, > or >= and a VALUE without quotes (a "
                       "plain decimal after the last four); && joins several; MEMBER is method, path, "
                       "operation, account, query.NAME or body.NAME"))
        << said;
  }
}

TEST(FaultBody, ARuleThatNoRequestCanMatchIsRefused) {
  for (const char* text :
       {R"({"code":"internal_error","route":"/nosuch"})", R"({"code":"internal_error","when":"path=/nosuch"})",
        R"({"code":"internal_error","method":"POST","operation":"list_orders"})",
        R"({"code":"internal_error","when":"method=POST && operation=list_orders"})",
        R"({"code":"internal_error","when":"method=POST && path=/markets"})",
        R"({"code":"internal_error","when":"method=GET && body.side=Sell"})",
        R"({"code":"internal_error","route":"/markets*","when":"body.side=Sell"})"}) {
    const auto rule = parse_fault(text);
    ASSERT_FALSE(rule) << text;
    EXPECT_TRUE(rule.error().starts_with("no request has this route")) << text << rule.error();
  }
  for (const char* text :
       {R"({"code":"internal_error","route":"/orders/*"})", R"({"code":"internal_error","route":"*"})",
        R"({"code":"internal_error","route":"/api/v1/orders"})", R"({"code":"internal_error","route":"/openapi.json"})",
        R"({"code":"internal_error","route":"/orders/o-1"})",
        R"({"code":"internal_error","when":"path=/markets/BTC-USDX-PERP/candles && method=GET"})",
        R"({"code":"internal_error","when":"method=POST && body.side=Sell"})"}) {
    EXPECT_TRUE(parse_fault(text)) << text;
  }
}

// Two globs are compared in a time that grows with their lengths, not with the ways to read their stars.
TEST(FaultRules, ARouteOfManyStarsIsJudgedAtOnce) {
  TestExchange exchange;
  const auto set = [&](std::string_view last) {
    const std::string route = "/markets/" + std::string(200, '*') + std::string(last);
    return exchange.control("/faults", {{"status", 503}, {"route", route}});
  };
  EXPECT_EQ(set("").status, 200);
  EXPECT_EQ(set("/no part of any path").status, 400);
}

TEST(FaultBody, AConditionIsCheckedAgainstTheOperationOfTheRule) {
  EXPECT_EQ(refusal(R"({"status":503,"operation":"place_order","when":"body.price>1"})"), "");
  const std::string said = refusal(R"({"status":503,"operation":"set_leverage","when":"body.price>1"})");
  EXPECT_TRUE(said.starts_with("when can never hold: set_leverage does not take \"price\" in the body; ")) << said;
}

}  // namespace SVC_FILE
}  // namespace svc::sim
