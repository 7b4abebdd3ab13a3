#include <gtest/gtest.h>

#include "base/limits.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

Reply with_session(TestExchange& exchange, const Trader& trader, std::string_view method, std::string_view target,
                   std::string body = "") {
  return exchange.send(method, target, std::move(body), {{"Authorization", "Bearer " + trader.session()}});
}

TEST(Login, AnswersATokenOf64HexDigitsAndTheWallet) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  EXPECT_EQ(trader.session().size(), 64u);
  EXPECT_EQ(trader.session().find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Login, AnotherTextOrABrokenSignatureIsTheOpaque401) {
  TestExchange exchange;
  const std::string good(130, 'a');
  for (const Json& body : {Json{{"message", "Sign in to Somebody Else"}, {"signature", "0x" + good}},
                           Json{{"message", "Sign in to Svc Exchange"}, {"signature", "0x" + good}},
                           Json{{"message", "Sign in to Svc Exchange"}, {"signature", "nonsense"}}}) {
    const Reply reply = exchange.post("/v1/auth/login", body);
    EXPECT_EQ(reply.status, 401) << body;
    EXPECT_EQ(reply.body, Json::parse(R"({"code":"unauthorized"})"));
  }
  const Json log = exchange.get("/_svc/requests").body["requests"];
  EXPECT_EQ(log[0]["rule"], "wrong_login");
  EXPECT_EQ(log[0]["note"], "wrong_message");
  EXPECT_EQ(log[1]["note"], "malformed_signature");  // its s is high
}

TEST(Keys, AreCreatedListedAndDeleted) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Reply created = with_session(exchange, trader, "POST", "/v1/keys", R"({"label":"laptop"})");
  ASSERT_EQ(created.status, 200) << created.body;
  const std::string id = created.body["key_id"];
  EXPECT_EQ(created.body["secret"].get<std::string>().size(), 64u);

  const Json listed = with_session(exchange, trader, "GET", "/v1/keys").body;
  ASSERT_EQ(listed.size(), 2u);  // the trader signs with the first one
  EXPECT_EQ(listed[0]["key_id"], trader.key_id());
  EXPECT_EQ(listed[1], (Json{{"key_id", id}, {"tier", "Pro"}, {"label", "laptop"}}));

  EXPECT_EQ(with_session(exchange, trader, "DELETE", "/v1/keys/" + trader.key_id()).status, 200);
  EXPECT_EQ(trader.get("/orders").status, 401);
  EXPECT_EQ(with_session(exchange, trader, "DELETE", "/v1/keys/" + trader.key_id()).status, 404);
}

TEST(Keys, ALabelHasALimit) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const auto create = [&](std::size_t bytes) {
    return with_session(exchange, trader, "POST", "/v1/keys", Json{{"label", std::string(bytes, 'x')}}.dump());
  };
  EXPECT_EQ(create(limits::label_bytes_max).status, 200);
  EXPECT_EQ(create(limits::label_bytes_max + 1).code(), "invalid_json");
}

TEST(Keys, SomebodyElsesKeyDoesNotExist) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  EXPECT_EQ(with_session(exchange, bob, "DELETE", "/v1/keys/" + alice.key_id()).status, 404);
  EXPECT_EQ(alice.get("/orders").status, 200);
}

TEST(Sessions, EndAfter24HoursOfTheSandboxsTime) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  exchange.control("/time", {{"advance_ms", day_ms - 1}});
  EXPECT_EQ(with_session(exchange, trader, "GET", "/v1/keys").status, 200);
  exchange.control("/time", {{"advance_ms", 1}});
  EXPECT_EQ(with_session(exchange, trader, "GET", "/v1/keys").status, 401);
  EXPECT_EQ(trader.get("/orders").status, 200);  // keys do not expire
}

}  // namespace SVC_FILE
}  // namespace svc::sim
